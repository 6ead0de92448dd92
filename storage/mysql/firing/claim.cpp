#include <map>
#include <unordered_set>

#include <mysql/mysqld_error.h>

#include "core/job/address_list.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/run/claim_rules.hpp"
#include "core/text/text.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/mysql/firing/intent_check.hpp"
#include "storage/mysql/firing/missed_rows.hpp"
#include "storage/mysql/firing/row_texts.hpp"
#include "storage/mysql/firing/schedule_moves.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/rows/claim_values.hpp"

namespace ringmaster::storage::mysql {

namespace {

using core::claim_outcome;

/// Approximate length of a trigger message.
constexpr std::size_t shared_text_bytes = 1024;

/// The parts of a batch that are kept.
struct selection {
  move_list moves;
  std::vector<core::intent_id> intents;
  /// Positions in the batch.
  std::vector<std::size_t> runs;
};

selection everything_in(const core::claim_batch& batch) {
  selection out;
  out.moves = all_moves(batch);
  for (std::size_t i = 0; i < batch.runs.size(); ++i) {
    out.runs.push_back(i);
    if (const auto& intent = batch.runs[i].intent)
      out.intents.push_back(*intent);
  }
  out.intents = sorted(std::span<const core::intent_id>{out.intents});
  return out;
}

/// T1 and T2 of one batch. The short path trusts the guards inside the statements and their row counts. If one part lost, or
/// another transaction holds a row of it, everything is rolled back; the long path then reads under locks which parts win, and
/// leaves out locked rows.
class claiming {
public:
  claiming(session& own, const core::claim_batch& batch, core::time_point now)
    : own_{own}, db_{own.db}, batch_{batch}, now_{now} {}

  core::result<claim_outcome> run() {
    auto out = run_unchecked();
    // In shared mode this check comes last: a claim takes longer there, and an edit of the mode waits for this lock. Either way,
    // no fence commits between the check and the commit.
    if (batch_.shared && out)
      if (auto current = own_.check_current(batch_.owner); !current)
        return tl::unexpected{current.error()};
    return out;
  }

private:
  core::result<void> begin() {
    if (!batch_.shared)
      return own_.check_current(batch_.owner);
    locked_for_edits_ = keep_edits_off(own_, batch_, careful_);
    return {};
  }

  core::result<claim_outcome> run_unchecked() {
    bool failed = false;
    try {
      if (auto current = begin(); !current)
        return tl::unexpected{current.error()};
      if (auto outcome = run_trusting())
        return std::move(*outcome);
    } catch (const driver_error& failure) {
      if (!failure.lock_held())
        throw;
      failed = true;
    }
    if (failed)
      db_.start_over_behind_failure();
    else
      db_.start_over();
    // The long path first looks for an earlier call whose answer was lost, and returns the runs that it kept.
    if (failed && !db_.skills().skip && !was_kept())
      return all_locked();
    careful_ = true;
    db_.allow_waiting();
    if (auto current = begin(); !current)
      return tl::unexpected{current.error()};
    return run_under_locks();
  }

  bool was_kept() {
    return db_.query("SELECT 1 FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?", batch_.owner.node,
                     batch_.owner.incarnation, batch_.sequence)
      .next();
  }

  claim_outcome all_locked() {
    claim_outcome out;
    out.sequence = batch_.sequence;
    out.locked_as_one = true;
    out.locked_intents = everything_in(batch_).intents;
    for (const auto& move : batch_.moves)
      out.locked_jobs.push_back(move.job);
    return out;
  }

  /// Returns the outcome; empty when a part of the batch lost.
  std::optional<claim_outcome> run_trusting() {
    const auto all = everything_in(batch_);
    if (are_free(own_, all.moves) && write_moves(own_, all.moves, batch_.seen_revision) == all.moves.size()
        && take(all.intents) == all.intents.size()
        && check_intents(own_, batch_, all.intents, false).sound.size() == all.intents.size())
      return insert(all);
    return std::nullopt;
  }

  core::result<claim_outcome> run_under_locks() {
    if (auto committed =
          db_.query("SELECT maybe_sent, first_log_id, items FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?",
                    batch_.owner.node, batch_.owner.incarnation, batch_.sequence);
        committed.next())
      return repeat(committed);
    claim_outcome lost;
    selection winners;
    winners.moves = lock_moves(own_, batch_, lost.lost_races, lost.locked_jobs);
    lock_intents(winners, lost);
    keep_runs(winners);
    write_moves(own_, winners.moves, batch_.seen_revision);
    take(winners.intents);
    auto out = insert(winners);
    if (!out)
      return core::fail(core::errc::internal, "claim " + std::to_string(batch_.sequence) + " appeared during its own claim");
    out->lost_races = std::move(lost.lost_races);
    out->lost_intents = std::move(lost.lost_intents);
    out->dropped_intents = std::move(lost.dropped_intents);
    out->stale_intents = std::move(lost.stale_intents);
    out->locked_jobs = std::move(lost.locked_jobs);
    out->locked_intents = std::move(lost.locked_intents);
    return std::move(*out);
  }

  /// Returns what an earlier call, whose answer was lost, kept and is still to be sent.
  core::result<claim_outcome> repeat(const rows& committed) {
    const auto sequence = std::to_string(batch_.sequence);
    if (committed.number(0) != 0)
      return core::fail(core::errc::internal, "claim " + sequence + " is adopted: its number was used twice");
    const auto items = unpack(committed.id<core::log_id>(1), committed.text(2));
    if (!items)
      return tl::unexpected{items.error()};
    const auto open = unresolved(*items);
    claim_outcome out;
    out.sequence = batch_.sequence;
    out.repeated = true;
    for (const auto& item : *items) {
      if (item.position >= batch_.runs.size() || batch_.runs[item.position].spec->id != item.job)
        return core::fail(core::errc::internal, "claim " + sequence + " was repeated with other runs");
      if (open.contains(core::number(item.id)))
        out.runs.push_back({item.id, batch_.sequence, batch_.runs[item.position], item.attempt, batch_.owner.incarnation, {}});
    }
    if (out.runs.empty())
      db_.execute("DELETE FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?", batch_.owner.node,
                  batch_.owner.incarnation, batch_.sequence);
    return out;
  }

  std::unordered_set<std::int64_t> unresolved(const std::vector<claim_item>& items) {
    std::unordered_set<std::int64_t> out;
    for (const auto part : padded_chunks(items.size())) {
      auto& some =
        db_.prepare("SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND trigger_code = 0", part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(items[part.at(i)].id);
      for (auto found = some.select(); found.next();)
        out.insert(found.number(0));
    }
    return out;
  }

  /// Returns how many of the intents were waiting.
  std::uint64_t take(const std::vector<core::intent_id>& intents) {
    std::uint64_t taken = 0;
    for (const auto part : padded_chunks(intents.size())) {
      auto& some = db_.prepare(
        "UPDATE rm_intent FORCE INDEX (PRIMARY) SET state = 1, node = ?, incarnation = ? WHERE id IN ({?,}) AND state = 0",
        part.rows);
      some.add(batch_.owner.node).add(batch_.owner.incarnation);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(intents[part.at(i)]);
      taken += some.run();
    }
    return taken;
  }

  using id_set = std::unordered_set<std::int64_t>;

  /// Returns the waiting intents; with `lock` without those that another transaction holds, where the server can leave them out.
  id_set waiting_of(const std::vector<core::intent_id>& intents, bool lock) {
#define RINGMASTER_WAITING "SELECT id FROM rm_intent FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND state = 0 ORDER BY id"
    const sql text = !lock                  ? sql{RINGMASTER_WAITING}
                     : db_.skills().skip ? sql{RINGMASTER_WAITING " FOR UPDATE SKIP LOCKED"}
                                         : sql{RINGMASTER_WAITING " FOR UPDATE"};
#undef RINGMASTER_WAITING
    id_set out;
    for (const auto part : padded_chunks(intents.size())) {
      auto& some = db_.prepare(text, part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(intents[part.at(i)]);
      for (auto found = some.select(); found.next();)
        out.insert(found.number(0));
    }
    return out;
  }

  /// Returns the intents that this transaction holds, and sets their verdicts; intents that are not available now are added to
  /// `lost.locked_intents`.
  id_set hold_intents(const std::vector<core::intent_id>& all, intent_verdicts& verdicts, claim_outcome& lost) {
    auto held = waiting_of(all, true);
    std::vector<core::intent_id> mine, others;
    for (const auto id : all)
      (held.contains(core::number(id)) ? mine : others).push_back(id);
    auto out_of_reach = waiting_of(others, false);
    verdicts = check_intents(own_, batch_, mine, true);
    out_of_reach.merge(verdicts.locked);
    for (const auto& run : batch_.runs)
      if (run.intent && locked_for_edits_.contains(core::number(run.spec->id)) && held.contains(core::number(*run.intent)))
        out_of_reach.insert(core::number(*run.intent));
    for (const auto id : all)
      if (out_of_reach.contains(core::number(id))) {
        lost.locked_intents.push_back(id);
        held.erase(core::number(id));
      }
    return held;
  }

  void lock_intents(selection& winners, claim_outcome& lost) {
    intent_verdicts verdicts;
    const auto waiting = hold_intents(everything_in(batch_).intents, verdicts, lost);
    id_set decided;
    for (const auto id : lost.locked_intents)
      decided.insert(core::number(id));
    for (const auto& run : batch_.runs) {
      if (!run.intent || !decided.insert(core::number(*run.intent)).second)
        continue;
      const auto id = core::number(*run.intent);
      const bool was_waiting = waiting.contains(id);
      if (was_waiting && verdicts.sound.contains(id)) {
        winners.intents.push_back(*run.intent);
        continue;
      }
      if (was_waiting && verdicts.stale.contains(id)) {
        lost.stale_intents.push_back(*run.intent);
        continue;
      }
      (was_waiting && verdicts.changed.contains(id) ? lost.dropped_intents : lost.lost_intents).push_back(*run.intent);
      // Deletes the intents of a removed job: its retries and children (firing protocol §7.5), and the instants reserved of a job
      // that another program edited (S3).
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

  /// Inserts log rows and the claim row. Empty when the claim's number is taken: it was committed before.
  std::optional<claim_outcome> insert(const selection& what) {
    auto out = insert(what.runs);
    if (out)
      out->missed = insert_missed_rows(own_, what.moves, batch_.node_host, now_);
    return out;
  }

  std::optional<claim_outcome> insert(const std::vector<std::size_t>& positions) {
    claim_outcome out;
    out.sequence = batch_.sequence;
    if (positions.empty())
      return out;
    std::vector<claim_item> items;
    items.reserve(positions.size());
    out.runs.reserve(positions.size());
    if (batch_.shared)
      groups_ = group_texts(own_, batch_.runs);
    const auto bytes_of = [&](std::size_t i) {
      return batch_.runs[positions[i]].effective_param().size() + (batch_.shared ? shared_text_bytes : 0);
    };
    for (const auto part : chunks_within_bytes(positions.size(), bytes_of, exact_chunks)) {
      const auto some = std::span{positions}.subspan(part.begin, part.count);
      auto id = batch_.shared ? insert_rows_as_java(some) : insert_log_rows(some);
      for (std::size_t i = 0; i < part.count; ++i, id += db_.id_step()) {
        const auto position = positions[part.at(i)];
        const auto& run = batch_.runs[position];
        items.push_back({core::log_id{id}, run.spec->id, run.fire_at, run.part, 0, static_cast<std::uint32_t>(position)});
        out.runs.push_back({core::log_id{id}, batch_.sequence, run, 0, batch_.owner.incarnation, {}});
        if (core::is_asked_for(run))
          db_.execute("INSERT INTO rm_asked_run (log_id, intent, addresses, user_name)"
                      " SELECT ?, id, ?, user_name FROM rm_intent WHERE id = ?",
                      id, core::join_addresses(run.addresses), *run.intent);
      }
    }
    const auto first = items.front().id;
    try {
      db_.execute("INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES (?, ?, ?, 0, ?, ?)",
                  batch_.owner.node, batch_.owner.incarnation, batch_.sequence, first, bytes{pack(first, items)});
    } catch (const driver_error& failure) {
      if (failure.number() != ER_DUP_ENTRY)
        throw;
      return std::nullopt;
    }
    return out;
  }

  [[nodiscard]] log_values values_of(const core::planned_run& run) const {
    auto values = log_values_of(run, batch_.node_host);
    if (const auto most = own_.shape.limits.param_chars; most != 0)
      values.param = core::cut_characters(values.param, most);
    return values;
  }

  /// Adds the columns that both kinds of rows begin with.
  static void add_target(statement& to, const core::planned_run& run, log_values& values) {
    to.add(run.spec->group)
      .add(run.spec->id)
      .add(values.address)
      .add(values.handler)
      .add(values.param)
      .add(std::move(values.sharding));
    to.add(run.retry_left);
  }

  /// Returns the first id; the server assigns equidistant ids to the rows of one statement.
  std::int64_t insert_log_rows(std::span<const std::size_t> positions) {
    auto& some = db_.prepare(
      "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param,"
      " executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code,"
      " handle_msg, alarm_status) VALUES {(?,?,?,?,?,?,?,?,0,?,?,0,'',0),}",
      positions.size());
    for (const auto position : positions) {
      const auto& run = batch_.runs[position];
      auto values = values_of(run);
      const auto fire_time = date_text(run.fire_at);
      add_target(some, run, values);
      some.add(fire_time).add(std::move(values.message)).add(fire_time);
    }
    some.run();
    return some.first_id();
  }

  /// Leaves the result columns empty until there is a result.
  std::int64_t insert_rows_as_java(std::span<const std::size_t> positions) {
    auto& some = db_.prepare(
      "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param,"
      " executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_code, alarm_status)"
      " VALUES {(?,?,?,?,?,?,?,?,0,?,0,0),}",
      positions.size());
    for (const auto position : positions) {
      const auto& run = batch_.runs[position];
      auto values = values_of(run);
      add_target(some, run, values);
      some.add(date_text(run.fire_at)).add(claim_text(own_, run, batch_.node_host, groups_));
    }
    some.run();
    return some.first_id();
  }

  /// Valid as long as this object. Cached, because most runs of a batch share their second.
  std::string_view date_text(core::time_point t) {
    auto& text = dates_[core::cut_to_second(t)];
    if (text.empty())
      text = own_.dates.of(t);
    return text;
  }

  session& own_;
  connection& db_;
  const core::claim_batch& batch_;
  const core::time_point now_;
  /// Whether this is the long path.
  bool careful_ = false;
  /// Jobs of intents that another transaction holds, in shared mode.
  std::unordered_set<std::int64_t> locked_for_edits_;
  std::map<core::time_point, std::string> dates_;
  std::map<core::group_id, group_text> groups_;
};

} // namespace

core::result<core::claim_outcome> firing_role::claim(const core::claim_batch& batch, core::time_point now) {
  if (auto sound = core::check(batch); !sound)
    return tl::unexpected{sound.error()};
  return own_.db.transact_without_waiting([&] { return claiming{own_, batch, now}.run(); });
}

} // namespace ringmaster::storage::mysql
