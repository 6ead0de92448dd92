#include "storage/sqlite/firing/alarm_rows.hpp"

#include <algorithm>

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_rules[] =
  "SELECT rule_key, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered, source, kinds FROM rm_alarm";
constexpr char replace_rule[] =
  "INSERT OR REPLACE INTO rm_alarm (rule_key, source, app_name, job_key, channels, mail_to, attempts, dedup_ms, recovered, "
  "kinds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
constexpr char delete_rule[] = "DELETE FROM rm_alarm WHERE rule_key = ?1";
constexpr char read_alarmed_job[] =
  "SELECT i.job_desc, i.alarm_email, g.title, g.app_name, x.job_key, g.address_type, g.address_list, x.alarm_on "
  "FROM xxl_job_info i "
  "LEFT JOIN xxl_job_group g ON g.id = i.job_group LEFT JOIN rm_job_ext x ON x.job = i.id "
  "WHERE i.id = ?1";
constexpr char insert_alarm_intent[] =
  "INSERT OR IGNORE INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, "
  "retry_left, state, created_ms) VALUES ('alarm', ?1, 0, ?2, ?3, 0, 0, 2, ?4)";

} // namespace

std::vector<core::held_alarm> read_alarm_rules(connection& db) {
  std::vector<core::held_alarm> out;
  auto listing = db.prepare(list_rules);
  listing.with();
  while (listing.step()) {
    core::held_alarm row;
    row.rule.key = listing.text(0);
    row.rule.group = listing.text(1);
    row.rule.job = listing.text(2);
    row.rule.channels = core::split_lines(listing.text(3));
    row.rule.mail_to = core::split_lines(listing.text(4));
    row.rule.on = core::find_alarm_attempts(listing.text(5)).value_or(core::alarm_attempts::every_attempt);
    if (!listing.is_null(6))
      row.rule.dedup = core::milliseconds{listing.number(6)};
    row.rule.recovered = listing.number(7) != 0;
    row.source = listing.text(8);
    row.rule.kinds = core::read_item_alarms(listing.text(9));
    out.push_back(std::move(row));
  }
  return out;
}

void write_alarm_rules(connection& db, const core::alarm_plan& plan, const std::string& source) {
  for (const auto& rule : plan.writes) {
    std::optional<std::int64_t> dedup_ms;
    if (rule.dedup)
      dedup_ms = rule.dedup->count();
    const auto channels = core::join_lines(rule.channels), mail_to = core::join_lines(rule.mail_to);
    const auto kinds = core::item_alarms_text(rule.kinds);
    db.run(replace_rule, rule.key, source, rule.group, rule.job, channels, mail_to, stored_name(rule.on), dedup_ms,
           rule.recovered, kinds);
  }
  for (const auto& key : plan.removals)
    db.run(delete_rule, key);
}

void insert_alarm(connection& db, core::job_id job, core::log_id run, core::alarm_kind kind, core::time_point now) {
  db.run(insert_alarm_intent, job, run, kind == core::alarm_kind::recovery, now);
}

bool alarm_reading::needs(core::job_id job, bool will_be_retried, core::alarm_reason why) {
  read(job);
  return book_.needs(job, will_be_retried, why);
}

std::int32_t alarm_reading::status(core::job_id job, bool will_be_retried, core::alarm_reason why) {
  read(job);
  return book_.status(job, will_be_retried, why);
}

std::optional<core::alarmed_job> alarm_reading::find(core::job_id job) {
  read(job);
  return book_.find(job);
}

void alarm_reading::read(core::job_id job) {
  if (std::find(known_.begin(), known_.end(), job) != known_.end())
    return;
  known_.push_back(job);
  if (!rules_) {
    rules_.emplace();
    for (auto& held : read_alarm_rules(db_))
      rules_->push_back(std::move(held.rule));
  }
  auto reading = db_.prepare(read_alarmed_job);
  if (!reading.with(job).step())
    return;
  core::alarmed_job about{std::string{reading.text(0)}, std::string{reading.text(2)}, std::string{reading.text(1)}};
  about.app_name = reading.text(3);
  about.key = reading.text(4);
  about.manual_addresses = reading.number(5) == 1;
  about.addresses = reading.optional_text(6);
  about.requested = core::find_alarm_conditions(reading.text(7));
  if (const auto* rule = core::rule_for(*rules_, reading.text(3), reading.text(4)))
    about.rule = *rule;
  book_.add(job, std::move(about));
}

} // namespace ringmaster::storage::sqlite
