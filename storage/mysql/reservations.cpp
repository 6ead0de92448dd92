#include "storage/mysql/reservations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/mysql/batches.hpp"
#include "storage/mysql/schedule_lock.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// What a waiting instant says, and where its job's next time goes back to.
struct waiting_instant {
  core::intent_id id{};
  core::job_id job{};
  std::int64_t fire_ms = 0;
  std::string schedule;
};

std::vector<waiting_instant> lock_waiting(connection& db, const std::string& node) {
  std::vector<waiting_instant> out;
  auto found = db.query("SELECT id, job, fire_ms, schedule FROM rm_intent WHERE state = 0 AND kind IN ('cron', 'misfire')"
                        " AND (? = '' OR node = ?) ORDER BY id FOR UPDATE", node, node);
  while (found.next())
    out.push_back({found.id<core::intent_id>(0), found.id<core::job_id>(1), found.number(2), found.string(3)});
  return out;
}

/// A schedule that ended with what was reserved is running again; one that was stopped or changed since stays as it is.
void make_due(connection& db, const waiting_instant& first) {
  db.execute("UPDATE xxl_job_info SET trigger_status = 1, trigger_next_time = ? WHERE id = ?"
             " AND CONCAT(schedule_type, ' ', COALESCE(schedule_conf, '')) = ?"
             " AND ((trigger_status = 1 AND trigger_next_time > ?) OR (trigger_status = 0 AND trigger_next_time = 0"
             " AND trigger_last_time >= ?))",
             first.fire_ms, first.job, first.schedule, first.fire_ms, first.fire_ms);
}

} // namespace

std::size_t put_instants_back(connection& db, const std::string& node) {
  const auto waiting = lock_waiting(db, node);
  std::map<core::job_id, const waiting_instant*> first;
  for (const auto& one : waiting)
    if (auto& known = first[one.job]; known == nullptr || one.fire_ms < known->fire_ms)
      known = &one;
  for (const auto& [job, one] : first)
    make_due(db, *one);
  for (const auto part : padded_chunks(waiting.size())) {
    auto& some = db.prepare("DELETE FROM rm_intent WHERE id IN ({?,})", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(waiting[part.at(i)].id);
    some.run();
  }
  return waiting.size();
}

core::result<core::mode_state> reservation_role::mode() {
  return own_.db.read([this]() -> core::result<core::mode_state> { return read_mode(own_.db); });
}

core::result<void> reservation_role::drop(const core::node_life& owner, std::span<const core::intent_id> intents) {
  return own_.db.transact([&]() -> core::result<void> {
    if (auto current = own_.check_current(owner); !current)
      return current;
    const auto some_ids = sorted(intents);
    for (const auto part : padded_chunks(some_ids.size())) {
      auto& some = own_.db.prepare(
        "UPDATE rm_intent FORCE INDEX (PRIMARY) SET state = 1, node = ?, incarnation = ? WHERE id IN ({?,}) AND state = 0"
        " AND kind IN ('cron', 'misfire')",
        part.rows);
      some.add(owner.node).add(owner.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(some_ids[part.at(i)]);
      some.run();
    }
    return {};
  });
}

core::result<std::size_t> reservation_role::put_back(const core::node_life& owner) {
  return own_.db.transact([&]() -> core::result<std::size_t> {
    if (auto locked = lock_schedule(own_.db); !locked)
      return tl::unexpected{locked.error()};
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    if (read_mode(own_.db).mode != core::cluster_mode::shared)
      return 0;
    return put_instants_back(own_.db, owner.node);
  });
}

core::result<std::size_t> reservation_role::forget(core::time_point before, std::size_t limit) {
  return own_.db.read([&]() -> core::result<std::size_t> {
    // Of a reserved instant created_ms is the instant itself.
    return static_cast<std::size_t>(
      own_.db.execute("DELETE FROM rm_intent WHERE state = 1 AND created_ms <= ? AND kind IN ('cron', 'misfire')"
                      " ORDER BY created_ms LIMIT ?", before, limit));
  });
}

core::result<bool> reservation_role::hold() {
  return own_.db.read([this]() -> core::result<bool> {
    auto& db = own_.db;
    const auto is_wanted = [&db] {
      const auto now = read_mode(db);
      return now.mode == core::cluster_mode::native && !now.switching;
    };
    // What fails on the way has rolled back.
    const bool held = std::exchange(held_on_, 0) == db.id() && db.id() != 0;
    if (!held && !is_wanted())
      return false;
    if (!held) {
      db.command("START TRANSACTION");
      if (auto locked = lock_schedule(db); !locked) {
        db.command("ROLLBACK");
        return tl::unexpected{locked.error()};
      }
    }
    if (!is_wanted()) {
      db.command("ROLLBACK");
      return false;
    }
    held_on_ = db.id();
    return true;
  });
}

core::result<void> reservation_role::let_go() {
  return own_.db.read([this]() -> core::result<void> {
    if (const auto held = std::exchange(held_on_, 0); held != 0 && held == own_.db.id())
      own_.db.command("ROLLBACK");
    return {};
  });
}

} // namespace ringmaster::storage::mysql
