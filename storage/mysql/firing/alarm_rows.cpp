#include "storage/mysql/firing/alarm_rows.hpp"

#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

std::vector<core::held_alarm> read_alarm_rules(connection& db) {
  std::vector<core::held_alarm> out;
  auto found =
    db.query("SELECT rule_key, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered, source, kinds FROM rm_alarm");
  while (found.next()) {
    core::held_alarm row;
    row.rule.key = found.text(0);
    row.rule.group = found.text(1);
    row.rule.job = found.text(2);
    row.rule.channels = core::split_lines(found.text(3));
    row.rule.mail_to = core::split_lines(found.text(4));
    row.rule.on = core::find_alarm_attempts(found.text(5)).value_or(core::alarm_attempts::every_attempt);
    if (!found.is_null(6))
      row.rule.dedup = core::milliseconds{found.number(6)};
    row.rule.recovered = found.number(7) != 0;
    row.source = found.text(8);
    row.rule.kinds = core::read_item_alarms(found.text(9));
    out.push_back(std::move(row));
  }
  return out;
}

void write_alarm_rules(connection& db, const core::alarm_plan& plan, const std::string& source) {
  for (const auto& rule : plan.writes) {
    std::optional<std::int64_t> dedup_ms;
    if (rule.dedup)
      dedup_ms = rule.dedup->count();
    db.execute(
      "REPLACE INTO rm_alarm (rule_key, source, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered,"
      " kinds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      rule.key, source, rule.group, rule.job, core::join_lines(rule.channels), core::join_lines(rule.mail_to),
      stored_name(rule.on), dedup_ms, rule.recovered, core::item_alarms_text(rule.kinds));
  }
  for (const auto& key : plan.removals)
    db.execute("DELETE FROM rm_alarm WHERE rule_key = ?", key);
}

alarm_book read_alarm_book(session& own, std::span<const core::job_id> jobs) {
  alarm_book out;
  const auto wanted = sorted(jobs);
  if (wanted.empty())
    return out;
  std::vector<core::alarm_rule> rules;
  for (auto& held : read_alarm_rules(own.db))
    rules.push_back(std::move(held.rule));
  for (const auto part : padded_chunks(wanted.size())) {
    auto& some = own.db.prepare("SELECT i.id, i.$job_name, i.alarm_email, g.$group_title, g.app_name, e.job_key, g.address_type,"
                                " g.address_list, e.alarm_on FROM xxl_job_info i"
                                " LEFT JOIN xxl_job_group g ON g.id = i.job_group LEFT JOIN rm_job_ext e ON e.job = i.id"
                                " WHERE i.id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(wanted[part.at(i)]);
    for (auto found = some.select(); found.next();) {
      core::alarmed_job about{found.string(1), found.string(3), found.string(2)};
      about.app_name = found.string(4);
      about.key = found.string(5);
      about.manual_addresses = found.number(6) == 1;
      about.addresses = found.optional_string(7);
      about.requested = core::find_alarm_conditions(found.text(8));
      if (const auto* rule = core::rule_for(rules, found.text(4), found.text(5)))
        about.rule = *rule;
      out.add(found.id<core::job_id>(0), std::move(about));
    }
  }
  return out;
}

void insert_alarms(session& own, std::span<const new_alarm> alarms, core::time_point now) {
  for (const auto part : exact_chunks(alarms.size())) {
    auto& some = own.db.prepare("INSERT IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left,"
                                " state, created_ms) VALUES {('alarm',?,0,?,?,0,0,2,?),}", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& alarm = alarms[part.at(i)];
      some.add(alarm.job).add(alarm.run).add(alarm.kind == core::alarm_kind::recovery).add(now);
    }
    some.run();
  }
}

} // namespace ringmaster::storage::mysql
