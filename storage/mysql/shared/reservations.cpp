#include "storage/mysql/shared/reservations.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/intents.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// A waiting reserved instant.
struct waiting_instant {
  core::intent_id id{};
  core::time_point fire_at{};
  std::string schedule;
};

/// Returns waiting instants by job, in order of time, and locks them until the end of the transaction, so that no node claims one
/// of them.
std::map<core::job_id, std::vector<waiting_instant>> lock_waiting(connection& db, const std::string& node) {
  std::map<core::job_id, std::vector<waiting_instant>> out;
  auto found = db.query("SELECT id, job, fire_ms, schedule FROM rm_intent WHERE state = 0 AND kind = 'cron'"
                        " AND (? = '' OR node = ?) ORDER BY id FOR UPDATE", node, node);
  while (found.next())
    out[found.id<core::job_id>(1)].push_back({found.id<core::intent_id>(0), found.time_ms(2), found.string(3)});
  for (auto& [job, instants] : out)
    std::sort(instants.begin(), instants.end(), [](const auto& a, const auto& b) { return a.fire_at < b.fire_at; });
  return out;
}

/// Returns those that wait, locked until the end of the transaction.
std::set<core::intent_id> lock_reserved_intents(connection& db, const std::vector<core::intent_id>& intents) {
  std::set<core::intent_id> out;
  const auto ids = sorted(std::span<const core::intent_id>{intents});
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = db.prepare("SELECT id FROM rm_intent FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND state = 0"
                            " AND kind IN ('cron', 'misfire') ORDER BY id FOR UPDATE", part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    for (auto found = some.select(); found.next();)
      out.insert(found.id<core::intent_id>(0));
  }
  return out;
}

/// Returns instants of each job to the schedule that lie right before its next time, without a gap. Where another scheduler took
/// an instant in between, the earlier ones stay reserved: returning them would repeat the taken instant.
class giving_back {
public:
  giving_back(connection& db, rule_cache& rules) : db_{db}, rules_{rules} {}

  /// Returns the number of returned instants.
  std::size_t run(const std::map<core::job_id, std::vector<waiting_instant>>& waiting) {
    std::vector<core::job_id> jobs;
    for (const auto& [job, instants] : waiting)
      jobs.push_back(job);
    for (const auto part : padded_chunks(jobs.size())) {
      auto& some = db_.prepare("SELECT id, trigger_status, trigger_next_time, schedule_type, COALESCE(schedule_conf, ''),"
                               " trigger_last_time FROM xxl_job_info FORCE INDEX (PRIMARY) WHERE id IN ({?,}) ORDER BY id"
                               " FOR UPDATE",
                               part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(jobs[part.at(i)]);
      for (auto row = some.select(); row.next();)
        decide(row, waiting.at(row.id<core::job_id>(0)));
    }
    write();
    return delete_intents(db_, gone_);
  }

private:
  void decide(const rows& row, const std::vector<waiting_instant>& instants) {
    const auto status = row.number(1), next_ms = row.number(2);
    const auto type = row.string(3), conf = row.string(4);
    const auto rule = rules_.find(type, conf);
    // A schedule that ended with its reserved instants is stopped and has no next time; any other stopped job was stopped by a
    // user.
    const bool ended = status == 0 && next_ms == 0 && row.time_ms(5) >= instants.back().fire_at;
    if (!rule || !(ended || (status == 1 && next_ms != 0)))
      return;
    auto due_ms = next_ms;
    for (auto one = instants.rbegin(); one != instants.rend(); ++one) {
      const auto behind = (*rule)->next(one->fire_at);
      if (one->schedule != type + ' ' + conf || (behind ? core::to_ms(*behind) : 0) != due_ms)
        break;
      due_ms = core::to_ms(one->fire_at);
      gone_.push_back(one->id);
    }
    if (due_ms != next_ms)
      due_.emplace_back(row.id<core::job_id>(0), due_ms);
  }

  void write() {
    for (const auto part : padded_chunks(due_.size(), case_rows_max)) {
      auto& some = db_.prepare("UPDATE xxl_job_info FORCE INDEX (PRIMARY) SET trigger_status = 1,"
                               " trigger_next_time = CASE id {WHEN ? THEN ? }END WHERE id IN ({?,})", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(due_[part.at(i)].first).add(due_[part.at(i)].second);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(due_[part.at(i)].first);
      some.run();
    }
  }

  connection& db_;
  rule_cache& rules_;
  std::vector<core::intent_id> gone_;
  std::vector<std::pair<core::job_id, std::int64_t>> due_;
};

} // namespace

std::size_t put_instants_back(connection& db, rule_cache& rules, const std::string& node) {
  return giving_back{db, rules}.run(lock_waiting(db, node));
}

core::result<core::mode_state> reservation_role::mode() {
  return own_.db.read([this]() -> core::result<core::mode_state> { return read_mode(own_.db); });
}

core::result<std::vector<core::job_id>> reservation_role::unplanned() {
  return own_.db.read([this]() -> core::result<std::vector<core::job_id>> { return running_with_options(own_.db); });
}

core::result<core::drop_outcome> reservation_role::drop(const core::node_incarnation& owner,
                                                        std::span<const core::dropped_instant> instants) {
  return own_.db.transact([&]() -> core::result<core::drop_outcome> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    // Two nodes may know the same instants: an instant that one of them keeps in place of others must not be dropped by the
    // other.
    std::vector<core::intent_id> all;
    for (const auto& one : instants) {
      all.push_back(one.id);
      if (one.covered_by)
        all.push_back(*one.covered_by);
    }
    auto waiting = lock_reserved_intents(own_.db, all);
    core::drop_outcome outcome;
    std::vector<core::intent_id> gone;
    for (const auto& one : instants)
      if ((!one.covered_by || waiting.contains(*one.covered_by)) && waiting.erase(one.id) > 0) {
        gone.push_back(one.id);
        ++(one.covered_by ? outcome.merged : outcome.dropped);
      }
    gone = sorted(std::span<const core::intent_id>{gone});
    for (const auto part : padded_chunks(gone.size())) {
      auto& some = own_.db.prepare(
        "UPDATE rm_intent FORCE INDEX (PRIMARY) SET state = 1, node = ?, incarnation = ? WHERE id IN ({?,})", part.rows);
      some.add(owner.node).add(owner.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(gone[part.at(i)]);
      some.run();
    }
    return outcome;
  });
}

core::result<std::size_t> reservation_role::put_back(const core::node_incarnation& owner) {
  return own_.db.transact([&]() -> core::result<std::size_t> {
    if (auto locked = lock_schedule(own_.db); !locked)
      return tl::unexpected{locked.error()};
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    const auto present = read_mode(own_.db);
    if (!present)
      return tl::unexpected{present.error()};
    if (present->mode != core::cluster_mode::shared)
      return 0;
    return put_instants_back(own_.db, rules_, owner.node);
  });
}

core::result<std::size_t> reservation_role::forget(core::time_point before, std::size_t limit) {
  return own_.db.read([&]() -> core::result<std::size_t> {
    if (before < forgotten_)
      forgotten_ = core::time_point{}; // the clock was set back
    // Found first and deleted by their ids: a DELETE with this condition reads the whole table. For a reserved instant created_ms
    // is the instant itself. Children and retries stay for ten minutes and must not be read repeatedly.
    std::vector<core::intent_id> old;
    auto last = before;
    auto found = own_.db.query("SELECT id, created_ms FROM rm_intent FORCE INDEX (rm_intent_state) WHERE state = 1"
                               " AND created_ms >= ? AND created_ms <= ? AND kind IN ('cron', 'misfire')"
                               " ORDER BY created_ms LIMIT ?", forgotten_, before, limit);
    while (found.next()) {
      old.push_back(found.id<core::intent_id>(0));
      last = found.time_ms(1);
    }
    const auto gone = delete_intents(own_.db, old);
    forgotten_ = old.size() < limit ? before : last;
    return gone;
  });
}

core::result<bool> reservation_role::hold() {
  return own_.db.read([this]() -> core::result<bool> {
    auto& db = own_.db;
    // A failure on the way has rolled back the transaction.
    const bool held = std::exchange(held_on_, 0) == db.id() && db.id() != 0;
    // While the mode cannot be read, a guard neither begins nor ends: nodes in native mode continue.
    const auto is_wanted = [&db, held] {
      const auto now = read_mode(db);
      return now ? now->mode == core::cluster_mode::native && !now->switching : held;
    };
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
