#include "storage/mysql/results/foreign_retries.hpp"

#include "core/run/trigger_note.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/text.hpp"
#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

void tell_of_retries(session& own, std::span<const core::log_id> runs) {
  const auto text = core::retry_text(own.texts.reader, own.texts.tail);
  for (const auto part : padded_chunks(runs.size())) {
    auto& some = own.db.prepare("UPDATE xxl_job_log SET trigger_msg = LEFT(CONCAT(COALESCE(trigger_msg, ''), ?), ?)"
                                " WHERE id IN ({?,}) AND NOT COALESCE(trigger_msg REGEXP ?, 0)",
                                part.rows);
    some.add(text).add(core::message_units_max);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(runs[part.at(i)]);
    some.add(core::note_pattern);
    some.run();
  }
}

} // namespace ringmaster::storage::mysql
