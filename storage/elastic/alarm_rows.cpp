#include "storage/elastic/alarm_rows.hpp"

#include <algorithm>
#include <set>

#include "storage/rows/alarm_book.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// `ej_alarm.cause` of a recovery.
constexpr std::int64_t recovery_cause = 0;

} // namespace

std::map<elastic::elastic_job_id, core::alarmed_job> alarmed_elastic_jobs(admin_session& own,
                                                                          std::vector<elastic::elastic_job_id> jobs) {
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::map<elastic::elastic_job_id, core::alarmed_job> out;
  if (jobs.empty())
    return out;
  std::vector<core::alarm_rule> rules;
  for (auto& held : own.alarm_rules())
    rules.push_back(std::move(held.rule));
  own.query_in(
    "SELECT j.id, j.namespace, j.name, j.alarm_email, g.$group_title, g.app_name FROM ej_job j"
    " LEFT JOIN xxl_job_group g ON g.id = j.job_group WHERE j.id IN ({?,})",
    jobs, [&](const sql_rows& row) {
      core::alarmed_job about;
      about.name = row.text(1).empty() ? row.string(2) : row.string(1) + '/' + row.string(2);
      about.key = about.name;
      about.alarm_email = row.string(3);
      about.group_title = row.string(4);
      about.app_name = row.string(5);
      if (const auto* rule = core::rule_for(rules, row.text(5), row.text(2)))
        about.rule = *rule;
      out.emplace(row.id<elastic::elastic_job_id>(0), std::move(about));
    });
  return out;
}

void alarm_rows::write() {
  if (notes_.empty())
    return;
  drop_unneeded();
  read_open();
  for (const auto& each : notes_)
    std::visit([this](const auto& what) { decide(what); }, each);
  own_.execute_rows(
    "INSERT $or_ignore INTO ej_alarm (cause, job, item, run, fire_ms, amount, at_ms, state)"
    " VALUES {(?, ?, ?, ?, ?, ?, ?, ?),}",
    inserts_, 8);
  std::vector<sql_value> kept, removed;
  for (const auto& [key, row] : open_) {
    auto& to = row.removed ? removed : kept;
    for (const auto& value : {value_of(key.first), value_of(key.second)})
      to.push_back(value);
    if (!row.removed)
      for (const auto& value : {value_of(row.at), value_of(row.told), value_of(row.recovered)})
        to.push_back(value);
  }
  own_.execute_rows(
    "INSERT INTO ej_alarm_open (job, item, at_ms, told, recovered) VALUES {(?, ?, ?, ?, ?),}"
    " $on_conflict(job, item) at_ms = $new_value(at_ms), told = $new_value(told),"
    " recovered = $new_value(recovered)",
    kept, 5);
  own_.execute_rows("DELETE FROM ej_alarm_open WHERE $is_pair(job, item)", removed, 2);
}

// Recipients are read in this transaction, so that an edit counts from its commit on.
void alarm_rows::drop_unneeded() {
  std::vector<elastic::elastic_job_id> jobs;
  for (const auto& each : notes_)
    if (const auto* one = std::get_if<raised>(&each))
      jobs.push_back(one->job);
  const auto known = alarmed_elastic_jobs(own_, std::move(jobs));
  std::erase_if(notes_, [&](const note& each) {
    const auto* one = std::get_if<raised>(&each);
    if (one == nullptr)
      return false;
    const auto about = known.find(one->job);
    return about == known.end() ||
           !core::needs_alarm(about->second.alarm_email, about->second.rule ? &*about->second.rule : nullptr,
                              kind_of(one->what.cause));
  });
}

void alarm_rows::read_open() {
  std::set<item_key> keys;
  for (const auto& each : notes_) {
    if (const auto* one = std::get_if<raised>(&each)) {
      keys.emplace(one->job, one->what.item);
    } else if (const auto* success = std::get_if<recovered>(&each)) {
      keys.insert(success->item);
      keys.emplace(success->item.first, elastic::whole_job);
    } else {
      keys.insert(std::get<finished>(each).item);
    }
  }
  std::vector<sql_value> values;
  for (const auto& [job, item] : keys) {
    values.push_back(value_of(job));
    values.push_back(value_of(item));
  }
  own_.query_rows(
    "SELECT job, item, at_ms, told, recovered FROM ej_alarm_open $by_primary_key WHERE $is_pair(job, item)"
    " ORDER BY job, item $for_update",
    values, 2, [this](const sql_rows& row) {
      open_[{row.id<elastic::elastic_job_id>(0), row.id<elastic::item_number>(1)}] = {row.time_ms(2), row.number(3) != 0,
                                                                                      row.id<elastic::item_run_id>(4)};
    });
}

void alarm_rows::decide(const raised& what) {
  const auto& [cause, item, run, fire, amount, at] = what.what;
  const item_key key{what.job, item};
  add_alarm(key, core::number(cause), run, fire, amount, at);
  auto& row = open_[key];
  if (std::exchange(row.removed, false))
    row.told = false;
  row.at = at;
  row.recovered = {};
}

void alarm_rows::decide(const recovered& what) {
  for (const auto& key : {what.item, item_key{what.item.first, elastic::whole_job}})
    if (auto* row = find(key)) {
      if (row->told)
        end_open(key, *row, what.run);
      else
        row->recovered = what.run;
    }
}

// An alarm that was not sent leaves the row to a later one, or to an earlier one that was.
void alarm_rows::decide(const finished& what) {
  auto* row = find(what.item);
  if (row == nullptr)
    return;
  if (!what.told)
    row->removed = !row->told && row->at <= what.at;
  else if (core::number(row->recovered) != 0)
    end_open(what.item, *row, row->recovered);
  else
    row->told = true;
}

alarm_rows::open_row* alarm_rows::find(const item_key& item) {
  const auto found = open_.find(item);
  return found == open_.end() || found->second.removed ? nullptr : &found->second;
}

void alarm_rows::end_open(const item_key& item, open_row& row, elastic::item_run_id run) {
  add_alarm(item, recovery_cause, run, {}, 0, now_);
  row.removed = true;
}

void alarm_rows::add_alarm(const item_key& item, std::int64_t cause, elastic::item_run_id run, core::time_point fire,
                           std::int64_t amount, core::time_point at) {
  for (const auto& value : {value_of(cause), value_of(item.first), value_of(item.second), value_of(run), value_of(fire),
                            value_of(amount), value_of(at), value_of(alarm_waits)})
    inserts_.push_back(value);
}

} // namespace ringmaster::storage
