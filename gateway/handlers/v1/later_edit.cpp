#include "gateway/handlers/v1/later_edit.hpp"

#include <algorithm>
#include <string>

#include "core/editing/edit_tag.hpp"
#include "protocol/admin_messages.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

/// Newest changes of a job among which its last edit is searched.
constexpr std::size_t changes_looked_at = 20;

bool edits(const core::audit_row& row, edited_part part) noexcept {
  using enum core::audit_action;
  if (part == edited_part::source)
    return row.action == source;
  return row.action == update || row.action == source || row.action == apply || row.action == add;
}

/// Returns the row of the edit that `job` has now. Nothing if the job was changed later without a row, by a Java admin.
const core::audit_row* last_edit(const std::vector<core::audit_row>& rows, const core::job_record& job, edited_part part) {
  const auto stamp = part == edited_part::source ? job.glue_updated : job.updated;
  const auto of_part = [part](const auto& row) { return edits(row, part); };
  const auto at_stamp = [&](const auto& row) {
    return stamp && core::cut_to_second(row.at) == *stamp && (part == edited_part::job || of_part(row));
  };
  if (std::none_of(rows.begin(), rows.end(), at_stamp))
    return nullptr;
  const auto found = std::find_if(rows.begin(), rows.end(), of_part);
  return found != rows.end() ? &*found : nullptr;
}

} // namespace

void tell_failed_edit(const exchange& ex, const core::error& error, core::job_id job, edited_part part) {
  if (!core::is_edited_meanwhile(error))
    return ex.fail(error);
  const auto without_edit = [error](const exchange& waiting, const core::error&) { waiting.fail(error); };
  ex.ask<protocol::job_found>(
    ex.services().partners.jobs, protocol::job_query{job, ex.who()},
    [error, part, without_edit](const exchange& reading, const protocol::job_found& found) {
      protocol::changes_query query{found.job.id, {}, reading.who()};
      query.window.limit = changes_looked_at;
      reading.ask<protocol::audit_list>(
        reading.services().partners.users, std::move(query),
        [error, part, now = found.job](const exchange& waiting, const protocol::audit_list& list) {
          const auto* edit = last_edit(list.rows, now, part);
          const auto stamp = part == edited_part::source ? now.glue_updated : now.updated;
          waiting.fail_as_edited(error, edit ? edit->user_name : std::string{}, edit ? std::optional{edit->at} : stamp);
        },
        without_edit);
    },
    without_edit);
}

} // namespace ringmaster::gateway::handlers::v1
