#include "storage/mysql/firing/row_texts.hpp"

#include "core/run/trigger_note.hpp"
#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

std::map<core::group_id, group_text> group_texts(session& own, std::span<const core::planned_run> runs) {
  std::vector<core::group_id> ids;
  for (const auto& run : runs)
    ids.push_back(run.spec->group);
  ids = sorted(std::span<const core::group_id>{ids});
  std::map<core::group_id, group_text> out;
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = own.db.prepare("SELECT id, address_type, address_list FROM xxl_job_group WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    for (auto found = some.select(); found.next();)
      out[found.id<core::group_id>(0)] = {found.number(1) != 0, found.optional_string(2)};
  }
  return out;
}

std::string claim_text(const session& own, const core::planned_run& run, std::string_view node_host,
                       const std::map<core::group_id, group_text>& groups) {
  core::trigger_story story;
  story.note = core::note_of(run, node_host);
  if (const auto group = groups.find(run.spec->group); group != groups.end()) {
    story.manual_addresses = group->second.manual;
    if (group->second.addresses)
      story.addresses = *group->second.addresses;
  }
  story.address = run.address;
  story.route_note = run.route_note;
  story.handler = run.spec->handler;
  story.param = run.effective_param();
  return core::trigger_text(story, own.texts.reader, own.texts.tail);
}

} // namespace ringmaster::storage::mysql
