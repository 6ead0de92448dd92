#include "core/rules/job_edit_rules.hpp"

#include <algorithm>
#include <utility>

#include "core/columns.hpp"
#include "core/job/address_list.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/job_columns.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr const char* type_disables_start = "The current schedule type disables startup";
constexpr const char* schedule_illegal = "Schedule Typeillegal";

/// Returns the address without a slash at its end: both forms call the same program.
std::string_view called(std::string_view address) noexcept {
  address = trimmed(address);
  if (address.ends_with('/'))
    address.remove_suffix(1);
  return address;
}

error declared_by(const std::string& object, std::string_view source) {
  return {errc::conflict, object + " is declared by the source " + std::string{source} +
                            " and would come back with its next apply; take it out of the file and apply with --prune"};
}

} // namespace

result<started_schedule> next_of_start(const scheduled_job& job, bool runs, time_point now, const zone& where) {
  // An unknown type counts as none, as in XXL.
  const auto type = job.spec->schedule;
  if (type == schedule_type::none || type == schedule_type::unknown)
    return refuse(errc::invalid_argument, refusal::type_disables_start, type_disables_start);
  auto rule = schedule_rules{where}.of(*job.spec);
  if (!rule)
    return refuse(errc::invalid_argument, refusal::schedule_type_illegal,
                  std::string{schedule_illegal} + ": " + rule.error().context);
  if (runs && job.next && !lies_implausibly_ahead(job.last, now))
    return started_schedule{*job.next, false};
  const auto next = (*rule)->next(search_from(now, job.last), job.spec->id);
  if (!next)
    return refuse(errc::invalid_argument, refusal::schedule_type_illegal,
                  std::string{schedule_illegal} + ": it never fires (again)");
  return started_schedule{*next, true};
}

result<intent> intent_of(const manual_trigger& request) {
  if (request.param && request.param->size() > text_bytes)
    return fail(errc::invalid_argument, "the parameter is longer than " + std::to_string(text_bytes) + " bytes");
  if (request.param && valid_utf8(*request.param) != *request.param)
    return fail(errc::invalid_argument, "the parameter is not valid UTF-8");
  auto addresses = parse_addresses(request.addresses);
  if (!addresses)
    return tl::unexpected{addresses.error()};
  intent intent;
  intent.kind = request.kind;
  intent.job = request.job;
  intent.origin = log_id{request.token < 0 ? request.token : -request.token};
  intent.param = request.param;
  intent.addresses = std::move(*addresses);
  return intent;
}

result<void> check_addresses(const principal& by, const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
  if (by.admin)
    return {};
  for (const auto& address : wanted)
    if (std::none_of(known.begin(), known.end(), [&](const auto& each) { return called(each) == called(address); }))
      return fail(errc::forbidden, address + " is not an address of the job's group; only an administrator may use another one");
  return {};
}

error no_such_job(job_id job) {
  return {errc::not_found, "job " + std::to_string(number(job)) + " does not exist", refusal::job_id_illegal};
}

error no_such_job(const job_name& name) {
  if (name.id)
    return no_such_job(*name.id);
  return {errc::not_found, "unknown job " + name.group + '/' + name.key};
}

error no_such_intent(intent_id intent) {
  return {errc::not_found, "intent " + std::to_string(number(intent)) +
                             " does not exist: its job was removed before it ran, or it has ended and was deleted"};
}

void request_trace::take_request(bool waiting, group_id group) noexcept {
  is_known_ = true;
  runs_.waiting = waiting;
  group_ = group;
}

void request_trace::take_run(log_id run, group_id group) {
  is_known_ = true;
  runs_.runs.push_back(run);
  if (number(group_) == 0)
    group_ = group;
}

result<asked_runs> request_trace::told_to(const principal& by, intent_id intent) && {
  if (!is_known_)
    return tl::unexpected{no_such_intent(intent)};
  if (auto may = check_right(by, group_right::viewer, group_); !may)
    return tl::unexpected{may.error()};
  return std::move(runs_);
}

error is_declared(job_id job, std::string_view source) { return declared_by("job " + std::to_string(number(job)), source); }

error is_declared(elastic::elastic_job_id job, std::string_view source) {
  return declared_by("elastic job " + std::to_string(number(job)), source);
}

audit_row audit_of_job(const principal& by, audit_action action, const stored_job& job, time_point now,
                       const std::vector<audit_line>& changes) {
  return audit_of(by, action, audit_object::job, number(job.id), job.name, changes, now);
}

std::vector<audit_line> changes_of(const manual_trigger& request, std::string_view own_param) {
  std::vector<audit_line> out;
  if (request.param && *request.param != own_param)
    out.push_back(difference("param", own_param, *request.param));
  if (!request.addresses.empty())
    out.push_back(difference("addresses", "", join_addresses(request.addresses).value_or("")));
  return out;
}

result<void> check_same_request(const intent& request, const std::optional<std::string>& stored_param,
                                std::string_view stored_addresses) {
  if (request.param == stored_param && request.addresses == split_addresses(stored_addresses))
    return {};
  return fail(errc::conflict, "job " + std::to_string(number(request.job)) +
                                " was already triggered with this key and another parameter or other addresses");
}

bool is_asked_for(const planned_run& run) noexcept {
  using enum trigger_kind;
  return run.intent && (run.kind == manual || run.kind == api || !run.addresses.empty());
}

} // namespace ringmaster::core
