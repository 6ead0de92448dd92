// E13: what a coordinator reads at adoption, and after edits.

#include "storage/elastic/job_reads.hpp"

#include <algorithm>
#include <array>

#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/misfire_rule.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/leases.hpp"
#include "storage/rows/elastic_columns.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

#define RINGMASTER_ELASTIC_JOB                                                                                                  \
  "j.props, j.version, j.status, j.source, j.content_hash, s.next_ms, s.last_ms, s.revision FROM ej_job j"                       \
  " JOIN ej_schedule s ON s.job = j.id "

struct job_columns {
  static constexpr std::string_view head = "SELECT j.id, j.namespace, j.name, j.job_group, j.kind, j.handler, j.total, ";
  static constexpr std::string_view before = "j.";
  static constexpr std::string_view after = ", ";
  static constexpr std::string_view tail = RINGMASTER_ELASTIC_JOB "WHERE j.id = ?";
};
constexpr auto find_job_text = with_option_columns<job_columns>();

struct page_columns : job_columns {
  static constexpr std::string_view tail = RINGMASTER_ELASTIC_JOB "WHERE j.id > ? ORDER BY j.id LIMIT ?";
};
constexpr auto list_jobs_text = with_option_columns<page_columns>();

#undef RINGMASTER_ELASTIC_JOB

/// Ids of jobs that one statement of an adoption reads.
constexpr std::size_t ids_at_once = 1000;
/// Newest fires of a job among which those with an open barrier are.
constexpr std::size_t fires_looked_at = 4096;
/// Newest runs of a job among which those of its last fire are.
constexpr std::size_t runs_per_item_looked_at = 4;

core::option_value option_in(const sql_rows& row, std::size_t column, const elastic::elastic_field& field) {
  if (field.is_text())
    return row.string(column);
  const auto number = row.optional_number(column);
  return number ? core::option_value{*number} : core::option_value{};
}

elastic::elastic_job_row job_in(const sql_rows& row) {
  elastic::elastic_job_row out;
  out.id = row.id<elastic::elastic_job_id>(0);
  out.what.name_space = row.string(1);
  out.what.name = row.string(2);
  out.what.group = row.id<core::group_id>(3);
  out.what.kind = row.string(4);
  out.what.handler = row.string(5);
  out.what.total = row.number32(6);
  std::size_t at = 7;
  for (const auto& field : elastic::elastic_fields)
    field.set(out.what.options, option_in(row, at++, field));
  out.what.props = row.string(at);
  out.version = row.number(at + 1);
  out.status = elastic::job_status{static_cast<std::uint8_t>(row.number(at + 2))};
  out.source = row.optional_string(at + 3);
  out.content_hash = row.string(at + 4);
  if (row.number(at + 5) != 0)
    out.next = row.time_ms(at + 5);
  out.last = row.time_ms(at + 6);
  out.revision = row.number(at + 7);
  return out;
}

#define RINGMASTER_ITEM_COLUMNS                                                                                                  \
  "SELECT i.item, i.fence, i.state, i.run, i.host, i.host_inc, i.attempt, i.missed, i.flags, i.lease_ms, r.source, r.fire_ms,"   \
  " r.fire_source, r.request, r.granted_ms, r.attempt, s.last_ms, i.cancel_run FROM ej_item i"                                  \
  " JOIN ej_schedule s ON s.job = i.job LEFT JOIN ej_run r ON r.id = i.run "

elastic::run_cause cause_in(const sql_rows& row, const elastic::item_row& item) {
  using elastic::run_source;
  // A compensation, or an item that waits for nothing, belongs to the last fire of the job.
  if (core::number(item.run) == 0 || row.is_null(10))
    return {run_source::misfire, {row.time_ms(16), run_source::normal, {}}};
  const auto source = run_source{static_cast<std::uint8_t>(row.number(10))};
  const elastic::fire_key fire{row.time_ms(11), run_source{static_cast<std::uint8_t>(row.number(12))},
                               row.id<elastic::request_id>(13)};
  const bool taken_over = item.state == elastic::stored_item_state::wanted && item.attempt > row.number(15);
  return {taken_over ? run_source::failover : source, fire};
}

elastic::item_row item_row_in(const sql_rows& row) {
  elastic::item_row out;
  out.item = row.id<elastic::item_number>(0);
  out.fence = row.id<elastic::fence_number>(1);
  out.state = elastic::stored_item_state{static_cast<std::uint8_t>(row.number(2))};
  out.run = row.id<elastic::item_run_id>(3);
  out.host = {row.id<elastic::host_number>(4), row.id<elastic::host_incarnation>(5)};
  out.attempt = static_cast<std::uint8_t>(row.number(6));
  out.missed = row.number(7) != 0;
  out.disabled = (row.number(8) & 1) != 0;
  out.surplus = (row.number(8) & 2) != 0;
  out.lease = core::milliseconds{row.number(9)};
  out.cause = cause_in(row, out);
  out.granted = row.time_ms(14);
  out.cancel_run = row.id<elastic::item_run_id>(17);
  return out;
}

void read_fires(admin_session& own, elastic::adopted_job& out) {
  const auto job = out.job.id;
  auto rows = own.query("SELECT fire_ms, source, request, plan_version, config_version, state, expected, dropped, param FROM"
                        " (SELECT * FROM ej_fire WHERE job = ? ORDER BY fire_ms DESC LIMIT ?) f WHERE state IN (1, 2, 3, 4)"
                        " ORDER BY fire_ms, source, request",
                        job, fires_looked_at);
  while (rows.next()) {
    elastic::fire_row fire;
    fire.key = {rows.time_ms(0), elastic::run_source{static_cast<std::uint8_t>(rows.number(1))},
                rows.id<elastic::request_id>(2)};
    fire.plan_version = rows.number(3);
    fire.config_version = rows.number(4);
    fire.state = elastic::fire_state{static_cast<std::uint8_t>(rows.number(5))};
    fire.expected = rows.number32(6);
    fire.dropped = rows.number32(7);
    fire.param = rows.optional_string(8);
    out.fires.push_back(std::move(fire));
  }
  // A lost run has not ended the item's part in its fire: its takeover does. A hook whose item is idle is not taken over.
  for (const auto& fire : out.fires) {
    auto& ended = out.ended.emplace_back();
    auto runs = own.query("SELECT DISTINCT item FROM ej_run WHERE job = ? AND fire_ms = ? AND fire_source = ? AND request = ?"
                          " AND (state IN (2, 3, 5, 6) OR (state = 4 AND item < 0)) ORDER BY item",
                          job, fire.key.at, fire.key.source, fire.key.request);
    while (runs.next())
      ended.push_back(runs.id<elastic::item_number>(0));
  }
}

/// Returns the items that have begun a run for the fire or a later one. `of_fire`: number of those of the fire itself.
std::set<elastic::item_number> begun_since(admin_session& own, elastic::elastic_job_id job, const elastic::fire_key& fire,
                                           std::size_t runs_looked_at, std::size_t& of_fire) {
  std::set<elastic::item_number> begun, own_runs;
  auto runs = own.query("SELECT item, fire_ms, fire_source, request FROM ej_run WHERE job = ? AND item >= 0 ORDER BY id DESC"
                        " LIMIT ?",
                        job, runs_looked_at);
  while (runs.next()) {
    if (runs.time_ms(1) < fire.at)
      continue;
    const auto item = runs.id<elastic::item_number>(0);
    begun.insert(item);
    if (runs.time_ms(1) == fire.at && runs.number(2) == std::int64_t{core::number(fire.source)} && runs.number(3) == 0)
      own_runs.insert(item);
  }
  of_fire = own_runs.size();
  return begun;
}

// A fire with more items than one transaction holds. Its first items were stored with it, so a fire without any run has lost them
// to the retention.
void read_unfinished(admin_session& own, elastic::adopted_job& out) {
  auto row = own.query("SELECT fire_ms, source, expected FROM ej_fire WHERE job = ? AND fire_ms >= ? AND request = 0"
                       " AND expected > ? ORDER BY fire_ms DESC, source DESC LIMIT 1",
                       out.job.id, out.job.last - elastic::late_limit, elastic::fire_items_max);
  if (!row.next())
    return;
  elastic::unfinished_fire fire{{row.time_ms(0), elastic::run_source{static_cast<std::uint8_t>(row.number(1))}, {}}, {}};
  const auto expected = static_cast<std::size_t>(row.number(2));
  std::size_t of_fire = 0;
  const auto begun = begun_since(own, out.job.id, fire.key, out.items.size() * runs_per_item_looked_at, of_fire);
  if (of_fire == 0 || of_fire >= expected)
    return;
  for (const auto& item : out.items)
    if (core::number(item.item) >= 0 && item.state == elastic::stored_item_state::idle && !begun.contains(item.item))
      fire.items.push_back(item.item);
  if (!fire.items.empty())
    out.unfinished = std::move(fire);
}

// A takeover has the parameter of its first run, whose request is gone.
void read_params(admin_session& own, elastic::adopted_job& out) {
  std::set<std::pair<elastic::request_id, core::time_point>> requests;
  for (const auto& item : out.items)
    if (item.state != elastic::stored_item_state::idle && core::number(item.cause.fire.request) != 0)
      requests.emplace(item.cause.fire.request, item.cause.fire.at);
  for (const auto& [request, at] : requests) {
    auto row = own.query("SELECT param FROM ej_fire WHERE job = ? AND fire_ms = ? AND source = ? AND request = ?"
                         " AND param IS NOT NULL",
                         out.job.id, at, elastic::run_source::manual, request);
    if (row.next())
      out.params.emplace_back(request, row.string(0));
  }
}

void read_owed(admin_session& own, elastic::adopted_job& out) {
  if (out.requests.empty())
    return;
  auto owed = own.query("SELECT request, item FROM ej_request_item WHERE job = ? ORDER BY request, item", out.job.id);
  auto request = out.requests.end();
  while (owed.next()) {
    const auto id = owed.id<elastic::request_id>(0);
    if (request == out.requests.end() || request->id != id)
      request = std::find_if(out.requests.begin(), out.requests.end(), [id](const auto& each) { return each.id == id; });
    if (request != out.requests.end())
      request->owed.push_back(owed.id<elastic::item_number>(1));
  }
}

void read_cursors(admin_session& own, elastic::adopted_job& out) {
  auto cursors = own.query("SELECT item, fence, value FROM ej_cursor WHERE job = ? ORDER BY item", out.job.id);
  while (cursors.next())
    out.cursors.push_back({cursors.id<elastic::item_number>(0), cursors.id<elastic::fence_number>(1), cursors.string(2)});
}

void read_waiting(admin_session& own, elastic::adopted_job& out) {
  const auto job = out.job.id;
  auto requests = own.query("SELECT id, item, policy, param, at_ms FROM ej_request WHERE job = ? ORDER BY at_ms, id", job);
  while (requests.next()) {
    elastic::request_row row{requests.id<elastic::request_id>(0), job};
    if (const auto item = requests.optional_number(1))
      row.item = elastic::item_number{static_cast<std::int32_t>(*item)};
    row.policy = elastic::request_policy{static_cast<std::uint8_t>(requests.number(2))};
    row.param = requests.optional_string(3);
    row.at = requests.time_ms(4);
    out.requests.push_back(std::move(row));
  }
  read_owed(own, out);
  // In this order: the inbox is small, and the runs of the job are many.
  auto inbox = own.query("SELECT b.run, b.fence, b.outcome FROM ej_inbox b CROSS JOIN ej_run r ON r.id = b.run WHERE r.job = ?"
                         " AND r.state = 1 ORDER BY b.run", job);
  while (inbox.next())
    out.inbox.push_back({inbox.id<elastic::item_run_id>(0), inbox.id<elastic::fence_number>(1), inbox.string(2)});
  out.disabled_servers = disabled_servers_of(own, out.job);
  auto alarmed = own.query("SELECT item FROM ej_alarm_open WHERE job = ? AND recovered = 0 ORDER BY item", job);
  while (alarmed.next())
    out.alarmed.push_back(alarmed.id<elastic::item_number>(0));
}

/// Returns the next ids of jobs in slots, ascending, at most `limit`.
std::vector<elastic::elastic_job_id> ids_in(admin_session& own, const std::set<std::uint32_t>& slots,
                                            elastic::elastic_job_id after, std::size_t limit) {
  std::vector<elastic::elastic_job_id> out;
  for (bool more = true; more && out.size() < limit;) {
    std::size_t found = 0;
    auto ids = own.query("SELECT id FROM ej_job WHERE id > ? ORDER BY id LIMIT ?", after, ids_at_once);
    while (ids.next() && out.size() < limit) {
      ++found;
      after = ids.id<elastic::elastic_job_id>(0);
      if (slots.contains(slot_of(after)))
        out.push_back(after);
    }
    more = found == ids_at_once;
  }
  return out;
}

} // namespace

std::optional<elastic::elastic_job_row> find_elastic_job(admin_session& own, elastic::elastic_job_id job) {
  auto row = own.query(sql_text{find_job_text.c_str()}, job);
  return row.next() ? std::optional{job_in(row)} : std::nullopt;
}

std::vector<elastic::elastic_job_row> elastic_jobs_after(admin_session& own, elastic::elastic_job_id after, std::size_t limit) {
  std::vector<elastic::elastic_job_row> out;
  auto rows = own.query(sql_text{list_jobs_text.c_str()}, after, limit);
  while (rows.next())
    out.push_back(job_in(rows));
  return out;
}

std::vector<elastic::item_row> items_of(admin_session& own, elastic::elastic_job_id job,
                                        std::optional<std::span<const elastic::item_number>> only) {
  std::vector<elastic::item_row> out;
  if (!only) {
    auto rows = own.query(RINGMASTER_ITEM_COLUMNS "WHERE i.job = ? ORDER BY i.item", job);
    while (rows.next())
      out.push_back(item_row_in(rows));
    return out;
  }
  std::vector<sql_value> keys;
  for (const auto item : *only) {
    keys.push_back(value_of(job));
    keys.push_back(value_of(item));
  }
  own.query_rows(RINGMASTER_ITEM_COLUMNS "WHERE $is_pair(i.job, i.item) ORDER BY i.item", keys, 2,
                 [&](const sql_rows& row) { out.push_back(item_row_in(row)); });
  const auto by_item = [](const auto& a, const auto& b) { return a.item < b.item; };
  std::sort(out.begin(), out.end(), by_item);
  const auto is_same = [](const auto& a, const auto& b) { return a.item == b.item; };
  out.erase(std::unique(out.begin(), out.end(), is_same), out.end());
  return out;
}

std::vector<elastic::item_row> items_from(admin_session& own, elastic::elastic_job_id job, elastic::item_number from,
                                          std::size_t limit) {
  std::vector<elastic::item_row> out;
  auto rows = own.query(RINGMASTER_ITEM_COLUMNS "WHERE i.job = ? AND i.item >= ? ORDER BY i.item LIMIT ?", job, from, limit);
  while (rows.next())
    out.push_back(item_row_in(rows));
  return out;
}

std::optional<elastic::plan_row> newest_plan(admin_session& own, elastic::elastic_job_id job) {
  auto row = own.query("SELECT version, members, total, assignment, at_ms FROM ej_plan WHERE job = ? ORDER BY version DESC"
                       " LIMIT 1",
                       job);
  if (!row.next())
    return std::nullopt;
  return elastic::plan_row{row.number(0), row.string(1), row.number32(2), row.string(3), row.time_ms(4)};
}

std::vector<std::string> disabled_servers_of(admin_session& own, const elastic::elastic_job_row& job) {
  std::vector<std::string> out;
  auto rows = own.query("SELECT DISTINCT server FROM ej_server WHERE namespace = ? AND job = ? ORDER BY server",
                        job.what.name_space, job.id);
  while (rows.next())
    out.push_back(rows.string(0));
  return out;
}

elastic::adopted_job state_of(admin_session& own, elastic::elastic_job_row job, cursor_read cursors) {
  elastic::adopted_job out;
  out.job = std::move(job);
  out.items = items_of(own, out.job.id, std::nullopt);
  read_fires(own, out);
  read_params(own, out);
  out.plan = newest_plan(own, out.job.id);
  if (cursors == cursor_read::all)
    read_cursors(own, out);
  read_waiting(own, out);
  return out;
}

core::result<std::vector<elastic::adopted_job>> elastic_role::adopt(const core::node_incarnation& owner,
                                                                    std::span<const elastic::slot_lease> held,
                                                                    elastic::elastic_job_id after, std::size_t limit) {
  return own_.read_together([&]() -> core::result<std::vector<elastic::adopted_job>> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    const auto slots = hold_leases(own_, owner, held);
    for (const auto& each : held)
      if (!slots.contains(each.slot))
        return core::fail(core::errc::fenced, "slot " + std::to_string(each.slot) + " has another epoch");
    std::vector<elastic::adopted_job> out;
    std::size_t items = 0;
    for (const auto id : ids_in(own_, slots, after, limit)) {
      if (items >= elastic::adopted_items_max)
        break;
      if (auto job = find_elastic_job(own_, id)) {
        out.push_back(state_of(own_, std::move(*job)));
        items += out.back().items.size();
        if (out.back().items.size() > elastic::fire_items_max)
          read_unfinished(own_, out.back());
      }
    }
    return out;
  });
}

core::result<elastic::adopted_job> elastic_role::read_job(elastic::elastic_job_id job) {
  return own_.read_together([&]() -> core::result<elastic::adopted_job> {
    auto found = find_elastic_job(own_, job);
    if (!found)
      return core::fail(core::errc::not_found, "unknown elastic job " + std::to_string(core::number(job)));
    return state_of(own_, std::move(*found));
  });
}

core::result<std::vector<elastic::elastic_job_row>> elastic_role::jobs_after(elastic::elastic_job_id after,
                                                                             std::size_t limit) {
  return own_.read([&]() -> core::result<std::vector<elastic::elastic_job_row>> {
    return elastic_jobs_after(own_, after, limit);
  });
}

core::result<std::vector<elastic::item_row>> elastic_role::read_items(elastic::elastic_job_id job,
                                                                      std::span<const elastic::item_number> items) {
  return own_.read_together(
    [&]() -> core::result<std::vector<elastic::item_row>> { return items_of(own_, job, items); });
}

core::result<std::int64_t> elastic_role::last_revision() {
  return own_.read([&]() -> core::result<std::int64_t> {
    auto row = own_.query("SELECT counter FROM rm_edit WHERE id = 1");
    return row.next() ? row.number(0) : 0;
  });
}

core::result<std::vector<elastic::elastic_edit_note>> elastic_role::edits_since(std::int64_t revision,
                                                                                elastic::elastic_job_id after,
                                                                                std::size_t limit) {
  return own_.read_together([&]() -> core::result<std::vector<elastic::elastic_edit_note>> {
    std::vector<elastic::elastic_edit_note> out;
    {
      auto rows = own_.query("SELECT job, revision FROM ej_schedule WHERE revision >= ? AND (revision > ? OR job > ?)"
                             " ORDER BY revision, job LIMIT ?",
                             revision, revision, after, limit);
      while (rows.next())
        out.push_back({rows.id<elastic::elastic_job_id>(0), rows.number(1), std::nullopt});
    }
    for (auto& each : out)
      each.job = find_elastic_job(own_, each.id);
    return out;
  });
}

} // namespace ringmaster::storage
