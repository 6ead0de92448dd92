#pragma once

#include <optional>

#include "core/elastic/stored_rows.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Returns a job; unset: there is none. For use inside a body.
[[nodiscard]] std::optional<core::elastic::elastic_job_row> find_elastic_job(admin_session& own,
                                                                             core::elastic::elastic_job_id job);

/// Returns all that a coordinator needs of the job. For use inside a body.
[[nodiscard]] core::elastic::adopted_job state_of(admin_session& own, core::elastic::elastic_job_row job);

/// Returns the items of a job; all of them without `only`. For use inside a body.
[[nodiscard]] std::vector<core::elastic::item_row> items_of(admin_session& own, core::elastic::elastic_job_id job,
                                                            std::optional<std::span<const core::elastic::item_number>> only);

} // namespace ringmaster::storage
