#include "core/rules/alarm_plan.hpp"

#include <algorithm>

#include "core/rules/job_columns.hpp"
#include "core/rules/source_files.hpp"

namespace ringmaster::core {

namespace {

std::string dedup_text(const alarm_rule& rule) { return rule.dedup ? std::to_string(rule.dedup->count()) + "ms" : std::string{}; }

std::vector<audit_line> changed_fields(const alarm_rule& was, const alarm_rule& is) {
  std::vector<audit_line> out;
  const auto text = [&out](std::string_view name, std::string_view before, std::string_view after) {
    if (before != after)
      out.push_back(difference(name, before, after));
  };
  text("group", was.group, is.group);
  text("job", was.job, is.job);
  text("channels", join_lines(was.channels), join_lines(is.channels));
  text("mail_to", join_lines(was.mail_to), join_lines(is.mail_to));
  text("on", stored_name(was.on), stored_name(is.on));
  text("dedup", dedup_text(was), dedup_text(is));
  text("kinds", item_alarms_text(was.kinds), item_alarms_text(is.kinds));
  text("recovered", was.recovered ? "true" : "false", is.recovered ? "true" : "false");
  return out;
}

bool has_group(const deploy_state& state, const declared_set& declared, const std::string& app_name) {
  const auto named = [&](const auto& group) { return group.app_name == app_name; };
  return std::any_of(state.groups.begin(), state.groups.end(), named) ||
         std::any_of(declared.groups.begin(), declared.groups.end(), named);
}

bool has_job(const deploy_state& state, const declared_set& declared, const alarm_rule& rule) {
  const auto declares = [&](const declared_job& job) { return job.group == rule.group && job.key == rule.job; };
  const auto declares_elastic = [&](const declared_elastic_job& job) {
    return job.group == rule.group && job.what.name == rule.job;
  };
  if (std::any_of(declared.jobs.begin(), declared.jobs.end(), declares) ||
      std::any_of(declared.elastic_jobs.begin(), declared.elastic_jobs.end(), declares_elastic))
    return true;
  const auto group =
    std::find_if(state.groups.begin(), state.groups.end(), [&](const held_group& held) { return held.app_name == rule.group; });
  if (group == state.groups.end())
    return false;
  const auto is_meant = [&](const held_job& job) { return job.group == group->id && job.key == rule.job; };
  const auto is_meant_elastic = [&](const held_elastic_job& job) {
    return job.row.what.group == group->id && job.row.what.name == rule.job;
  };
  return std::any_of(state.jobs.begin(), state.jobs.end(), is_meant) ||
         std::any_of(state.elastic_jobs.begin(), state.elastic_jobs.end(), is_meant_elastic);
}

result<void> check(const deploy_state& state, const declared_set& declared, const declared_alarm& alarm) {
  const auto& rule = alarm.rule;
  if (!rule.group.empty() && !has_group(state, declared, rule.group))
    return fail(errc::invalid_argument, alarm.where + ": alarm '" + rule.key + "': unknown group '" + rule.group + "'");
  if (!rule.job.empty() && !has_job(state, declared, rule))
    return fail(errc::invalid_argument,
                alarm.where + ": alarm '" + rule.key + "': group '" + rule.group + "' has no declared job '" + rule.job + "'");
  return {};
}

} // namespace

result<alarm_plan> plan_alarms(std::span<const held_alarm> held, const deploy_state& state, const declared_set& declared,
                               bool prune) {
  alarm_plan plan;
  for (const auto& alarm : declared.alarms) {
    const auto& rule = alarm.rule;
    if (auto valid = check(state, declared, alarm); !valid)
      return tl::unexpected{valid.error()};
    const auto object = "alarm " + rule.key;
    const auto known = std::find_if(held.begin(), held.end(), [&](const held_alarm& row) { return row.rule.key == rule.key; });
    if (known == held.end()) {
      plan.changes.push_back({change_kind::create, object, {}});
      plan.writes.push_back(rule);
    } else if (known->source != declared.source) {
      return fail(errc::conflict, alarm.where + ": alarm '" + rule.key + "' " + belongs_to_text(known->source));
    } else if (known->rule == rule) {
      plan.changes.push_back({change_kind::unchanged, object, {}});
    } else {
      plan.changes.push_back({change_kind::update, object, changed_fields(known->rule, rule)});
      plan.writes.push_back(rule);
    }
  }
  const auto is_declared = [&](const std::string& key) {
    return std::any_of(declared.alarms.begin(), declared.alarms.end(),
                       [&](const declared_alarm& alarm) { return alarm.rule.key == key; });
  };
  for (const auto& row : held)
    if (prune && row.source == declared.source && !is_declared(row.rule.key)) {
      plan.changes.push_back({change_kind::remove, "alarm " + row.rule.key, {}});
      plan.removals.push_back(row.rule.key);
    }
  return plan;
}

std::vector<audit_row> audit_of(const alarm_plan& plan, const std::string& source, const principal& by, time_point now) {
  std::vector<audit_row> out;
  for (const auto& change : plan.changes)
    if (change.kind != change_kind::unchanged)
      out.push_back(audit_of(change, audit_object::alarm, 0, source, by, now));
  return out;
}

} // namespace ringmaster::core
