#pragma once

// Rules about manual edits and runs of jobs, for both backends.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"
#include "storage/job_store.hpp"

namespace ringmaster::storage {

/// The schedule after a start.
struct started_schedule {
  core::time_point next{};
  /// False: the job already runs, and its schedule stays unchanged.
  bool planned = true;
};

/// Decides the next time of a job that is started now. A job that already runs by its schedule (`runs`) keeps it, so that due
/// instants are still claimed; it is planned again only when its last instant lies implausibly far in the future. Errors:
/// `invalid_argument` that begins with XXL's text (XXL admin §3.6), with its refusal.
[[nodiscard]] core::result<started_schedule> next_of_start(const core::scheduled_job& job, bool runs, core::time_point now,
                                                           const core::zone& where);

/// Returns the intent of a request. Errors: `invalid_argument` when a value does not fit its column.
[[nodiscard]] core::result<core::intent> intent_of(const core::manual_trigger& request);

/// Checks the addresses of a run. The called program can read the token in the request, so only an administrator may send a run
/// to an address outside the job's group. `known`: the group's list and its registrations. Errors: `forbidden`.
[[nodiscard]] core::result<void> check_addresses(const core::principal& by, const std::vector<std::string>& wanted,
                                                 const std::vector<std::string>& known);

/// Returns `job 7 does not exist`.
[[nodiscard]] core::error no_such_job(core::job_id job);
[[nodiscard]] core::error no_such_job(const core::job_name& name);

/// Returns `not_found`.
[[nodiscard]] core::error no_such_intent(core::intent_id intent);

/// The remaining data of a manual run: the row of its intent, and its runs.
class request_trace {
public:
  /// `group`: the job's present group; 0: the job is gone.
  void take_request(bool waiting, core::group_id group) noexcept;
  void take_run(core::log_id run, core::group_id group);
  /// Errors: `not_found`, `forbidden`.
  [[nodiscard]] core::result<asked_runs> told_to(const core::principal& by, core::intent_id intent) &&;

private:
  asked_runs runs_;
  bool is_known_ = false;
  core::group_id group_{};
};

/// Returns the error for a declared job, which would come back with the next apply.
[[nodiscard]] core::error is_declared(core::job_id job, std::string_view source);

/// The columns that an edit needs of a row before it changes it.
struct stored_job {
  core::job_id id{};
  core::group_id group{};
  std::string name;
  std::string param = {};
  std::int32_t retry_count = 0;
  /// `trigger_status`.
  bool running = false;
};

[[nodiscard]] core::audit_row audit_of_job(const core::principal& by, core::audit_action action, const stored_job& job,
                                           core::time_point now, const std::vector<std::string>& changes = {});

/// Returns the differences between a manual run and a scheduled one.
[[nodiscard]] std::vector<std::string> changes_of(const core::manual_trigger& request, std::string_view own_param);

/// Checks that a request with a known token equals the stored one: the same parameter, the same addresses. Errors: `conflict`.
[[nodiscard]] core::result<void> check_same_request(const core::intent& request, const std::optional<std::string>& stored_param,
                                                 std::string_view stored_addresses);

/// Returns whether the claim of this run stores its intent and the requested addresses.
[[nodiscard]] bool is_asked_for(const core::planned_run& run) noexcept;

/// Adds the ids of the runs of `jobs` in one claim row; adds none for invalid bytes.
void add_runs_of(const std::unordered_set<std::int32_t>& jobs, core::log_id first, std::string_view items,
                 std::vector<core::log_id>& found);

} // namespace ringmaster::storage
