#pragma once

// Runs of the API as commands print them for people.

#include <cstdint>
#include <map>
#include <string>

#include "apps/client/api_client.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Names of jobs by id: `pay-worker/settle`.
using job_titles = std::map<std::int64_t, std::string>;

/// Returns the names of the jobs of these runs. A job that is gone, or that the user may not see, has none.
[[nodiscard]] core::result<job_titles> titles_of_jobs(api_client& client, const api_document& runs);

/// The name of the run's job, or `job 7`.
[[nodiscard]] std::string job_title_of(const api_document& run, const job_titles& jobs);

/// The `status` of the API: the words of docs/execution_states.md.
[[nodiscard]] std::string run_state_text(const api_document& run);

/// Why a run failed, in words; may have several lines. Empty for a run that did not fail.
[[nodiscard]] std::string run_reason(const api_document& run);

/// `<1s`, `12s`, `3m 05s`, `2h 10m`; `-` for a run without a result.
[[nodiscard]] std::string run_duration(const api_document& run);

[[nodiscard]] std::string runs_table(const api_document& runs, const job_titles& jobs, const core::zone& where);
[[nodiscard]] std::string describe_run(const api_document& run, const job_titles& jobs, const core::zone& where);

} // namespace ringmaster::apps
