#pragma once

// Runs of the API, formatted for the terminal.

#include <cstdint>
#include <map>
#include <string>

#include "apps/client/api_client.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Names of jobs by id: `pay-worker/settle`.
using job_titles = std::map<std::int64_t, std::string>;

/// Returns the names of the jobs of these runs. Removed jobs and jobs hidden from the user have none.
[[nodiscard]] core::result<job_titles> titles_of_jobs(api_client& client, const api_document& runs);

/// Returns the name of the run's job, or `job 7`.
[[nodiscard]] std::string job_title_of(const api_document& run, const job_titles& jobs);

/// Returns the `status` of the API, with the terms of docs/execution_states.md.
[[nodiscard]] std::string run_state_text(const api_document& run);

/// Returns why a run failed; may have several lines. Empty for a run that did not fail.
[[nodiscard]] std::string run_reason(const api_document& run);

/// Returns `<1s`, `12s`, `3m 05s`, `2h 10m`; `-` for a run without a result. XXL-JOB's tables have whole
/// seconds.
[[nodiscard]] std::string run_duration(const api_document& run);

[[nodiscard]] std::string runs_table(const api_document& runs, const job_titles& jobs, const core::zone& where);
[[nodiscard]] std::string describe_run(const api_document& run, const job_titles& jobs, const core::zone& where);

} // namespace ringmaster::apps
