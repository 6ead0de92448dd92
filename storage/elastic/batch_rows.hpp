#pragma once

// Rows that one batch of coordinators reads, decides about in memory, and writes in sets (elastic design §2, "Cost").

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/elastic/store_ops.hpp"
#include "storage/admin/admin_session.hpp"
#include "storage/elastic/alarm_rows.hpp"

namespace ringmaster::storage {

/// Job, instant, source, request.
using fire_row_key = std::tuple<core::elastic::elastic_job_id, std::int64_t, std::int64_t, std::int64_t>;

[[nodiscard]] inline fire_row_key key_of(core::elastic::elastic_job_id job, const core::elastic::fire_key& fire) {
  return {job, core::to_ms(fire.at), core::number(fire.source), core::number(fire.request)};
}

/// One row of `ej_item` in memory.
struct held_item {
  core::elastic::fence_number fence{};
  core::elastic::stored_item_state state = core::elastic::stored_item_state::idle;
  core::elastic::item_run_id run{};
  core::elastic::host_process host;
  std::uint8_t attempt = 1;
  bool missed = false;
  bool disabled = false;
  bool surplus = false;
  core::milliseconds lease{0};
  /// The table has the row.
  bool stored = true;
  bool changed = false;
  bool removed = false;
};

/// One row of `ej_node` as far as conditions need it.
struct held_host {
  core::elastic::host_incarnation incarnation{};
  core::elastic::host_state state = core::elastic::host_state::dead;
  core::elastic::host_incarnation ended{};
};

/// One row of `ej_schedule` in memory.
struct held_schedule {
  std::int64_t next_ms = 0;
  std::int64_t last_ms = 0;
  std::int64_t revision = 0;
  bool changed = false;
};

/// A run that begins. Its id is known after the insert.
struct begun_run {
  item_key item;
  core::elastic::item_grant grant;
  /// Its answer, which gets the id.
  core::elastic::item_answer* answer = nullptr;
};

/// A run that ends.
struct ended_run {
  core::elastic::item_run_id id{};
  core::elastic::item_run_end end{};
  core::time_point started{};
  core::time_point ended{};
  std::string message;
};

/// The rows of one transaction. Reading locks them in the order of the design; nothing is written before `write`.
class batch_rows {
public:
  batch_rows(admin_session& own, core::time_point now) : own_{own}, now_{now}, alarms_{own, now} {}

  /// Reads and locks the rows of the ops.
  void read(std::span<const core::elastic::elastic_op* const> ops);
  void write();

  /// Null: no such row.
  [[nodiscard]] held_item* item(const item_key& key);
  /// Adds the row of a hook.
  held_item& add_item(const item_key& key);
  [[nodiscard]] const held_host* host(core::elastic::host_number number) const;
  [[nodiscard]] held_schedule* schedule(core::elastic::elastic_job_id job);
  /// Unset: no such fire.
  [[nodiscard]] std::optional<core::elastic::fire_state> fire(const fire_row_key& key) const;
  /// Returns the state of a run of this item; unset: no such run. Reads the table: only for writes that lost.
  [[nodiscard]] std::optional<std::int64_t> run_state(const item_key& key, core::elastic::item_run_id run);
  /// Returns whether the inbox has the result of this run's body, which a loss must not replace.
  [[nodiscard]] bool has_result(core::elastic::item_run_id run, core::elastic::fence_number fence) const {
    return results_.contains({run, fence});
  }
  /// Returns whether the table has this cursor. Only for writes that lost.
  [[nodiscard]] bool has_cursor(const item_key& key, const core::elastic::write_cursor& value);

  void insert_fire(core::elastic::elastic_job_id job, const core::elastic::fire_row& row);
  void step_fire(const fire_row_key& key, core::elastic::fire_state to);
  /// Adds the failed run of a hook that has not begun. `op` outlives this object.
  void fail_hook(const core::elastic::fire_step_write& op) { failed_hooks_.push_back(&op); }
  void insert_plan(core::elastic::elastic_job_id job, const core::elastic::plan_row& row) { plans_.emplace_back(job, &row); }
  void begin_run(begun_run run) { begun_.push_back(std::move(run)); }
  void end_run(ended_run run) { ended_.push_back(std::move(run)); }
  /// The last value of an item counts.
  void save_cursor(const item_key& key, const core::elastic::write_cursor& value) { cursors_[key] = &value; }
  /// The request is deleted unless it owes an item.
  void end_request(core::elastic::elastic_job_id job, core::elastic::request_id request) { requests_.insert({job, request}); }
  /// The request owes the item a run.
  void owe(const item_key& key, core::elastic::request_id request) { owed_.insert({{request, key.second}, key.first}); }
  /// The request owes the item nothing any more.
  void end_owed(const item_key& key, core::elastic::request_id request) {
    over_.insert({request, key.second});
    end_request(key.first, request);
  }

  /// Alarms of the batch, in the order of its writes.
  [[nodiscard]] alarm_rows& alarms() noexcept { return alarms_; }

  [[nodiscard]] core::time_point now() const noexcept { return now_; }

private:
  using owed_item = std::pair<core::elastic::request_id, core::elastic::item_number>;

  void read_schedules(std::span<const core::elastic::elastic_op* const> ops);
  void read_fires(std::span<const core::elastic::elastic_op* const> ops);
  void read_items(std::span<const core::elastic::elastic_op* const> ops);
  void read_hosts(std::span<const core::elastic::elastic_op* const> ops);
  void read_results(std::span<const core::elastic::elastic_op* const> ops);
  void write_schedules();
  void write_fires();
  void insert_runs();
  void insert_failed_hooks();
  void end_runs();
  void write_items();
  void write_plans();
  void write_others();
  void write_requests();

  admin_session& own_;
  core::time_point now_;
  alarm_rows alarms_;
  std::map<item_key, held_item> items_;
  std::map<core::elastic::host_number, held_host> hosts_;
  std::set<std::pair<core::elastic::item_run_id, core::elastic::fence_number>> results_;
  std::map<core::elastic::elastic_job_id, held_schedule> schedules_;
  std::map<fire_row_key, core::elastic::fire_state> fires_;
  std::vector<std::pair<core::elastic::elastic_job_id, const core::elastic::fire_row*>> new_fires_;
  std::map<fire_row_key, core::elastic::fire_state> stepped_;
  std::vector<std::pair<core::elastic::elastic_job_id, const core::elastic::plan_row*>> plans_;
  std::vector<begun_run> begun_;
  std::vector<ended_run> ended_;
  std::vector<const core::elastic::fire_step_write*> failed_hooks_;
  std::map<item_key, const core::elastic::write_cursor*> cursors_;
  std::set<std::pair<core::elastic::elastic_job_id, core::elastic::request_id>> requests_;
  std::map<owed_item, core::elastic::elastic_job_id> owed_;
  std::set<owed_item> over_;
};

/// Calls `each(item_write)` for all item writes of an op.
template <class Each>
void for_each_item(const core::elastic::elastic_op& op, Each each) {
  if (const auto* one = std::get_if<core::elastic::item_write>(&op))
    each(*one);
  else if (const auto* fire = std::get_if<core::elastic::fire_write>(&op))
    for (const auto& item : fire->items)
      each(item);
  else if (const auto* step = std::get_if<core::elastic::fire_step_write>(&op); step != nullptr && step->hook)
    each(*step->hook);
}

/// Returns the grant that a write contains; null if there is none.
[[nodiscard]] const core::elastic::item_grant* grant_in(const core::elastic::item_write& what);

} // namespace ringmaster::storage
