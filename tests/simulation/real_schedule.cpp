#include "tests/simulation/real_schedule.hpp"

#include <algorithm>
#include <utility>

#include "storage/rows/claim_values.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using core::cluster_mode;

constexpr core::milliseconds real_announcement_lasts{60'000};

std::int64_t number(const std::string& text) { return text == "NULL" ? 0 : std::stoll(text); }

std::string quoted(const std::string& text) { return '\'' + text + '\''; } // texts of a simulation have no quotes

std::string text(std::int64_t value) { return std::to_string(value); }

} // namespace

// -- the table -------------------------------------------------------------------------------------------------------------

std::vector<xxl_row> real_table::read(const std::string& condition) {
  std::vector<xxl_row> all;
  const auto found = db_.query("SELECT id, trigger_status, trigger_last_time, trigger_next_time, schedule_type,"
                               " schedule_conf, executor_param, misfire_strategy FROM xxl_job_info"
                               + condition + " ORDER BY id");
  for (const auto& row : found)
    all.push_back({core::job_id{static_cast<std::int32_t>(number(row[0]))}, number(row[1]) == 1, core::from_ms(number(row[2])),
                   core::from_ms(number(row[3])), row[4], row[5], row[6],
                   core::find_misfire_policy(row[7]).value_or(core::misfire_policy::do_nothing)});
  return all;
}

std::vector<xxl_row> real_table::rows() { return read(""); }

std::optional<xxl_row> real_table::row(core::job_id job) {
  auto found = read(" WHERE id = " + text(core::number(job)));
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}

void real_table::write(const xxl_row& row, xxl_columns which) {
  auto sql = "UPDATE xxl_job_info SET trigger_last_time = " + text(core::to_ms(row.last))
             + ", trigger_next_time = " + text(core::to_ms(row.next));
  if (which != xxl_columns::times)
    sql += ", trigger_status = " + text(row.running ? 1 : 0);
  if (which == xxl_columns::all)
    sql += ", schedule_conf = " + quoted(row.conf) + ", executor_param = " + quoted(row.param) + ", update_time = NOW()";
  db_.exec(sql + " WHERE id = " + text(core::number(row.id)));
}

// -- state of the tables ---------------------------------------------------------------------------------------------------

real_schedule::real_schedule(test::test_database& of, schedule_surroundings seen)
  : shared_schedule{std::move(seen)}, db_{of}, table_{of}, store_{of.open()} {}

real_schedule::instants real_schedule::waiting() {
  instants all;
  const auto found =
    db_.query("SELECT id, job, fire_ms, kind FROM rm_intent WHERE state = 0 AND kind IN ('cron', 'misfire')");
  for (const auto& row : found)
    all[number(row[0])] = {core::job_id{static_cast<std::int32_t>(number(row[1]))}, core::from_ms(number(row[2])),
                           storage::find_intent_kind(row[3])};
  return all;
}

shared_checker::next_times real_schedule::planned() {
  shared_checker::next_times all;
  for (const auto& row : db_.query("SELECT job, next_ms FROM rm_schedule"))
    all[static_cast<std::int32_t>(number(row[0]))] = core::from_ms(number(row[1]));
  return all;
}

std::vector<core::node_incarnation> real_schedule::lives() {
  std::vector<core::node_incarnation> all;
  for (const auto& row : db_.query("SELECT id, incarnation FROM rm_node WHERE state = 'up'"))
    all.push_back({row[0], number(row[1])});
  return all;
}

core::mode_state real_schedule::mode() {
  if (forgotten_at_ != core::time_point{} && seen_.now() >= forgotten_at_) {
    forgotten_at_ = {};
    db_.exec("UPDATE rm_mode SET wanted_at = 1 WHERE id = 1");
  }
  return test::expect(role().mode());
}

// -- the roles of a store --------------------------------------------------------------------------------------------------

core::result<core::reserve_outcome> real_schedule::reserve(const core::node_incarnation& owner,
                                                           const core::reserve_window& window) {
  const auto rows = table_.rows();
  const auto known = waiting();
  auto done = role().reserve(owner, window);
  for (const auto& [id, one] : waiting()) {
    if (known.contains(id))
      continue;
    core::intent made;
    made.id = core::intent_id{id};
    made.kind = one.kind;
    made.job = one.job;
    made.fire_at = one.at;
    job_of_[id] = one.job;
    seen_.checker.intended(made, owner.node);
  }
  for (auto before : rows) {
    const auto after = table_.row(before.id);
    if (!after || *after == before)
      continue;
    if (before.next == far_future)
      before.next = window.now - window.misfire_after - core::milliseconds{1};
    seen_.checker.reserved(before, *after, window.now);
  }
  return done;
}

core::result<core::drop_outcome> real_schedule::drop(const core::node_incarnation& owner,
                                                     std::span<const core::dropped_instant> instants,
                                                     core::time_point now) {
  const auto before = waiting();
  auto done = role().drop(owner, instants);
  const auto after = waiting();
  for (const auto& [id, one] : before)
    if (!after.contains(id))
      seen_.checker.missed(core::intent_id{id}, now);
  return done;
}

void real_schedule::note_given_back(const instants& before, const std::vector<xxl_row>& rows) {
  const auto after = waiting();
  for (const auto& row : rows) {
    std::vector<core::intent_id> gone;
    for (const auto& [id, one] : before)
      if (one.job == row.id && !after.contains(id))
        gone.emplace_back(core::intent_id{id});
    if (!gone.empty())
      seen_.checker.given_back(row, table_.row(row.id).value_or(row), gone);
  }
}

core::result<std::size_t> real_schedule::put_back(const core::node_incarnation& owner) {
  const auto before = waiting();
  const auto rows = table_.rows();
  auto done = role().put_back(owner);
  note_given_back(before, rows);
  return done;
}

core::result<std::size_t> real_schedule::forget(core::time_point before, std::size_t limit) {
  return role().forget(before, limit);
}

// -- the mode --------------------------------------------------------------------------------------------------------------

// `switch_mode` announces itself in this way before it waits for the lock; here that wait is in virtual time.
bool real_schedule::announce(cluster_mode to) {
  db_.exec("UPDATE rm_mode SET wanted = NULL WHERE id = 1");
  if (mode().mode == to)
    return false;
  if (to == cluster_mode::shared)
    db_.exec("UPDATE xxl_job_info SET trigger_next_time = " + text(core::to_ms(far_future)) + " WHERE trigger_status = 1");
  db_.exec("UPDATE rm_mode SET wanted = " + quoted(std::string{core::stored_name(to)})
           + ", wanted_at = UNIX_TIMESTAMP() WHERE id = 1");
  forgotten_at_ = seen_.now() + real_announcement_lasts;
  return true;
}

void real_schedule::give_up() { db_.exec("UPDATE rm_mode SET wanted = NULL WHERE id = 1"); }

void real_schedule::switch_mode(cluster_mode to) {
  forgotten_at_ = {};
  const auto rows = table_.rows();
  const auto known = waiting();
  const auto schedule = planned();
  const auto ended = lives();
  const auto done = test::expect(role().switch_mode(to, std::chrono::milliseconds{500}));
  if (!done.changed)
    return;
  for (const auto& life : ended)
    seen_.ended(life);
  if (to == cluster_mode::native)
    return seen_.checker.taken_over(rows, planned());
  // The schedule as it was handed over, before the waiting instants were put back.
  auto handed = table_.rows();
  for (auto& row : handed)
    for (const auto& [id, one] : known)
      if (one.job == row.id && row.next <= one.at && schedule.contains(core::number(row.id)))
        row.next = schedule.at(core::number(row.id));
  seen_.checker.handed_back(schedule, handed);
  note_given_back(known, handed);
}

// -- claims and edits ------------------------------------------------------------------------------------------------------

void real_schedule::claimed(const core::claim_outcome& outcome) {
  for (auto id : outcome.dropped_intents)
    if (const auto job = job_of_.find(core::number(id)); job != job_of_.end())
      if (const auto row = table_.row(job->second))
        seen_.checker.dropped(id, *row);
}

void real_schedule::after_edit() {
  const auto now = mode().mode;
  const auto schedule = now == cluster_mode::native ? planned() : shared_checker::next_times{};
  for (auto row : table_.rows()) {
    const auto known =
      std::find_if(before_edit_.begin(), before_edit_.end(), [&](const auto& one) { return one.id == row.id; });
    const auto before = known == before_edit_.end() ? xxl_row{row.id} : *known;
    const bool anew = row.running != before.running || row.schedule() != before.schedule() || row.next != before.next;
    if (const auto next = schedule.find(core::number(row.id)); next != schedule.end() && row.running)
      row.next = next->second;
    seen_.checker.edited(row, anew, now);
  }
}

} // namespace ringmaster::simulation
