#include "tests/simulation/history.hpp"

#include <algorithm>
#include <array>

#include "tests/simulation/dice.hpp"
#include "tests/simulation/features.hpp"
#include "tests/simulation/shared_history.hpp"

namespace ringmaster::simulation {

namespace {

constexpr std::array effect_names{
  "crash before", "crash after", "pause before", "pause after", "away",             "request lost",  "answer lost",
  "answer wrong", "delay before", "delay after", "duplicate",   "foreign answer",
  "foreign refusal", "store down", "partition",   "freeze",      "sleep",       "clock step",       "clock jump",
  "rows locked",  "executor restart", "executor wipe", "executor stopped", "crash", "pause"};

std::string cron_until(std::uint64_t last) { return "1-" + std::to_string(last) + " 0 12 2 3 ? 2026"; }

core::declared_job random_job(dice& with, int number, std::uint64_t seconds) {
  constexpr std::array<std::int64_t, 4> takes{20, 80, 700, 1400};
  constexpr std::array<const char*, 4> ends{"ok", "ok", "odd", "fail"};
  constexpr std::array policies{core::unknown_policy::ask, core::unknown_policy::ask, core::unknown_policy::skip,
                                core::unknown_policy::resend};
  auto job = make_job("job-" + std::to_string(number), cron_until(seconds), milliseconds{with.of(takes)}, with.of(ends));
  job.on_unknown = with.of(policies);
  job.misfire = with.one_in(2) ? core::misfire_policy::do_nothing : core::misfire_policy::fire_once_now;
  job.retry_count = static_cast<std::int32_t>(with.below(3));
  job.route = with.one_in(4) ? core::route_strategy::sharding_broadcast : core::route_strategy::first;
  job.block = with.one_in(5) ? core::block_strategy::discard_later : core::block_strategy::serial_execution;
  return job;
}

std::string node_of(dice& with, const history& in) {
  return std::string(1, static_cast<char>('a' + with.below(static_cast<std::uint64_t>(in.nodes))));
}

fault random_call_fault(dice& with, const history& in) {
  constexpr std::array at_store{effect::crash_before, effect::crash_after, effect::pause_before, effect::pause_after,
                                effect::away,         effect::lose_answer, effect::delay_before, effect::delay_after,
                                effect::wrong_answer};
  constexpr std::array at_outbound{effect::crash_before, effect::crash_after, effect::pause_before, effect::pause_after,
                                   effect::away,         effect::lose_answer, effect::lose_request, effect::delay_before,
                                   effect::delay_after,  effect::duplicate};
  fault one;
  one.node = node_of(with, in);
  one.where = with.one_in(2) ? site::store : site::outbound;
  one.what = one.where == site::store ? with.of(at_store) : with.of(at_outbound);
  one.index = one.where == site::store ? with.below(250) : with.below(30);
  // An executor of the Java kind cannot tell a copy that the network made from a second sending.
  if (one.what == effect::duplicate && in.kind == executor_kind::java)
    one.what = effect::lose_answer;
  one.lasts = with.one_in(2) ? with.between(5, 1500) : with.between(1000, 6000);
  return one;
}

fault random_moment(dice& with, const history& in) {
  constexpr std::array kinds{effect::crash,      effect::pause,            effect::store_down,    effect::partition,
                             effect::freeze,     effect::sleep,            effect::step_clock,    effect::executor_restart,
                             effect::executor_wipe, effect::executor_suspend, effect::crash,      effect::pause};
  fault one;
  one.what = with.of(kinds);
  one.at = with.between(500, 9000);
  one.lasts = with.one_in(2) ? with.between(50, 2000) : with.between(1000, 7000);
  auto of_executor =
    one.what == effect::executor_restart || one.what == effect::executor_wipe || one.what == effect::executor_suspend;
  if (of_executor)
    one.node = std::to_string(1 + with.below(static_cast<std::uint64_t>(in.executors)));
  else if (!with.one_in(3))
    one.node = node_of(with, in);
  if (one.what == effect::step_clock && with.one_in(2))
    one.lasts = -one.lasts;
  return one;
}

void add_edits(dice& with, history& to) {
  auto jobs = to.jobs;
  auto at = with.between(1000, 4000);
  for (auto count = 1 + with.below(3); count > 0; --count) {
    auto& job = jobs[with.below(jobs.size())];
    switch (with.below(3)) {
    case 0: job.enabled = !job.enabled; break;
    case 1: job.params += " v=" + std::to_string(count); break;
    default: job.schedule_conf = cron_until(4 + with.below(6)); break;
    }
    to.edits.push_back({at, jobs, with.one_in(3) ? std::string{} : node_of(with, to)});
    at += with.between(100, 3000);
  }
}

} // namespace

core::declared_job make_job(const std::string& key, const std::string& cron, milliseconds takes, const std::string& ends) {
  core::declared_job job;
  job.group = "pay";
  job.key = job.name = key;
  job.author = "ops";
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = cron;
  job.handler = "handler";
  job.params = "takes=" + std::to_string(takes.count()) + " ends=" + ends;
  return job;
}

history random_history(std::uint64_t seed) {
  dice with{seed};
  history made;
  made.seed = seed;
  made.nodes = with.one_in(4) ? 1 : with.one_in(4) ? 3 : 2;
  made.executors = with.one_in(3) ? 2 : 1;
  made.kind = with.one_in(2) ? executor_kind::java : executor_kind::remembering;
  made.writers = with.one_in(2) ? 1 : 2;
  made.shuffle = with.one_in(2);
  made.bad_callbacks = with.one_in(3);
  made.database_clock = seed % 2 == 0;
  if (with.one_in(3))
    for (int i = 0; i < made.nodes; ++i)
      made.skew.push_back(with.between(-800, 800));
  auto seconds = 4 + with.below(6);
  for (auto count = static_cast<int>(1 + with.below(4)), i = 0; i < count; ++i)
    made.jobs.push_back(random_job(with, i, seconds));
  if (with.one_in(2)) {
    made.jobs.push_back(make_job("child", "0 0 0 1 1 ? 2099", 40ms));
    made.jobs.front().children = {{"", "child"}};
  }
  if (with.one_in(2))
    add_edits(with, made);
  for (auto count = 1 + with.below(5); count > 0; --count)
    made.faults.push_back(with.one_in(3) ? random_moment(with, made) : random_call_fault(with, made));
  add_features(made);
  return made;
}

milliseconds clock_errors(const history& what) {
  milliseconds sum{0};
  for (const auto& one : what.faults)
    if (one.what == effect::step_clock || one.what == effect::freeze || one.what == effect::sleep)
      sum += one.lasts < 0ms ? -one.lasts : one.lasts;
  milliseconds skew{0};
  for (auto one : what.skew)
    skew = std::max(skew, one < 0ms ? -one : one);
  return sum + skew;
}

std::string describe(const fault& one) {
  std::string text = effect_names.at(static_cast<std::size_t>(one.what));
  if (!one.node.empty())
    text += " of " + one.node;
  if (one.where == site::moment)
    text += " at " + std::to_string(std::chrono::duration_cast<milliseconds>(one.at).count()) + " ms";
  else
    text += (one.where == site::store ? " at store call " : " at request ") + std::to_string(one.index);
  if (one.by != 0ms)
    text += " by " + std::to_string(one.by.count()) + " ms";
  return text + ", " + std::to_string(one.lasts.count()) + " ms";
}

std::string describe(const history& all) {
  auto text = "seed " + std::to_string(all.seed) + ": " + std::to_string(all.nodes) + " nodes, " + std::to_string(all.executors)
              + (all.kind == executor_kind::java ? " executors like Java's" : " executors that remember log ids") + ", "
              + std::to_string(all.writers) + " store writers" + (all.shuffle ? ", actors in random order" : "")
              + (all.bad_callbacks ? ", bad callbacks" : "") + '\n';
  for (const auto& job : all.jobs)
    text += "  job " + job.key + " (" + job.schedule_conf + ") " + job.params + ", on_unknown "
            + std::string{core::stored_name(job.on_unknown)} + ", misfire " + std::string{core::stored_name(job.misfire)} + ", "
            + std::to_string(job.retry_count) + " retries, " + std::string{core::stored_name(job.route)} + '\n';
  for (const auto& one : all.edits)
    text += "  edit" + (one.by.empty() ? "" : " by " + one.by) + " at "
            + std::to_string(std::chrono::duration_cast<milliseconds>(one.at).count()) + " ms\n";
  for (const auto& one : all.stops)
    if (all.is_orderly)
      text += "  stop of " + one.node + " at " + std::to_string(std::chrono::duration_cast<milliseconds>(one.at).count())
              + " ms, away for " + std::to_string(one.lasts.count()) + " ms\n";
  for (const auto& one : all.faults)
    text += "  " + describe(one) + '\n';
  text += describe_features(all);
  if (all.shared)
    text += describe_shared(all);
  return text;
}

} // namespace ringmaster::simulation
