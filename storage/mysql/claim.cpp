#include <map>
#include <unordered_set>

#include <mysql/mysqld_error.h>

#include "storage/claim_items.hpp"
#include "storage/claim_rules.hpp"
#include "storage/mysql/batches.hpp"
#include "storage/mysql/firing.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::claim_outcome;
using move_list = std::vector<const core::schedule_move*>;

/// From here on a constant UPDATE for moves with the same new times is cheaper than their part in a CASE.
constexpr std::size_t group_rows_min = 10;

std::int64_t next_ms(const core::schedule_move& move) { return move.next ? core::to_ms(*move.next) : 0; }

bool by_job(const core::schedule_move* a, const core::schedule_move* b) { return a->job < b->job; }

/// The moves by their new times: groups of equal ones that are worth a statement each, and the rest in job order.
std::pair<std::vector<move_list>, move_list> grouped(const move_list& moves) {
  std::map<std::pair<core::time_point, std::int64_t>, move_list> by_times;
  for (const auto* move : moves)
    by_times[{move->last, next_ms(*move)}].push_back(move);
  std::pair<std::vector<move_list>, move_list> out;
  for (auto& [times, group] : by_times)
    if (group.size() >= group_rows_min)
      out.first.push_back(std::move(group));
    else
      out.second.insert(out.second.end(), group.begin(), group.end());
  std::sort(out.second.begin(), out.second.end(), by_job);
  return out;
}

/// What of a batch goes on.
struct selection {
  move_list moves;
  std::vector<core::intent_id> intents;
  /// Positions in the batch.
  std::vector<std::size_t> runs;
};

selection everything_in(const core::claim_batch& batch) {
  selection out;
  for (const auto& move : batch.moves)
    out.moves.push_back(&move);
  std::sort(out.moves.begin(), out.moves.end(), by_job);
  for (std::size_t i = 0; i < batch.runs.size(); ++i) {
    out.runs.push_back(i);
    if (const auto& intent = batch.runs[i].intent)
      out.intents.push_back(*intent);
  }
  out.intents = sorted(std::span<const core::intent_id>{out.intents});
  return out;
}

/// T1 and T2 of one batch. The short way trusts the guards inside the statements and their row counts; if one part lost, everything is
/// rolled back and the long way reads under locks who won.
class claiming {
public:
  claiming(session& own, const core::claim_batch& batch) : own_{own}, db_{own.db}, batch_{batch} {}

  core::result<claim_outcome> run() {
    if (auto current = own_.check_current(batch_.owner); !current)
      return tl::unexpected{current.error()};
    const auto all = everything_in(batch_);
    if (move(all.moves) == all.moves.size() && take(all.intents) == all.intents.size() && jobs_of(all.intents).size() == all.intents.size())
      if (auto outcome = insert(all.runs))
        return std::move(*outcome);
    db_.start_over();
    if (auto current = own_.check_current(batch_.owner); !current)
      return tl::unexpected{current.error()};
    return run_under_locks();
  }

private:
  core::result<claim_outcome> run_under_locks() {
    if (auto committed = db_.query("SELECT maybe_sent, first_log_id, items FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?",
                                   batch_.owner.node, batch_.owner.incarnation, batch_.sequence);
        committed.next())
      return repeat(committed);
    claim_outcome lost;
    auto winners = lock_moves(lost);
    lock_intents(winners, lost);
    keep_runs(winners);
    move(winners.moves);
    take(winners.intents);
    auto out = insert(winners.runs);
    if (!out)
      return core::fail(core::errc::internal, "claim " + std::to_string(batch_.sequence) + " is there and was not");
    out->lost_races = std::move(lost.lost_races);
    out->lost_intents = std::move(lost.lost_intents);
    return std::move(*out);
  }

  /// The answer of an earlier call was lost: what it kept, as far as it is still to be sent.
  core::result<claim_outcome> repeat(const rows& committed) {
    const auto sequence = std::to_string(batch_.sequence);
    if (committed.number(0) != 0)
      return core::fail(core::errc::internal, "claim " + sequence + " is an adopted one: its number was used twice");
    const auto items = unpack(committed.id<core::log_id>(1), committed.text(2));
    if (!items)
      return tl::unexpected{items.error()};
    claim_outcome out;
    out.sequence = batch_.sequence;
    for (const auto& item : *items) {
      if (item.position >= batch_.runs.size() || batch_.runs[item.position].spec->id != item.job)
        return core::fail(core::errc::internal, "claim " + sequence + " was repeated with other runs");
      if (db_.query("SELECT 1 FROM xxl_job_log WHERE id = ? AND trigger_code = 0", item.id).next())
        out.runs.push_back({item.id, batch_.sequence, batch_.runs[item.position], item.attempt});
    }
    return out;
  }

  /// How many of the moves their guards let through.
  std::uint64_t move(const move_list& moves) {
    std::uint64_t moved = 0;
    const auto [groups, rest] = grouped(moves);
    for (const auto& group : groups)
      moved += move_alike(group);
    for (const auto part : padded_chunks(rest.size(), case_rows_max)) {
      auto& some = db_.prepare("UPDATE rm_schedule FORCE INDEX (PRIMARY) SET last_ms = CASE job {WHEN ? THEN ? }END,"
                               " next_ms = CASE job {WHEN ? THEN ? }END WHERE (job, next_ms) IN ({(?,?),}) AND next_ms <> 0 AND revision <= ?", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(rest[part.at(i)]->job).add(rest[part.at(i)]->last);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(rest[part.at(i)]->job).add(next_ms(*rest[part.at(i)]));
      moved += run_guarded(some, rest, part);
    }
    stop_exhausted(moves);
    return moved;
  }

  std::uint64_t move_alike(const move_list& group) {
    std::uint64_t moved = 0;
    for (const auto part : padded_chunks(group.size())) {
      auto& some = db_.prepare("UPDATE rm_schedule FORCE INDEX (PRIMARY) SET last_ms = ?, next_ms = ? WHERE (job, next_ms) IN ({(?,?),})"
                               " AND next_ms <> 0 AND revision <= ?", part.rows);
      some.add(group.front()->last).add(next_ms(*group.front()));
      moved += run_guarded(some, group, part);
    }
    return moved;
  }

  std::uint64_t run_guarded(statement& some, const move_list& moves, chunk part) {
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->expected_next);
    return some.add(batch_.seen_revision).run();
  }

  /// The mirror for people of a schedule that came to its end. Undone with everything else when a move lost.
  void stop_exhausted(const move_list& moves) {
    for (const auto* move : moves)
      if (!move->next)
        db_.execute("UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = ?, trigger_next_time = 0 WHERE id = ?", move->last, move->job);
  }

  /// How many of the intents were waiting.
  std::uint64_t take(const std::vector<core::intent_id>& intents) {
    std::uint64_t taken = 0;
    for (const auto part : padded_chunks(intents.size())) {
      auto& some = db_.prepare("UPDATE rm_intent FORCE INDEX (PRIMARY) SET state = 1, node = ?, incarnation = ? WHERE id IN ({?,}) AND state = 0",
                               part.rows);
      some.add(batch_.owner.node).add(batch_.owner.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(intents[part.at(i)]);
      taken += some.run();
    }
    return taken;
  }

  /// Those of the intents whose job exists.
  std::unordered_set<std::int64_t> jobs_of(const std::vector<core::intent_id>& intents) {
    std::unordered_set<std::int64_t> out;
    for (const auto part : padded_chunks(intents.size())) {
      auto& some = db_.prepare("SELECT n.id FROM rm_intent n JOIN xxl_job_info i ON i.id = n.job WHERE n.id IN ({?,})", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(intents[part.at(i)]);
      for (auto found = some.select(); found.next();)
        out.insert(found.number(0));
    }
    return out;
  }

  selection lock_moves(claim_outcome& lost) {
    struct state {
      std::int64_t next_ms;
      std::int64_t revision;
    };
    std::map<std::int64_t, state> states;
    const auto all = everything_in(batch_);
    for (const auto part : padded_chunks(all.moves.size())) {
      auto& some = db_.prepare("SELECT job, next_ms, revision FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,}) ORDER BY job FOR UPDATE",
                               part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(all.moves[part.at(i)]->job);
      for (auto found = some.select(); found.next();)
        states[found.number(0)] = {found.number(1), found.number(2)};
    }
    selection out;
    for (const auto& move : batch_.moves) {
      const auto at = states.find(core::number(move.job));
      // 0 stands for "not scheduled", which nobody can have seen as a due time.
      if (at != states.end() && at->second.next_ms != 0 && at->second.next_ms == core::to_ms(move.expected_next)
          && at->second.revision <= batch_.seen_revision)
        out.moves.push_back(&move);
      else
        lost.lost_races.push_back(move.job);
    }
    std::sort(out.moves.begin(), out.moves.end(), by_job);
    return out;
  }

  void lock_intents(selection& winners, claim_outcome& lost) {
    std::unordered_set<std::int64_t> waiting;
    const auto all = everything_in(batch_).intents;
    for (const auto part : padded_chunks(all.size())) {
      auto& some = db_.prepare("SELECT id FROM rm_intent FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND state = 0 ORDER BY id FOR UPDATE", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(all[part.at(i)]);
      for (auto found = some.select(); found.next();)
        waiting.insert(found.number(0));
    }
    const auto with_job = jobs_of(all);
    std::unordered_set<std::int64_t> decided;
    for (const auto& run : batch_.runs) {
      if (!run.intent || !decided.insert(core::number(*run.intent)).second)
        continue;
      const bool was_waiting = waiting.contains(core::number(*run.intent));
      if (was_waiting && with_job.contains(core::number(*run.intent))) {
        winners.intents.push_back(*run.intent);
        continue;
      }
      lost.lost_intents.push_back(*run.intent);
      // Deleting a job ends its retries and children here (firing protocol §7.5).
      if (was_waiting)
        db_.execute("DELETE FROM rm_intent WHERE id = ?", *run.intent);
    }
    std::sort(winners.intents.begin(), winners.intents.end());
  }

  void keep_runs(selection& winners) {
    std::unordered_set<std::int64_t> jobs;
    std::unordered_set<std::int64_t> intents;
    for (const auto* move : winners.moves)
      jobs.insert(core::number(move->job));
    for (const auto intent : winners.intents)
      intents.insert(core::number(intent));
    for (std::size_t i = 0; i < batch_.runs.size(); ++i) {
      const auto& run = batch_.runs[i];
      if (run.intent ? intents.contains(core::number(*run.intent)) : jobs.contains(core::number(run.spec->id)))
        winners.runs.push_back(i);
    }
  }

  /// Log rows and the claim row. Nothing when the claim's number is taken: it was committed before.
  std::optional<claim_outcome> insert(const std::vector<std::size_t>& positions) {
    claim_outcome out;
    out.sequence = batch_.sequence;
    if (positions.empty())
      return out;
    std::vector<claim_item> items;
    items.reserve(positions.size());
    out.runs.reserve(positions.size());
    const auto bytes_of = [&](std::size_t i) { return batch_.runs[positions[i]].effective_param().size(); };
    for (const auto part : chunks_within_bytes(positions.size(), bytes_of, exact_chunks)) {
      auto id = insert_log_rows(std::span{positions}.subspan(part.begin, part.count));
      for (std::size_t i = 0; i < part.count; ++i, id += db_.id_step()) {
        const auto position = positions[part.at(i)];
        const auto& run = batch_.runs[position];
        items.push_back({core::log_id{id}, run.spec->id, run.fire_at, run.part, 0, static_cast<std::uint32_t>(position)});
        out.runs.push_back({core::log_id{id}, batch_.sequence, run, 0});
      }
    }
    const auto first = items.front().id;
    try {
      db_.execute("INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES (?, ?, ?, 0, ?, ?)", batch_.owner.node,
                  batch_.owner.incarnation, batch_.sequence, first, bytes{pack(first, items)});
    } catch (const driver_error& failure) {
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      return std::nullopt;
    }
    return out;
  }

  /// The first id; the server gives one statement's rows equidistant ids.
  std::int64_t insert_log_rows(std::span<const std::size_t> positions) {
    auto& some = db_.prepare("INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param,"
                             " executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code,"
                             " handle_msg, alarm_status) VALUES {(?,?,?,?,?,?,?,?,0,?,?,0,'',0),}", positions.size());
    for (const auto position : positions) {
      const auto& run = batch_.runs[position];
      auto values = log_values_of(run, batch_.node_host);
      const auto fire_time = date_text(run.fire_at);
      some.add(run.spec->group).add(run.spec->id).add(values.address).add(values.handler).add(values.param).add(std::move(values.sharding));
      some.add(run.retry_left).add(fire_time).add(std::move(values.message)).add(fire_time);
    }
    some.run();
    return some.first_id();
  }

  /// Valid as long as this object: most runs of a batch share their second.
  std::string_view date_text(core::time_point t) {
    auto& text = dates_[core::cut_to_second(t)];
    if (text.empty())
      text = own_.dates.of(t);
    return text;
  }

  session& own_;
  connection& db_;
  const core::claim_batch& batch_;
  std::map<core::time_point, std::string> dates_;
};

} // namespace

core::result<core::claim_outcome> firing_role::claim(const core::claim_batch& batch, core::time_point) {
  if (auto sound = check(batch); !sound)
    return tl::unexpected{sound.error()};
  return own_.db.transact([&] { return claiming{own_, batch}.run(); });
}

} // namespace ringmaster::storage::mysql
