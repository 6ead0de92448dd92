#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/elastic/stored_rows.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Largest difference between the order of the ids of runs and that of the moments of their grants: a node may repeat a batch.
inline constexpr std::chrono::hours run_disorder{1};

/// Returns a job; unset: there is none. For use inside a body.
[[nodiscard]] std::optional<core::elastic::elastic_job_row> find_elastic_job(admin_session& own,
                                                                             core::elastic::elastic_job_id job);

/// Returns jobs with an id above `after`, ascending, at most `limit`. For use inside a body.
[[nodiscard]] std::vector<core::elastic::elastic_job_row> elastic_jobs_after(admin_session& own,
                                                                             core::elastic::elastic_job_id after,
                                                                             std::size_t limit);

enum class cursor_read : std::uint8_t { all, none };

/// Returns all that a coordinator needs of the job. For use inside a body.
[[nodiscard]] core::elastic::adopted_job state_of(admin_session& own, core::elastic::elastic_job_row job,
                                                  cursor_read cursors = cursor_read::all);

/// Returns items of a job from `from` on, ascending, at most `limit`. For use inside a body.
[[nodiscard]] std::vector<core::elastic::item_row> items_from(admin_session& own, core::elastic::elastic_job_id job,
                                                              core::elastic::item_number from, std::size_t limit);

/// Returns the newest plan; unset: none was stored yet. For use inside a body.
[[nodiscard]] std::optional<core::elastic::plan_row> newest_plan(admin_session& own, core::elastic::elastic_job_id job);

/// Returns the servers that are disabled for the job, sorted. For use inside a body.
[[nodiscard]] std::vector<std::string> disabled_servers_of(admin_session& own, const core::elastic::elastic_job_row& job);

/// Returns the items of a job; all of them without `only`. For use inside a body.
[[nodiscard]] std::vector<core::elastic::item_row> items_of(admin_session& own, core::elastic::elastic_job_id job,
                                                            std::optional<std::span<const core::elastic::item_number>> only);

/// Returns a job that the user may see. For use inside a body. Errors: `not_found`; `forbidden` for another group.
[[nodiscard]] core::result<core::elastic::elastic_job_row> visible_elastic_job(admin_session& own,
                                                                               core::elastic::elastic_job_id job,
                                                                               const core::principal& by);

} // namespace ringmaster::storage
