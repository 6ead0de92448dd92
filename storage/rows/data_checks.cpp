#include "storage/rows/data_checks.hpp"

#include <algorithm>
#include <vector>

#include "core/editing/manual_edits.hpp"
#include "core/job/group.hpp"
#include "core/job/job.hpp"
#include "core/text/native_address.hpp"
#include "core/text/text.hpp"

namespace ringmaster::storage {

namespace {

constexpr std::size_t findings_named_max = 20;
constexpr std::size_t finding_chars = 60;

std::string shown_finding(std::string_view text) {
  const auto valid = core::valid_utf8(text);
  return '"' + std::string{core::cut_characters(valid, finding_chars)} + (core::fits(valid, finding_chars) ? "\"" : "...\"");
}

std::string shown_finding(const std::optional<std::string>& text) {
  return text ? shown_finding(std::string_view{*text}) : "NULL";
}

/// Returns the first item that is not an id; empty when all are.
std::string no_child(std::string_view list) {
  while (!list.empty()) {
    const auto item = list.substr(0, list.find(','));
    const auto number = core::parse_int32(item);
    if (!number || *number <= 0)
      return shown_finding(item);
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return "";
}

} // namespace

void data_check_report::say(const std::string& row, const std::string& what) {
  if (++count_ <= findings_named_max)
    text_ += (text_.empty() ? "" : "; ") + row + ": " + what;
}

void data_check_report::add(const group_values& group) {
  groups_.insert(group.id);
  const auto row = "group " + std::to_string(group.id);
  if (core::is_blank(group.app_name))
    say(row, "app_name is blank: no executor can register for it");
  if (group.address_type == 0)
    return;
  if (group.address_type != 1)
    say(row, "address_type " + std::to_string(group.address_type) + " counts as 1");
  if (core::is_blank(group.addresses.value_or("")))
    say(row, "no address is configured: runs of its jobs fail");
  else if (const auto known = core::parse_addresses({*group.addresses}); !known)
    say(row, known.error().context);
}

void data_check_report::add(const job_values& job) {
  const auto row = "job " + std::to_string(job.id);
  const auto fails = [&](const std::string& what) {
    hurts_ = hurts_ || job.switched_on;
    say(row, what + ": its runs fail");
  };
  if (!groups_.contains(job.group))
    fails("unknown group " + std::to_string(job.group));
  if (!job.route || !core::find_route_strategy(*job.route))
    fails("executor_route_strategy " + shown_finding(job.route));
  if (!job.glue_type || core::is_blank(*job.glue_type))
    fails("glue_type " + shown_finding(job.glue_type));
  else if (*job.glue_type == "BEAN" && core::is_blank(job.handler.value_or("")))
    fails("executor_handler " + shown_finding(job.handler));
  if (!job.block || !core::find_block_strategy(*job.block))
    say(row, "executor_block_strategy " + shown_finding(job.block) + " counts as SERIAL_EXECUTION");
  if (!job.misfire || !core::find_misfire_policy(*job.misfire))
    say(row, "misfire_strategy " + shown_finding(job.misfire) + " counts as DO_NOTHING");
  if (job.timeout_s < 0)
    say(row, "executor_timeout " + std::to_string(job.timeout_s) + " counts as none");
  if (const auto odd = no_child(job.children.value_or("")); !odd.empty())
    say(row, "child_jobid has " + odd + ", which is not an id and is ignored");
}

void data_check_report::add_registration(std::string_view registry_group, std::string_view app_name, std::string_view address) {
  const auto row = "registration " + shown_finding(address);
  if (const auto misfit = core::misfit_of(registry_group, app_name, address); !misfit.empty())
    say(row, misfit);
  else if (!core::parse_addresses({std::string{address}}) && !core::is_native_address(address, app_name))
    say(row, "invalid address: it is never called");
}

void data_check_report::add_timeless(std::int64_t runs) {
  if (runs > 0)
    say("log", std::to_string(runs) + " of the newest runs have no trigger_time: they are never removed");
}

database_finding data_check_report::finding() const {
  if (count_ == 0)
    return {database_finding::level::fine, "rows", "no problems in jobs, groups, registrations and the newest runs"};
  auto text = std::to_string(count_) + (count_ == 1 ? " finding: " : " findings: ") + text_;
  if (count_ > findings_named_max)
    text += "; and " + std::to_string(count_ - findings_named_max) + " more";
  return {hurts_ ? database_finding::level::failure : database_finding::level::warning, "rows", std::move(text),
          "correct these rows"};
}

} // namespace ringmaster::storage
