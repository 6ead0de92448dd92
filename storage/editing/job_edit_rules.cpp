#include "storage/editing/job_edit_rules.hpp"

#include <algorithm>
#include <utility>

#include "core/columns.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"
#include "storage/editing/audit_rules.hpp"
#include "storage/editing/job_columns.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/rows/registry_text.hpp"

namespace ringmaster::storage {

namespace {

constexpr const char* type_disables_start = "The current schedule type disables startup";
constexpr const char* schedule_illegal = "Schedule Typeillegal";

/// Returns the address without a slash at its end: both forms call the same program.
std::string_view called(std::string_view address) noexcept {
  address = core::trimmed(address);
  if (address.ends_with('/'))
    address.remove_suffix(1);
  return address;
}

} // namespace

core::result<started_schedule> next_of_start(const core::scheduled_job& job, bool runs, core::time_point now,
                                             const core::zone& where) {
  // An unknown type counts as none, as in XXL.
  const auto type = job.spec->schedule;
  if (type == core::schedule_type::none || type == core::schedule_type::unknown)
    return core::refuse(core::errc::invalid_argument, core::refusal::type_disables_start, type_disables_start);
  auto rule = core::schedule_rules{where}.of(*job.spec);
  if (!rule)
    return core::refuse(core::errc::invalid_argument, core::refusal::schedule_type_illegal,
                        std::string{schedule_illegal} + ": " + rule.error().context);
  if (runs && job.next && !core::lies_implausibly_ahead(job.last, now))
    return started_schedule{*job.next, false};
  const auto next = (*rule)->next(core::search_from(now, job.last), job.spec->id);
  if (!next)
    return core::refuse(core::errc::invalid_argument, core::refusal::schedule_type_illegal,
                        std::string{schedule_illegal} + ": it never fires (again)");
  return started_schedule{*next, true};
}

core::result<core::intent> intent_of(const core::manual_trigger& request) {
  if (request.param && request.param->size() > core::text_bytes)
    return core::fail(core::errc::invalid_argument,
                      "the parameter is longer than " + std::to_string(core::text_bytes) + " bytes");
  if (request.param && core::valid_utf8(*request.param) != *request.param)
    return core::fail(core::errc::invalid_argument, "the parameter is not valid UTF-8");
  auto addresses = core::parse_addresses(request.addresses);
  if (!addresses)
    return tl::unexpected{addresses.error()};
  core::intent intent;
  intent.kind = request.kind;
  intent.job = request.job;
  intent.origin = core::log_id{request.token < 0 ? request.token : -request.token};
  intent.param = request.param;
  intent.addresses = std::move(*addresses);
  return intent;
}

core::result<void> check_addresses(const core::principal& by, const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& known) {
  if (by.admin)
    return {};
  for (const auto& address : wanted)
    if (std::none_of(known.begin(), known.end(), [&](const auto& each) { return called(each) == called(address); }))
      return core::fail(core::errc::forbidden,
                        address + " is not an address of the job's group; only an administrator may use another one");
  return {};
}

core::error no_such_job(core::job_id job) {
  return {core::errc::not_found, "job " + std::to_string(core::number(job)) + " does not exist", core::refusal::job_id_illegal};
}

core::error no_such_job(const core::job_name& name) {
  if (name.id)
    return no_such_job(*name.id);
  return {core::errc::not_found, "unknown job " + name.group + '/' + name.key};
}

core::error no_such_intent(core::intent_id intent) {
  return {core::errc::not_found, "intent " + std::to_string(core::number(intent)) +
                                   " does not exist: its job was removed before it ran, or it has ended and was deleted"};
}

void request_trace::take_request(bool waiting, core::group_id group) noexcept {
  is_known_ = true;
  runs_.waiting = waiting;
  group_ = group;
}

void request_trace::take_run(core::log_id run, core::group_id group) {
  is_known_ = true;
  runs_.runs.push_back(run);
  if (core::number(group_) == 0)
    group_ = group;
}

core::result<asked_runs> request_trace::told_to(const core::principal& by, core::intent_id intent) && {
  if (!is_known_)
    return tl::unexpected{no_such_intent(intent)};
  if (auto may = core::check_right(by, core::group_right::viewer, group_); !may)
    return tl::unexpected{may.error()};
  return std::move(runs_);
}

core::error is_declared(core::job_id job, std::string_view source) {
  return {core::errc::conflict, "job " + std::to_string(core::number(job)) + " is declared by the source " + std::string{source} +
                                  " and would come back with its next apply; take it out of the file and apply with --prune"};
}

core::audit_row audit_of_job(const core::principal& by, core::audit_action action, const stored_job& job, core::time_point now,
                             const std::vector<std::string>& changes) {
  return audit_of(by, action, core::audit_object::job, core::number(job.id), job.name, changes, now);
}

std::vector<std::string> changes_of(const core::manual_trigger& request, std::string_view own_param) {
  std::vector<std::string> out;
  if (request.param && *request.param != own_param)
    out.push_back(difference("param", own_param, *request.param));
  if (!request.addresses.empty())
    out.push_back(difference("addresses", "", join_addresses(request.addresses).value_or("")));
  return out;
}

core::result<void> check_same_request(const core::intent& request, const std::optional<std::string>& stored_param,
                                   std::string_view stored_addresses) {
  if (request.param == stored_param && request.addresses == split_addresses(stored_addresses))
    return {};
  return core::fail(core::errc::conflict, "job " + std::to_string(core::number(request.job)) +
                                            " was already triggered with this key and another parameter or other addresses");
}

bool is_asked_for(const core::planned_run& run) noexcept {
  using enum core::trigger_kind;
  return run.intent && (run.kind == manual || run.kind == api || !run.addresses.empty());
}

void add_runs_of(const std::unordered_set<std::int32_t>& jobs, core::log_id first, std::string_view items,
                 std::vector<core::log_id>& found) {
  if (const auto unpacked = unpack(first, items))
    for (const auto& item : *unpacked)
      if (jobs.contains(core::number(item.job)))
        found.push_back(item.id);
}

} // namespace ringmaster::storage
