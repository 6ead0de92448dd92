#include "storage/mysql/firing/schedule_moves.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "storage/mysql/driver/batches.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Minimum number of moves with the same new times for which a constant UPDATE is cheaper than a CASE.
constexpr std::size_t alike_moves_min = 10;

std::int64_t next_ms(const core::schedule_move& move) { return move.next ? core::to_ms(*move.next) : 0; }

void sort_by_job(move_list& moves) {
  std::sort(moves.begin(), moves.end(), [](const auto* a, const auto* b) { return a->job < b->job; });
}

struct grouped_moves {
  /// Lists of at least `alike_moves_min` moves with equal new times; either all moves of a list drop instants or none does.
  std::vector<move_list> alike;
  move_list others;
  /// Other moves that drop instants.
  move_list missed;
};

grouped_moves group(const move_list& moves) {
  std::map<std::tuple<core::time_point, std::int64_t, bool>, move_list> by_times;
  for (const auto* move : moves)
    by_times[{move->last, next_ms(*move), move->missed.has_value()}].push_back(move);
  grouped_moves out;
  for (auto& [times, some] : by_times)
    if (some.size() >= alike_moves_min)
      out.alike.push_back(std::move(some));
    else if (some.front()->missed)
      out.missed.insert(out.missed.end(), some.begin(), some.end());
    else
      out.others.insert(out.others.end(), some.begin(), some.end());
  sort_by_job(out.others);
  sort_by_job(out.missed);
  return out;
}

std::uint64_t run_guarded(statement& some, const move_list& moves, chunk part, std::int64_t seen_revision) {
  for (std::size_t i = 0; i < part.rows; ++i)
    some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->expected_next);
  return some.add(seen_revision).run();
}

/// Returns whether the moves drop instants: either all of a list do, or none.
bool drop_instants(const move_list& moves) { return !moves.empty() && moves.front()->missed; }

/// `sent_ms` keeps the last sent instant, as long as the last instant was missed.
#define RINGMASTER_KEEP_SENT                                                                                                     \
  "UPDATE rm_schedule FORCE INDEX (PRIMARY) SET sent_ms = IF(last_ms = missed_ms, sent_ms, last_ms),"

std::uint64_t write_alike(connection& db, const move_list& moves, std::int64_t seen_revision) {
  const bool drops = drop_instants(moves);
  std::uint64_t moved = 0;
  for (const auto part : padded_chunks(moves.size())) {
    auto& some = drops ? db.prepare(
                           RINGMASTER_KEEP_SENT " missed_ms = ?, last_ms = ?, next_ms = ? WHERE (job, next_ms) IN ({(?,?),})"
                                                " AND next_ms <> 0 AND revision <= ?",
                           part.rows)
                       : db.prepare(
                           "UPDATE rm_schedule FORCE INDEX (PRIMARY) SET last_ms = ?, next_ms = ?"
                           " WHERE (job, next_ms) IN ({(?,?),}) AND next_ms <> 0 AND revision <= ?",
                           part.rows);
    if (drops)
      some.add(moves.front()->last);
    some.add(moves.front()->last).add(next_ms(*moves.front()));
    moved += run_guarded(some, moves, part, seen_revision);
  }
  return moved;
}

std::uint64_t write_others(connection& db, const move_list& moves, std::int64_t seen_revision) {
  const bool drops = drop_instants(moves);
  std::uint64_t moved = 0;
  for (const auto part : padded_chunks(moves.size(), case_rows_max)) {
    auto& some =
      drops ? db.prepare(
                RINGMASTER_KEEP_SENT " missed_ms = CASE job {WHEN ? THEN ? }END, last_ms = CASE job {WHEN ? THEN ? }END,"
                                     " next_ms = CASE job {WHEN ? THEN ? }END WHERE (job, next_ms) IN ({(?,?),})"
                                     " AND next_ms <> 0 AND revision <= ?",
                part.rows)
            : db.prepare(
                "UPDATE rm_schedule FORCE INDEX (PRIMARY) SET last_ms = CASE job {WHEN ? THEN ? }END,"
                " next_ms = CASE job {WHEN ? THEN ? }END WHERE (job, next_ms) IN ({(?,?),}) AND next_ms <> 0 AND revision <= ?",
                part.rows);
    for (int column = 0; column < (drops ? 2 : 1); ++column)
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(moves[part.at(i)]->job).add(moves[part.at(i)]->last);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moves[part.at(i)]->job).add(next_ms(*moves[part.at(i)]));
    moved += run_guarded(some, moves, part, seen_revision);
  }
  return moved;
}

#undef RINGMASTER_KEEP_SENT

struct schedule_state {
  std::int64_t next_ms;
  std::int64_t revision;
};

using schedule_states = std::unordered_map<std::int64_t, schedule_state>;

// 0 means "not scheduled", which no planner can have seen as a due time.
bool is_as_planned(const schedule_state& state, const core::schedule_move& move, std::int64_t seen_revision) {
  return state.next_ms != 0 && state.next_ms == core::to_ms(move.expected_next) && state.revision <= seen_revision;
}

#define RINGMASTER_READ_SCHEDULES                                                                                                \
  "SELECT job, next_ms, revision FROM rm_schedule FORCE INDEX (PRIMARY) WHERE job IN ({?,})"

schedule_states read_schedules(session& own, const move_list& moves, const sql& text) {
  schedule_states out;
  for (const auto part : padded_chunks(moves.size())) {
    auto& some = own.db.prepare(text, part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(moves[part.at(i)]->job);
    for (auto found = some.select(); found.next();)
      out[found.number(0)] = {found.number(1), found.number(2)};
  }
  return out;
}

/// Reads and locks the schedules, without those that another transaction holds, where the server can leave them out.
schedule_states hold_schedules(session& own, const move_list& moves) {
  return read_schedules(own, moves,
                        own.db.skills().skip ? sql{RINGMASTER_READ_SCHEDULES " ORDER BY job FOR UPDATE SKIP LOCKED"}
                                             : sql{RINGMASTER_READ_SCHEDULES " ORDER BY job FOR UPDATE"});
}

/// Returns the jobs whose rows of `xxl_job_info` the moves can write. A move with a next time does not write that row and always
/// counts.
std::unordered_set<std::int64_t> lock_ending(session& own, const move_list& moves) {
  std::unordered_set<std::int64_t> out;
  for (const auto* move : moves)
    if (move->next || !own.db.skills().skip
        || own.db.query("SELECT id FROM xxl_job_info WHERE id = ? FOR UPDATE SKIP LOCKED", move->job).next()
        || !own.db.query("SELECT id FROM xxl_job_info WHERE id = ?", move->job).next())
      out.insert(core::number(move->job));
  return out;
}

} // namespace

move_list all_moves(const core::claim_batch& batch) {
  move_list out;
  for (const auto& move : batch.moves)
    out.push_back(&move);
  sort_by_job(out);
  return out;
}

std::uint64_t write_moves(session& own, const move_list& moves, std::int64_t seen_revision) {
  const auto groups = group(moves);
  auto moved = write_others(own.db, groups.others, seen_revision) + write_others(own.db, groups.missed, seen_revision);
  for (const auto& alike : groups.alike)
    moved += write_alike(own.db, alike, seen_revision);
  // Clears XXL's columns of a schedule that has ended (XXL admin §3.2). Rolled back with everything else when a move lost.
  for (const auto* move : moves)
    if (!move->next)
      own.db.execute("UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0 WHERE id = ?",
                     move->job);
  return moved;
}

bool are_free(session& own, const move_list& moves) {
  const auto& skills = own.db.skills();
  return !skills.skip || skills.wait_zero || hold_schedules(own, moves).size() == moves.size();
}

move_list lock_moves(session& own, const core::claim_batch& batch, std::vector<core::job_id>& lost,
                     std::vector<core::job_id>& locked) {
  const auto wanted = all_moves(batch);
  const auto held = hold_schedules(own, wanted);
  const auto ended = lock_ending(own, wanted);
  // The present state of a schedule that is not held decides whether to try again.
  move_list missing;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(missing),
               [&](const auto* move) { return !held.contains(core::number(move->job)); });
  const auto seen = read_schedules(own, missing, sql{RINGMASTER_READ_SCHEDULES});
  move_list out;
  for (const auto& move : batch.moves) {
    const auto id = core::number(move.job);
    const auto at = held.find(id);
    const auto beside = seen.find(id);
    const bool wins = at != held.end() && is_as_planned(at->second, move, batch.seen_revision);
    const bool may_win = beside != seen.end() && is_as_planned(beside->second, move, batch.seen_revision);
    if (wins && ended.contains(id))
      out.push_back(&move);
    else if (wins || may_win)
      locked.push_back(move.job);
    else
      lost.push_back(move.job);
  }
  sort_by_job(out);
  return out;
}

#undef RINGMASTER_READ_SCHEDULES

} // namespace ringmaster::storage::mysql
