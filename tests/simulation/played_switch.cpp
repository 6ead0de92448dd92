// Simulation of the store's part of shared mode: instants that are given back, and the owner of the schedule.

#include <algorithm>
#include <map>

#include "tests/simulation/played_schedule.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using core::cluster_mode;

constexpr core::milliseconds announced_for{60'000};
constexpr char hide_times[] = "UPDATE xxl_job_info SET trigger_next_time = ?1 WHERE trigger_status = 1";
constexpr char list_waiting[] = "SELECT id, job, fire_ms, schedule FROM rm_intent WHERE state = 0 AND kind = 'cron'"
                                " AND (?1 = '' OR node = ?1) ORDER BY job, fire_ms";

} // namespace

struct played_schedule::waiting {
  core::intent_id id{};
  core::time_point fire_at{};
  std::string schedule;
};

// -- giving back -----------------------------------------------------------------------------------------------------------

core::result<std::size_t> played_schedule::put_back(const core::node_incarnation& owner) {
  if (!is_current(owner))
    return core::fail(core::errc::fenced, "the incarnation has ended");
  return mode_ == cluster_mode::shared ? put_instants_back(owner.node) : 0;
}

std::size_t played_schedule::put_instants_back(const std::string& node) {
  std::map<core::job_id, std::vector<waiting>> by_job;
  {
    auto listing = db_.prepare(list_waiting);
    for (listing.with(node); listing.step();)
      by_job[listing.id<core::job_id>(1)].push_back(
        {listing.id<core::intent_id>(0), listing.time_ms(2), std::string{listing.text(3)}});
  }
  std::size_t count = 0;
  for (const auto& [job, instants] : by_job)
    if (auto row = table_.row(job))
      count += give_back(*row, instants);
  return count;
}

std::size_t played_schedule::give_back(const xxl_row& row, const std::vector<waiting>& instants) {
  const bool ended = !row.running && !row.has_next() && row.last >= instants.back().fire_at;
  if (!ended && !(row.running && row.has_next()))
    return 0;
  const auto rule = rule_of(row);
  auto next = row.has_next() ? row.next : core::time_point{};
  std::vector<core::intent_id> gone;
  for (auto one = instants.rbegin(); one != instants.rend(); ++one) {
    const auto follows = rule.next(one->fire_at).value_or(core::time_point{});
    if (seen_.rules.gives_back_in_order && (one->schedule != row.schedule() || follows != next))
      break;
    next = one->fire_at;
    gone.push_back(one->id);
  }
  for (auto id : gone)
    db_.run("DELETE FROM rm_intent WHERE id = ?1", id);
  if (gone.empty())
    return 0;
  auto back = row;
  back.running = back.running || seen_.rules.gives_back_due;
  back.next = seen_.rules.gives_back_due ? next : row.next;
  table_.write(back, xxl_columns::times_and_status);
  seen_.checker.given_back(row, back, gone);
  return gone.size();
}

// -- the mode --------------------------------------------------------------------------------------------------------------

bool played_schedule::announce(cluster_mode to) {
  wanted_.reset();
  if (mode_ == to)
    return false;
  wanted_ = to;
  forgotten_at_ = seen_.now() + announced_for;
  if (to == cluster_mode::shared)
    db_.run(hide_times, far_future);
  return true;
}

// The times stay hidden: the mirror shows them when the minute is over.
void played_schedule::give_up() {
  if (seen_.rules.stays_closed)
    return wanted_.reset();
  if (mode_ != cluster_mode::native)
    return;
  db_.run("UPDATE xxl_job_info SET trigger_next_time = (SELECT next_ms FROM rm_schedule WHERE job = id)"
          " WHERE (SELECT next_ms FROM rm_schedule WHERE job = id) <> 0");
  show_strangers();
}

void played_schedule::switch_mode(cluster_mode to) {
  wanted_.reset();
  if (mode_ == to)
    return;
  end_all_incarnations();
  mode_ = to;
  std::map<std::int32_t, core::time_point> planned;
  auto listing = db_.prepare("SELECT job, next_ms FROM rm_schedule");
  if (to == cluster_mode::native) {
    const auto rows = table_.rows();
    copy_from_table();
    for (listing.with(); listing.step();)
      planned[listing.small(0)] = listing.time_ms(1);
    if (seen_.rules.closes_table)
      db_.run(hide_times, far_future);
    seen_.checker.taken_over(rows, planned);
  } else {
    for (listing.with(); listing.step();)
      planned[listing.small(0)] = listing.time_ms(1);
    copy_to_table();
    seen_.checker.handed_back(planned, table_.rows());
    put_instants_back({});
  }
}

void played_schedule::end_all_incarnations() {
  std::vector<core::node_incarnation> lives;
  {
    auto listing = db_.prepare("SELECT id, incarnation FROM rm_node WHERE state = 'up'");
    for (listing.with(); listing.step();)
      lives.push_back({std::string{listing.text(0)}, listing.number(1)});
  }
  db_.run("UPDATE rm_life SET cut = max(cut, incarnation), incarnation = 0 WHERE incarnation <> 0");
  db_.run("UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced' WHERE state = 'up'");
  for (const auto& life : lives)
    seen_.ended(life);
}

void played_schedule::copy_from_table() {
  db_.run("UPDATE rm_edit SET counter = counter + 1 WHERE id = 1");
  for (const auto& row : table_.rows()) {
    auto next = row.running ? std::max(row.next, core::from_ms(1)) : core::time_point{};
    if (row.running && row.next == far_future) // hidden: overdue since the beginning of time
      next = core::from_ms(1);
    if (row.running && !seen_.rules.takes_over_next)
      next = rule_of(row).next(seen_.now()).value_or(core::time_point{});
    db_.run("UPDATE rm_schedule SET next_ms = ?2, last_ms = max(last_ms, ?3), revision = (SELECT counter FROM rm_edit)"
            " WHERE job = ?1", row.id, next, row.last);
  }
  pass_taken_instants();
  if (seen_.rules.takes_over_next)
    db_.run("DELETE FROM rm_intent WHERE kind IN ('cron', 'misfire') AND state = 0 AND EXISTS (SELECT 1 FROM rm_schedule s"
            " WHERE s.job = rm_intent.job AND s.next_ms > 0 AND fire_ms >= s.next_ms)");
  db_.run("DELETE FROM rm_mirror");
}

// A console may have put back instants that were taken since: schedules continue after the last instant of which there is an
// intent.
void played_schedule::pass_taken_instants() {
  struct taken {
    core::job_id job{};
    core::time_point last{};
    bool is_put_back = false;
  };
  std::vector<taken> all;
  {
    auto listing = db_.prepare("SELECT n.job, MAX(n.fire_ms), s.next_ms > 0 AND s.next_ms <= MAX(n.fire_ms) FROM rm_intent n"
                               " JOIN rm_schedule s ON s.job = n.job WHERE n.state = 1 AND n.kind IN ('cron', 'misfire')"
                               " GROUP BY n.job");
    for (listing.with(); listing.step();)
      all.push_back({listing.id<core::job_id>(0), listing.time_ms(1), listing.number(2) != 0});
  }
  for (const auto& one : all) {
    db_.run("UPDATE rm_schedule SET last_ms = max(last_ms, ?2) WHERE job = ?1", one.job, one.last);
    const auto row = table_.row(one.job);
    if (!one.is_put_back || !row)
      continue;
    const auto next = rule_of(*row).next(one.last);
    db_.run("UPDATE rm_schedule SET next_ms = ?2 WHERE job = ?1", one.job, next.value_or(core::time_point{}));
    if (!next)
      db_.run("UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = ?2, trigger_next_time = 0 WHERE id = ?1", one.job,
              one.last);
  }
}

void played_schedule::copy_to_table() {
  db_.run("UPDATE xxl_job_info SET trigger_last_time = (SELECT last_ms FROM rm_schedule WHERE job = id),"
          " trigger_next_time = (SELECT next_ms FROM rm_schedule WHERE job = id)"
          " WHERE trigger_status = 1 AND (SELECT next_ms FROM rm_schedule WHERE job = id) <> 0");
  db_.run("UPDATE xxl_job_info SET trigger_last_time = 0, trigger_next_time = 0 WHERE trigger_status = 0");
  show_strangers();
  db_.run("UPDATE rm_schedule SET next_ms = 0");
}

// A job that was started at a console with a hidden time: the next planner decides by the misfire policy.
void played_schedule::show_strangers() {
  db_.run("UPDATE xxl_job_info SET trigger_next_time = 0 WHERE trigger_status = 1 AND trigger_next_time = ?1", far_future);
}

} // namespace ringmaster::simulation
