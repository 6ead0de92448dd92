#include "actors/firing/run_counter.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace ringmaster::actors {

namespace {

/// Names in the order of `core::run_end`.
constexpr std::array run_end_names{"succeeded", "failed", "not_sent", "missed"};
const std::string other_groups{"other"};

/// Escapes the characters that the text format of metrics requires to be escaped in label values. A name may have any characters,
/// and CAF writes it unchanged.
std::string label_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\\' || c == '"')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

bool is_failure(std::string_view result) noexcept { return result == run_end_names[1] || result == run_end_names[2]; }

} // namespace

metric_family<caf::telemetry::int_counter>* run_end_counters(caf::actor_system& system) {
  return system.metrics().counter_family("ringmaster", "runs-ended", {"group", "result"},
                                         "Runs that ended, and gaps of instants that the misfire policy dropped.", "1", true);
}

std::int64_t failed_runs_in(const metric_family<caf::telemetry::int_counter>& ends) {
  std::int64_t failed = 0;
  auto add_failures = [&failed](const auto*, const caf::telemetry::metric* of, const caf::telemetry::int_counter* count) {
    for (const auto& label : of->labels())
      if (const auto value = label.value(); label.name() == "result" && is_failure({value.data(), value.size()}))
        failed += count->value();
  };
  ends.collect(add_failures);
  return failed;
}

run_counter_state::run_counter_state(protocol::run_counter::pointer self, protocol::wall_clock clock)
  : self_{self}, clock_{std::move(clock)} {
  auto& registry = self->system().metrics();
  ended_ = run_end_counters(self->system());
  missed_ = registry.counter_family("ringmaster", "instants-missed", {"group"},
                                    "Instants that the misfire policy dropped.", "1", true);
  succeeded_ = registry.gauge_family<double>("ringmaster", "job-last-success-timestamp", {"group", "job"},
                                             "When a run of the job last succeeded, as this node recorded it.", "seconds");
  counters_of(other_groups);
}

protocol::run_counter::behavior_type run_counter_state::make_behavior() {
  return {
    [this](const protocol::registry_change& change) { learn(*change.view); },
    [this](const protocol::runs_ended& told) { count(told); },
  };
}

void run_counter_state::learn(const protocol::registry_view& view) {
  names_.clear();
  for (const auto& [id, group] : view.groups) {
    const auto& name = names_.insert_or_assign(id, label_of(group.app_name)).first->second;
    counters_of(name);
  }
}

const std::string& run_counter_state::name_of(core::group_id group) const {
  const auto found = names_.find(core::number(group));
  return found == names_.end() ? other_groups : found->second;
}

run_counter_state::counters& run_counter_state::counters_of(const std::string& group) {
  const bool is_known = by_group_.contains(group);
  const auto& name = is_known || by_group_.size() < groups_max ? group : other_groups;
  auto [at, fresh] = by_group_.try_emplace(name);
  if (fresh) {
    for (std::size_t end = 0; end < ends; ++end)
      at->second[end] = ended_->get_or_add({{"group", name}, {"result", run_end_names[end]}});
    missed_by_group_[name] = missed_->get_or_add({{"group", name}});
  }
  return at->second;
}

void run_counter_state::count(const protocol::runs_ended& told) {
  for (const auto& run : told.items) {
    counters_of(name_of(run.group))[static_cast<std::size_t>(run.how)]->inc();
    if (run.how == core::run_end::succeeded)
      note_success(run);
  }
  for (const auto& row : told.missed)
    count_missed(row);
}

void run_counter_state::count_missed(const core::missed_row& row) {
  const auto& group = name_of(row.group);
  counters_of(group)[static_cast<std::size_t>(core::run_end::missed)]->inc();
  const auto known = missed_by_group_.find(group);
  add(known == missed_by_group_.end() ? missed_by_group_.at(other_groups) : known->second, row.what.count);
}

void run_counter_state::note_success(const core::ended_run& run) {
  const auto job = core::number(run.job);
  auto known = by_job_.find(job);
  if (known == by_job_.end()) {
    if (by_job_.size() >= jobs_max)
      return;
    const auto text = std::to_string(job);
    known = by_job_.emplace(job, succeeded_->get_or_add({{"group", name_of(run.group)}, {"job", text}})).first;
  }
  known->second->value(static_cast<double>(core::to_ms(clock_.at(self_->clock().now()))) / 1000.0);
}

} // namespace ringmaster::actors
