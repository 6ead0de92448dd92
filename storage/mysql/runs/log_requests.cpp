#include "storage/mysql/runs/log_requests.hpp"

#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

void insert_log_requests(connection& db, std::span<const log_request> requested, core::time_point now) {
  for (const auto part : exact_chunks(requested.size())) {
    auto& some = db.prepare("INSERT IGNORE INTO rm_kept_log (log_id, job, state, bytes, is_cut, at_ms)"
                            " VALUES {(?,?,0,0,0,?),}", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(requested[part.at(i)].run).add(requested[part.at(i)].job).add(now);
    some.run();
  }
}

} // namespace ringmaster::storage::mysql
