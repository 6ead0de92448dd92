#include "tests/simulation/shared_history.hpp"

#include "tests/simulation/dice.hpp"

namespace ringmaster::simulation {

namespace {

/// Returns a cron for every second or every other one from the first on, up to a second of the first minute; indefinitely after
/// that, or never again.
std::string random_cron(dice& with) {
  const auto last = std::to_string(8 + with.below(10));
  constexpr std::array<const char*, 2> steps{"/1", "/2"};
  constexpr std::array<const char*, 3> years{"*", "*", "2026"};
  return "1-" + last + with.of(steps) + " 0 12 2 3 ? " + with.of(years);
}

core::declared_job random_job(dice& with, int number) {
  constexpr std::array<std::int64_t, 3> takes{20, 80, 400};
  constexpr std::array<const char*, 4> ends{"ok", "ok", "odd", "fail"};
  auto job = make_job("job-" + std::to_string(number), random_cron(with), milliseconds{with.of(takes)}, with.of(ends));
  job.misfire = with.one_in(2) ? core::misfire_policy::do_nothing : core::misfire_policy::fire_once_now;
  job.retry_count = static_cast<std::int32_t>(with.below(2));
  return job;
}

std::string node_of(dice& with, const history& in) {
  return std::string(1, static_cast<char>('a' + with.below(static_cast<std::uint64_t>(in.nodes))));
}

java_script random_java(dice& with) {
  java_script made;
  made.guards_status = with.one_in(2);
  made.pass_takes = with.one_in(3) ? 600ms : 60ms;
  // An admin whose clock is more than a second ahead takes instants that are not reserved yet.
  if (with.one_in(2))
    made.skew = with.one_in(2) ? with.between(-300, 300) : with.between(700, 2500);
  if (with.one_in(3))
    made.crashes.emplace_back(with.between(500, 9000), with.between(500, 6000));
  return made;
}

void add_edits(dice& with, history& to) {
  auto jobs = to.jobs;
  auto at = with.between(500, 4000);
  for (auto count = 1 + with.below(3); count > 0; --count) {
    auto& job = jobs[with.below(jobs.size())];
    switch (with.below(3)) {
    case 0: // stopped, and started again a moment later
      job.enabled = false;
      to.edits.push_back({at, jobs, with.one_in(2) ? std::string{} : node_of(with, to)});
      job.enabled = true;
      at += with.between(20, 1500);
      break;
    case 1: job.params += " v=" + std::to_string(count); break;
    default: job.schedule_conf = random_cron(with); break;
    }
    to.edits.push_back({at, jobs, with.one_in(2) ? std::string{} : node_of(with, to)});
    at += with.between(100, 3000);
  }
}

console_edit random_console_edit(dice& with, const history& in) {
  console_edit one;
  one.at = with.between(300, 8000);
  one.takes = with.one_in(4) ? with.between(50, 900) : with.between(1, 10);
  if (with.one_in(5)) // its process stood still
    one.takes = with.between(6300, 9000);
  one.job = core::job_id{1 + static_cast<std::int32_t>(with.below(in.jobs.size()))};
  one.what = static_cast<console_edit::kind>(with.below(4));
  one.admin = with.below(in.java.size());
  one.conf = random_cron(with);
  return one;
}

void add_console_edits(dice& with, history& to) {
  using kind = console_edit::kind;
  for (auto count = 1 + with.below(3); count > 0; --count) {
    auto one = random_console_edit(with, to);
    to.console.push_back(one);
    if (one.what != kind::stop || with.one_in(4))
      continue;
    one.at += with.between(100, 3000);
    one.what = kind::start;
    to.console.push_back(one);
  }
}

fault random_fault(dice& with, const history& in) {
  constexpr std::array at_store{effect::crash_before, effect::crash_after, effect::pause_before, effect::pause_after,
                                effect::away,         effect::lose_answer, effect::delay_after};
  constexpr std::array at_moment{effect::crash, effect::pause, effect::store_down};
  fault one;
  one.node = node_of(with, in);
  one.where = with.one_in(2) ? site::store : site::moment;
  one.what = one.where == site::store ? with.of(at_store) : with.of(at_moment);
  one.index = with.below(250);
  one.at = with.between(500, 9000);
  one.lasts = with.one_in(2) ? with.between(50, 1500) : with.between(1000, 7000);
  return one;
}

void add_switches(dice& with, history& to) {
  auto at = with.between(700, 5000);
  to.switches.push_back({at, core::cluster_mode::native});
  if (!with.one_in(3))
    to.switches.push_back({at + with.between(300, 6000), core::cluster_mode::shared});
}

/// Lets a Java admin hang with the lock when the last switch needs it, so that the switch has to wait or gives up; or the command
/// is killed. A console's edit continues meanwhile, and a job fires all the time.
void disturb_switch(dice& with, history& made) {
  auto& last = made.switches.back();
  last.dies = with.one_in(5);
  auto& hangs = made.java[with.below(made.java.size())];
  hangs.stalls.emplace_back(std::max<span>(last.at - with.between(0, 1500), 0ms), with.between(10'000, 22'000));
  made.console.push_back(random_console_edit(with, made));
  made.console.back().at = std::max<span>(last.at - with.between(0, 3000), 0ms);
  made.console.back().takes = with.between(500, 9000);
  for (auto* set : {&made.jobs, made.edits.empty() ? nullptr : &made.edits.back().jobs})
    if (set != nullptr)
      set->front().schedule_conf = "2-50/6 0 12 2 3 ? *";
  made.lasts_at_least = 45s;
}

/// Lets a Java admin hang with the lock for longer than the misfire limit; the next planner finds instants that are too late.
void make_late(dice& with, history& made) {
  const auto at = with.between(0, 2000), lasts = with.between(9000, 15'000);
  made.java.back().stalls.emplace_back(at, lasts);
  made.jobs.front().schedule_conf = "2-18/2 0 12 2 3 ? *";
  made.jobs.front().misfire = core::misfire_policy::fire_once_now;
  if (with.one_in(2))
    return;
  for (int i = 0; i < made.nodes; ++i) {
    fault gone;
    gone.node = std::string(1, static_cast<char>('a' + i));
    gone.at = at + 500ms;
    gone.lasts = lasts + 1000ms;
    made.faults.push_back(gone);
  }
}

void disturb(dice& with, history& made) {
  if (with.one_in(4))
    for (int i = 0; i < made.nodes; ++i)
      made.skew.push_back(with.between(-300, 300));
  if (with.one_in(2))
    add_edits(with, made);
  if (with.one_in(2))
    add_console_edits(with, made);
  if (with.one_in(3))
    add_switches(with, made);
  if (with.one_in(3))
    made.stops.push_back({with.between(800, 8000), node_of(with, made), with.between(100, 5000)});
  for (auto count = with.below(4); count > 0; --count)
    made.faults.push_back(random_fault(with, made));
  if (!made.switches.empty() && with.one_in(3))
    disturb_switch(with, made);
  else if (made.switches.empty() && with.one_in(6))
    make_late(with, made);
}

std::string at_text(span at) { return std::to_string(std::chrono::duration_cast<milliseconds>(at).count()) + " ms"; }

} // namespace

history shared_history(std::uint64_t seed) {
  dice with{seed ^ 0x5a5a'5a5a'5a5aULL};
  history made;
  made.seed = seed;
  made.shared = true;
  made.nodes = with.one_in(3) ? 1 : 2;
  made.writers = with.one_in(2) ? 1 : 2;
  made.shuffle = with.one_in(2);
  made.lasts_at_least = 18s;
  for (auto count = static_cast<int>(1 + with.below(4)), i = 0; i < count; ++i)
    made.jobs.push_back(random_job(with, i));
  for (auto count = 1 + with.below(2); count > 0; --count)
    made.java.push_back(random_java(with));
  if (!with.one_in(5))
    disturb(with, made);
  return made;
}

std::string describe_shared(const history& all) {
  constexpr std::array<const char*, 4> edits{"changes the parameter of", "stops", "starts", "reschedules"};
  std::string text;
  for (const auto& one : all.java) {
    text += std::string{"  a Java admin "} + (one.guards_status ? "from 3.x on" : "before 3.x") + ", clock "
            + std::to_string(one.skew.count()) + " ms, passes of up to " + std::to_string(one.pass_takes.count()) + " ms\n";
    for (const auto& [at, lasts] : one.crashes)
      text += "    crashes at " + at_text(at) + " for " + at_text(lasts) + '\n';
    for (const auto& [at, lasts] : one.stalls)
      text += "    hangs in its first pass after " + at_text(at) + " for " + at_text(lasts) + '\n';
  }
  for (const auto& one : all.console)
    text += "  console " + std::to_string(one.admin + 1) + ' ' + edits.at(static_cast<std::size_t>(one.what)) + " job "
            + std::to_string(core::number(one.job)) + " at " + at_text(one.at) + " within " + at_text(one.takes)
            + (one.what == console_edit::kind::reschedule ? ": " + one.conf : "") + '\n';
  for (const auto& one : all.stops)
    text += "  stop of " + one.node + " at " + at_text(one.at) + " for " + at_text(one.lasts) + '\n';
  for (const auto& one : all.switches)
    text += std::string{"  takeover"} + (one.to == core::cluster_mode::shared ? " --back" : "") + " at " + at_text(one.at)
            + (one.dies ? ", killed after its announcement" : "") + '\n';
  return text;
}

} // namespace ringmaster::simulation
