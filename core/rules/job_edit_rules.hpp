#pragma once

// Rules about manual edits and runs of jobs, for both backends.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/manual_edits.hpp"
#include "core/elastic/elastic_ids.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// The schedule after a start.
struct started_schedule {
  time_point next{};
  /// False: the job already runs, and its schedule stays unchanged.
  bool planned = true;
};

/// Decides the next time of a job that is started now. A job that already runs by its schedule (`runs`) keeps it, so that due
/// instants are still claimed; it is planned again only when its last instant lies implausibly far in the future. Errors:
/// `invalid_argument` that begins with XXL's text (XXL admin §3.6), with its refusal.
[[nodiscard]] result<started_schedule> next_of_start(const scheduled_job& job, bool runs, time_point now, const zone& where);

/// Returns the intent of a request. Errors: `invalid_argument` when a value does not fit its column.
[[nodiscard]] result<intent> intent_of(const manual_trigger& request);

/// Checks the addresses of a run. The called program can read the token in the request, so only an administrator may send a run
/// to an address outside the job's group. `known`: the group's list and its registrations. Errors: `forbidden`.
[[nodiscard]] result<void> check_addresses(const principal& by, const std::vector<std::string>& wanted,
                                           const std::vector<std::string>& known);

/// Returns `job 7 does not exist`.
[[nodiscard]] error no_such_job(job_id job);
[[nodiscard]] error no_such_job(const job_name& name);

/// Returns `not_found`.
[[nodiscard]] error no_such_intent(intent_id intent);

/// The remaining data of a manual run: the row of its intent, and its runs.
class request_trace {
public:
  /// `group`: the job's present group; 0: the job is gone.
  void take_request(bool waiting, group_id group) noexcept;
  void take_run(log_id run, group_id group);
  /// Errors: `not_found`, `forbidden`.
  [[nodiscard]] result<asked_runs> told_to(const principal& by, intent_id intent) &&;

private:
  asked_runs runs_;
  bool is_known_ = false;
  group_id group_{};
};

/// Return the error for a declared job, which would come back with the next apply.
[[nodiscard]] error is_declared(job_id job, std::string_view source);
[[nodiscard]] error is_declared(elastic::elastic_job_id job, std::string_view source);

/// The columns that an edit needs of a row before it changes it.
struct stored_job {
  job_id id{};
  group_id group{};
  std::string name;
  std::string param = {};
  std::int32_t retry_count = 0;
  /// `trigger_status`.
  bool running = false;
};

[[nodiscard]] audit_row audit_of_job(const principal& by, audit_action action, const stored_job& job, time_point now,
                                     const std::vector<audit_line>& changes = {});

/// Returns the differences between a manual run and a scheduled one.
[[nodiscard]] std::vector<audit_line> changes_of(const manual_trigger& request, std::string_view own_param);

/// Checks that a request with a known token equals the stored one: the same parameter, the same addresses. Errors: `conflict`.
[[nodiscard]] result<void> check_same_request(const intent& request, const std::optional<std::string>& stored_param,
                                              std::string_view stored_addresses);

/// Returns whether the claim of this run stores its intent and the requested addresses.
[[nodiscard]] bool is_asked_for(const planned_run& run) noexcept;

} // namespace ringmaster::core
