#pragma once

// What both backends decide alike about edits by hand.

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

/// What a start makes of a schedule.
struct started_schedule {
  core::time_point next{};
  /// False: the job runs already, and its schedule stays as it is.
  bool planned = true;
};

/// Decides the next time of a job that is started now. A job that runs by its schedule (`runs`) keeps it, so that instants which
/// are due are still claimed; only when its last instant lies implausibly ahead is it planned again. Errors: `invalid_argument`
/// that begins with XXL's text (XXL admin §3.6), with its refusal.
[[nodiscard]] core::result<started_schedule> next_of_start(const core::scheduled_job& job, bool runs, core::time_point now,
                                                           const core::zone& where);

/// The intent that a request becomes. Errors: `invalid_argument` when no column holds it.
[[nodiscard]] core::result<core::intent> intent_of(const core::manual_trigger& request);

/// Whoever is called reads the token that stands in the request, so only an administrator sends a run to an address that is not
/// one of the job's group. `known`: its list and what is registered for it. Errors: `forbidden`.
[[nodiscard]] core::result<void> check_addresses(const core::principal& by, const std::vector<std::string>& wanted,
                                                 const std::vector<std::string>& known);

/// `job 7 does not exist`.
[[nodiscard]] core::error no_such_job(core::job_id job);
[[nodiscard]] core::error no_such_job(const core::job_name& name);

/// `not_found`.
[[nodiscard]] core::error no_such_intent(core::intent_id intent);

/// What is left of a run by hand: the row of its intent, and its runs.
class request_trace {
public:
  /// `group` of the job as it is now; 0: the job is gone.
  void take_request(bool waiting, core::group_id group) noexcept;
  void take_run(core::log_id run, core::group_id group);
  /// Errors: `not_found`, `forbidden`.
  [[nodiscard]] core::result<asked_runs> told_to(const core::principal& by, core::intent_id intent) &&;

private:
  asked_runs runs_;
  bool is_known_ = false;
  core::group_id group_{};
};

/// A declared job comes back with the next apply.
[[nodiscard]] core::error is_declared(core::job_id job, std::string_view source);

/// What an edit asks of a row before it changes it.
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

/// Where a run by hand differs from a usual one.
[[nodiscard]] std::vector<std::string> changes_of(const core::manual_trigger& request, std::string_view own_param);

/// Whether a request with a known token is the one that is stored: the same parameter, the same addresses. Errors: `conflict`.
[[nodiscard]] core::result<void> check_same_request(const core::intent& request, const std::optional<std::string>& stored_param,
                                                 std::string_view stored_addresses);

/// Whether the claim of this run notes which intent it comes of and the addresses that were asked for.
[[nodiscard]] bool is_asked_for(const core::planned_run& run) noexcept;

/// Ids of the runs of `jobs` in one claim row; bytes that are no claim hold none.
void add_runs_of(const std::unordered_set<std::int32_t>& jobs, core::log_id first, std::string_view items,
                 std::vector<core::log_id>& found);

} // namespace ringmaster::storage
