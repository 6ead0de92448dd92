// The rows of one batch: what is read first.

#include "storage/elastic/batch_rows.hpp"

#include <algorithm>

#include "core/elastic/heard_result.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

constexpr std::int64_t disabled_flag = 1;
constexpr std::int64_t surplus_flag = 2;

held_item item_in(const sql_rows& row) {
  held_item out;
  out.fence = row.id<elastic::fence_number>(2);
  out.state = elastic::stored_item_state{static_cast<std::uint8_t>(row.number(3))};
  out.run = row.id<elastic::item_run_id>(4);
  out.host = {row.id<elastic::host_number>(5), row.id<elastic::host_incarnation>(6)};
  out.attempt = static_cast<std::uint8_t>(row.number(7));
  out.missed = row.number(8) != 0;
  out.disabled = (row.number(9) & disabled_flag) != 0;
  out.surplus = (row.number(9) & surplus_flag) != 0;
  out.lease = core::milliseconds{row.number(10)};
  return out;
}

void append_key(std::vector<sql_value>& to, const fire_row_key& key) {
  const auto& [job, at, source, request] = key;
  for (const auto& value : {value_of(job), value_of(at), value_of(source), value_of(request)})
    to.push_back(value);
}

} // namespace

const elastic::item_grant* grant_in(const elastic::item_write& what) {
  const auto next_grant = [](const elastic::item_next& next) { return next.grant ? &*next.grant : nullptr; };
  if (const auto* grant = std::get_if<elastic::item_grant>(&what.what))
    return grant;
  if (const auto* end = std::get_if<elastic::action::write_end>(&what.what))
    return next_grant(end->next);
  if (const auto* loss = std::get_if<elastic::action::write_loss>(&what.what))
    return next_grant(loss->next);
  if (const auto* wait = std::get_if<elastic::action::write_wait_end>(&what.what))
    return next_grant(wait->next);
  return nullptr;
}

// Hosts are locked last, because a lost run names its host only by its item. Writers of hosts (E1 to E3) hold no row of these
// tables, so they never wait for this transaction while it waits for them.
void batch_rows::read(std::span<const elastic::elastic_op* const> ops) {
  read_schedules(ops);
  read_fires(ops);
  read_items(ops);
  read_hosts(ops);
  read_results(ops);
}

void batch_rows::read_schedules(std::span<const elastic::elastic_op* const> ops) {
  std::set<elastic::elastic_job_id> jobs;
  for (const auto* op : ops)
    if (const auto* fire = std::get_if<elastic::fire_write>(op); fire != nullptr && fire->move)
      jobs.insert(fire->job);
  own_.query_in("SELECT job, next_ms, last_ms, revision FROM ej_schedule WHERE job IN ({?,}) ORDER BY job $for_update",
                std::vector(jobs.begin(), jobs.end()), [this](const sql_rows& row) {
                  schedules_[row.id<elastic::elastic_job_id>(0)] = {row.number(1), row.number(2), row.number(3)};
                });
}

void batch_rows::read_fires(std::span<const elastic::elastic_op* const> ops) {
  std::set<fire_row_key> keys;
  for (const auto* op : ops) {
    if (const auto* fire = std::get_if<elastic::fire_write>(op))
      for (const auto& each : fire->fires)
        keys.insert(key_of(fire->job, each.key));
    if (const auto* step = std::get_if<elastic::fire_step_write>(op))
      keys.insert(key_of(step->job, step->fire));
  }
  std::vector<sql_value> values;
  for (const auto& key : keys)
    append_key(values, key);
  own_.query_rows("SELECT job, fire_ms, source, request, state FROM ej_fire $by_primary_key"
                  " WHERE $is_four(job, fire_ms, source, request)",
                  values, 4, [this](const sql_rows& row) {
                    fires_[{row.id<elastic::elastic_job_id>(0), row.number(1), row.number(2), row.number(3)}] =
                      elastic::fire_state{static_cast<std::uint8_t>(row.number(4))};
                  });
}

void batch_rows::read_items(std::span<const elastic::elastic_op* const> ops) {
  std::set<item_key> keys;
  for (const auto* op : ops)
    for_each_item(*op, [&](const elastic::item_write& each) { keys.insert({each.job, each.item}); });
  std::vector<sql_value> values;
  values.reserve(keys.size() * 2);
  for (const auto& [job, item] : keys) {
    values.push_back(value_of(job));
    values.push_back(value_of(item));
  }
  own_.query_rows("SELECT job, item, fence, state, run, host, host_inc, attempt, missed, flags, lease_ms FROM ej_item"
                  " $by_primary_key WHERE $is_pair(job, item) ORDER BY job, item $for_update",
                  values, 2, [this](const sql_rows& row) {
                    items_[{row.id<elastic::elastic_job_id>(0), row.id<elastic::item_number>(1)}] = item_in(row);
                  });
}

void batch_rows::read_hosts(std::span<const elastic::elastic_op* const> ops) {
  std::set<elastic::host_number> hosts;
  for (const auto* op : ops)
    for_each_item(*op, [&](const elastic::item_write& each) {
      if (const auto* grant = grant_in(each))
        hosts.insert(grant->host.host);
      if (!std::holds_alternative<elastic::action::write_loss>(each.what))
        return;
      if (const auto* row = item({each.job, each.item}))
        hosts.insert(row->host.host);
    });
  own_.query_in("SELECT num, incarnation, state, ended_inc FROM ej_node WHERE num IN ({?,}) ORDER BY num $for_share",
                std::vector(hosts.begin(), hosts.end()), [this](const sql_rows& row) {
                  hosts_[row.id<elastic::host_number>(0)] = {row.id<elastic::host_incarnation>(1),
                                                             elastic::host_state{static_cast<std::uint8_t>(row.number(2))},
                                                             row.id<elastic::host_incarnation>(3)};
                });
}

// A node that delivers a result locks its run: either it is seen here, or the run has ended there.
void batch_rows::read_results(std::span<const elastic::elastic_op* const> ops) {
  std::set<elastic::item_run_id> lost;
  for (const auto* op : ops)
    for_each_item(*op, [&](const elastic::item_write& each) {
      if (const auto* loss = std::get_if<elastic::action::write_loss>(&each.what))
        lost.insert(loss->run);
    });
  if (lost.empty())
    return;
  const std::vector runs(lost.begin(), lost.end());
  own_.query_in("SELECT id FROM ej_run WHERE id IN ({?,}) ORDER BY id $for_update", runs, [](const sql_rows&) {});
  own_.query_in("SELECT run, fence, outcome FROM ej_inbox WHERE run IN ({?,})", runs, [this](const sql_rows& row) {
    if (elastic::is_result_of_body(row.string(2)))
      results_.emplace(row.id<elastic::item_run_id>(0), row.id<elastic::fence_number>(1));
  });
}

held_item* batch_rows::item(const item_key& key) {
  const auto found = items_.find(key);
  return found == items_.end() || found->second.removed ? nullptr : &found->second;
}

held_item& batch_rows::add_item(const item_key& key) {
  auto& out = items_[key];
  out = {};
  out.stored = false;
  return out;
}

const held_host* batch_rows::host(elastic::host_number number) const {
  const auto found = hosts_.find(number);
  return found == hosts_.end() ? nullptr : &found->second;
}

held_schedule* batch_rows::schedule(elastic::elastic_job_id job) {
  const auto found = schedules_.find(job);
  return found == schedules_.end() ? nullptr : &found->second;
}

std::optional<elastic::fire_state> batch_rows::fire(const fire_row_key& key) const {
  const auto found = fires_.find(key);
  return found == fires_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::int64_t> batch_rows::run_state(const item_key& key, elastic::item_run_id run) {
  auto row = own_.query("SELECT state FROM ej_run WHERE id = ? AND job = ? AND item = ?", run, key.first, key.second);
  return row.next() ? std::optional{row.number(0)} : std::nullopt;
}

bool batch_rows::has_cursor(const item_key& key, const elastic::write_cursor& value) {
  auto row = own_.query("SELECT value FROM ej_cursor WHERE job = ? AND item = ? AND fence = ?", key.first, key.second,
                        value.fence);
  return row.next() && row.string(0) == value.value;
}

void batch_rows::insert_fire(elastic::elastic_job_id job, const elastic::fire_row& row) {
  fires_[key_of(job, row.key)] = row.state;
  new_fires_.emplace_back(job, &row);
}

void batch_rows::step_fire(const fire_row_key& key, elastic::fire_state to) {
  fires_[key] = to;
  stepped_[key] = to;
}

} // namespace ringmaster::storage
