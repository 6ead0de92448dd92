#pragma once

#include <string_view>
#include <vector>

#include "core/elastic/elastic_views.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Returns the shares that a plan of the job would have now, from stored rows: all given hosts that are up count as linked, and
/// as knowing the handler. `without`: id of a host to leave out; empty: none. Errors: those of `make_plan`; `not_found` for an
/// unknown `without`.
[[nodiscard]] result<std::vector<elastic_preview_share>> preview_plan(const adopted_job& job, const std::vector<host_row>& hosts,
                                                                      std::string_view without, time_point now);

} // namespace ringmaster::core::elastic
