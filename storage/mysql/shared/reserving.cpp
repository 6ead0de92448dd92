// T1s: reserves instants before a Java admin takes them.

#include <algorithm>
#include <map>
#include <span>

#include <mysql/mysqld_error.h>

#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/shared/reservations.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Minimum number of jobs with the same new times for which a constant UPDATE is cheaper than a CASE.
constexpr std::size_t alike_reservations_min = 10;
constexpr std::size_t rules_max = 20'000;

struct due_row {
  core::job_id id{};
  /// As stored in the row.
  core::time_point next{};
  core::misfire_policy misfire = core::misfire_policy::do_nothing;
  /// `CRON 0 * * * * ?`, as in its intents.
  std::string schedule;
  std::size_t type_size = 0;

  [[nodiscard]] std::string_view type() const { return std::string_view{schedule}.substr(0, type_size); }
  [[nodiscard]] std::string_view conf() const { return std::string_view{schedule}.substr(type_size + 1); }
};

struct new_intent {
  core::intent made;
  const std::string* schedule = nullptr;
};

class reserving {
public:
  reserving(session& own, rule_cache& rules, const core::node_incarnation& owner, const core::reserve_window& window)
    : own_{own}, db_{own.db}, rules_{rules}, owner_{owner}, window_{window} {}

  core::result<core::reserve_outcome> run() {
    // No scheduler moves a row that is read here. A user's edit may; everything is then read again under locks.
    for (const bool careful : {false, true}) {
      if (auto may = begin(); !may)
        return tl::unexpected{may.error()};
      decide(careful);
      if (write_moves()) {
        insert_intents();
        // Last, because the node's heartbeat waits for this lock. No fence commits between it and the commit.
        if (auto current = own_.check_current(owner_); !current)
          return tl::unexpected{current.error()};
        return std::move(out_);
      }
      db_.start_over();
    }
    // Nothing more is written: starting over has released the lock.
    return core::fail(core::errc::unavailable, "jobs moved although they were locked");
  }

private:
  core::result<void> begin() {
    if (auto locked = lock_schedule(db_); !locked)
      return locked;
    const auto present = read_mode(db_);
    if (!present)
      return tl::unexpected{present.error()};
    if (present->mode != core::cluster_mode::shared)
      return core::fail(core::errc::fenced, "the database is in native mode now");
    return {};
  }

  void read_due(bool careful) {
    // Options are joined for the selected jobs only: a NOT EXISTS would first list those of all jobs. The list of jobs with a
    // backlog is built first on purpose: it is short, or it spares checking the others one by one.
    constexpr const char* due = "SELECT i.id, i.trigger_next_time, i.schedule_type, i.schedule_conf, i.misfire_strategy"
                                " FROM xxl_job_info i LEFT JOIN rm_job_ext e ON e.job = i.id"
                                " LEFT JOIN (SELECT DISTINCT job FROM rm_intent FORCE INDEX (rm_intent_state) WHERE state = 0"
                                " AND created_ms <= ? AND kind IN ('cron', 'misfire')) b ON b.job = i.id"
                                " WHERE b.job IS NULL AND i.trigger_status = 1"
                                " AND (i.trigger_next_time <= ? OR i.trigger_next_time = ?) AND NOT (" RINGMASTER_HAS_OPTIONS ")"
                                " ORDER BY i.trigger_next_time, i.id LIMIT ?";
    rows_.clear();
    const auto until = window_.now + window_.horizon;
    const auto blocked = window_.now - window_.backlog_after;
    auto found = careful ? db_.query({due, " FOR UPDATE"}, blocked, until, hidden_next_ms, window_.jobs_max)
                         : db_.query({due, ""}, blocked, until, hidden_next_ms, window_.jobs_max);
    while (found.next()) {
      auto& row = rows_.emplace_back();
      row.id = found.id<core::job_id>(0);
      row.next = found.time_ms(1);
      row.type_size = found.text(2).size();
      row.schedule = found.string(2).append(" ").append(found.text(3));
      row.misfire = core::find_misfire_policy(found.text(4)).value_or(core::misfire_policy::do_nothing);
    }
  }

  void decide(bool careful) {
    out_ = {};
    moves_.clear();
    requests_.clear();
    read_due(careful);
    out_.more = rows_.size() == window_.jobs_max;
    for (const auto& row : rows_)
      decide(row);
  }

  /// Returns the due time. A console that read the row while times were hidden may have written the hidden one back: the real
  /// time is unknown, so it counts as missed.
  [[nodiscard]] core::time_point due_at(const due_row& row) const {
    return core::to_ms(row.next) == hidden_next_ms ? window_.now - window_.misfire_after - core::milliseconds{1} : row.next;
  }

  void decide(const due_row& row) {
    const auto rule = rules_.find(row.type(), row.conf());
    if (!rule) {
      moves_.push_back({row.id, row.next, core::time_point{}, std::nullopt});
      out_.stopped.push_back({row.id, rule.error().context});
      return;
    }
    auto spec = std::make_shared<core::job>();
    spec->id = row.id;
    spec->misfire = row.misfire;
    const auto plan = core::plan({std::move(spec), due_at(row)}, **rule,
                                 {.now = window_.now, .horizon = window_.horizon, .misfire_after = window_.misfire_after});
    out_.dropped += plan.dropped;
    out_.merged += plan.merged;
    // Without a firing the last time has no further use.
    moves_.push_back({row.id, row.next, plan.firings.empty() && !plan.next ? core::time_point{} : plan.last, plan.next});
    for (const auto& firing : plan.firings) {
      auto& request = requests_.emplace_back();
      request.made.kind = firing.misfire ? core::trigger_kind::misfire : core::trigger_kind::cron;
      request.made.job = row.id;
      request.made.fire_at = firing.fire_at;
      request.schedule = &row.schedule;
    }
    if (!plan.next)
      out_.stopped.push_back({row.id, {}});
    else if (*plan.next <= window_.now + window_.horizon)
      out_.more = true;
  }

  /// Returns false if a user edited one of the jobs meanwhile.
  bool write_moves() {
    std::map<std::pair<core::time_point, core::time_point>, std::vector<const core::schedule_move*>> by_times;
    std::uint64_t moved = 0;
    for (const auto& move : moves_)
      if (move.next)
        by_times[{move.last, *move.next}].push_back(&move);
      else
        moved += stop(move);
    std::vector<const core::schedule_move*> others;
    for (const auto& [times, some] : by_times)
      if (some.size() >= alike_reservations_min)
        moved += write_alike(some);
      else
        others.insert(others.end(), some.begin(), some.end());
    std::sort(others.begin(), others.end(), [](const auto* a, const auto* b) { return a->job < b->job; });
    return moved + write_others(others) == moves_.size();
  }

  /// Stops the job: the only case in which status is written. The last time stays, because S3 checks instants that are still to
  /// be sent against it.
  std::uint64_t stop(const core::schedule_move& move) {
    return db_.execute("UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = ?, trigger_next_time = 0"
                       " WHERE id = ? AND trigger_status = 1 AND trigger_next_time = ?",
                       move.last, move.job, move.expected_next);
  }

  std::uint64_t write_alike(const std::vector<const core::schedule_move*>& moves) {
    std::uint64_t moved = 0;
    for (const auto part : padded_chunks(moves.size())) {
      auto& some = db_.prepare(
        "UPDATE xxl_job_info FORCE INDEX (PRIMARY) SET trigger_last_time = ?, trigger_next_time = ?"
        " WHERE (id, trigger_next_time) IN ({(?,?),}) AND trigger_status = 1",
        part.rows);
      some.add(moves.front()->last).add(*moves.front()->next);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->expected_next);
      moved += some.run();
    }
    return moved;
  }

  std::uint64_t write_others(const std::vector<const core::schedule_move*>& moves) {
    std::uint64_t moved = 0;
    for (const auto part : padded_chunks(moves.size(), case_rows_max)) {
      auto& some = db_.prepare(
        "UPDATE xxl_job_info FORCE INDEX (PRIMARY) SET trigger_last_time = CASE id {WHEN ? THEN ? }END,"
        " trigger_next_time = CASE id {WHEN ? THEN ? }END WHERE (id, trigger_next_time) IN ({(?,?),}) AND trigger_status = 1",
        part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->last);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(moves[part.at(i)]->job).add(*moves[part.at(i)]->next);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->expected_next);
      moved += some.run();
    }
    return moved;
  }

  void insert_intents() {
    std::sort(requests_.begin(), requests_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.made.fire_at, a.made.job) < std::tie(b.made.fire_at, b.made.job);
    });
    for (const auto part : exact_chunks(requests_.size()))
      insert(std::span{requests_}.subspan(part.begin, part.count));
  }

  void insert(std::span<new_intent> some_requests) {
    try {
      auto& some = db_.prepare(
        "INSERT INTO rm_intent (kind, job, fire_ms, origin_log_id, shard, shard_total, retry_left, node, incarnation, created_ms,"
        " schedule) VALUES {(?,?,?,0,0,0,0,?,?,?,?),}",
        some_requests.size());
      for (const auto& request : some_requests)
        some.add(intent_kind_name(request.made.kind))
          .add(request.made.job)
          .add(request.made.fire_at)
          .add(owner_.node)
          .add(owner_.incarnation)
          .add(request.made.fire_at)
          .add(*request.schedule);
      some.run();
      auto id = some.first_id();
      for (auto& request : some_requests) {
        request.made.id = core::intent_id{id};
        id += db_.id_step();
        out_.intents.push_back(std::move(request.made));
      }
    } catch (const driver_error& failure) {
      // Reserved before (S5). The server has undone this statement only.
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      if (some_requests.size() == 1)
        reserve_again(some_requests.front());
      else
        for (std::size_t i = 0; i < some_requests.size(); ++i)
          insert(some_requests.subspan(i, 1));
    }
  }

  /// Updates a waiting instant to the present schedule: the job may have been edited to another schedule that also has this
  /// instant, and with the old one its claim would drop it (S3).
  void reserve_again(const new_intent& request) {
    ++out_.doubles;
    db_.execute("UPDATE rm_intent SET schedule = ? WHERE job = ? AND kind = ? AND fire_ms = ? AND origin_log_id = 0 AND shard = 0"
                " AND state = 0",
                *request.schedule, request.made.job, intent_kind_name(request.made.kind), request.made.fire_at);
  }

  session& own_;
  connection& db_;
  rule_cache& rules_;
  const core::node_incarnation& owner_;
  const core::reserve_window& window_;
  std::vector<due_row> rows_;
  std::vector<core::schedule_move> moves_;
  std::vector<new_intent> requests_;
  core::reserve_outcome out_;
};

} // namespace

core::result<const core::schedule*> rule_cache::find(std::string_view type, std::string_view conf) {
  auto text = std::string{type}.append(" ").append(conf);
  if (const auto known = rules_.find(text); known != rules_.end())
    return &known->second;
  auto rule = core::schedule::compile(core::find_schedule_type(type).value_or(core::schedule_type::none), conf, where_);
  if (!rule)
    return tl::unexpected{rule.error()};
  if (rules_.size() >= rules_max)
    rules_.clear();
  return &rules_.emplace(std::move(text), std::move(*rule)).first->second;
}

core::result<core::reserve_outcome> reservation_role::reserve(const core::node_incarnation& owner,
                                                              const core::reserve_window& window) {
  return own_.db.transact([&] { return reserving{own_, rules_, owner, window}.run(); });
}

} // namespace ringmaster::storage::mysql
