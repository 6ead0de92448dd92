#include "tests/simulation/exhaustive.hpp"

#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

namespace {

/// Returns whether the time is between shortly before the claim, 200 ms before the instant, and the end of the firing.
bool is_around(span instant, span time) { return time >= instant - 300ms && time <= instant + 400ms; }

struct blow {
  effect what;
  milliseconds lasts;
};

// A process that is back before its peers notice, and one whose work they take over; a pause that ends while the successor still
// waits, and one that ends when all is over.
constexpr blow at_store[] = {{effect::crash_before, 4000ms}, {effect::crash_after, 4000ms}, {effect::crash_after, 700ms},
                             {effect::pause_before, 3000ms}, {effect::pause_after, 3000ms}, {effect::pause_after, 1900ms},
                             {effect::away, 0ms},            {effect::lose_answer, 0ms},    {effect::delay_after, 1400ms}};
constexpr blow at_outbound[] = {{effect::crash_before, 4000ms}, {effect::crash_before, 700ms}, {effect::crash_after, 4000ms},
                                {effect::crash_after, 700ms},   {effect::pause_before, 3000ms}, {effect::pause_before, 1900ms},
                                {effect::pause_after, 3000ms},  {effect::pause_after, 1900ms}, {effect::away, 0ms},
                                {effect::lose_request, 0ms},    {effect::lose_answer, 0ms},    {effect::delay_before, 1000ms},
                                {effect::delay_after, 2500ms}};

history one_firing() {
  history made;
  made.seed = 1;
  made.lasts_at_least = 3s;
  made.jobs.push_back(make_job("job", "1 0 12 2 3 ? 2026", 80ms));
  made.jobs.back().retry_count = 1;
  return made;
}

history with_policy(core::unknown_policy policy, executor_kind kind) {
  auto made = one_firing();
  made.kind = kind;
  made.jobs.back().on_unknown = policy;
  return made;
}

history with_end(const std::string& ends) {
  auto made = one_firing();
  made.jobs.back().params = "takes=80 ends=" + ends;
  return made;
}

history long_run() {
  auto made = one_firing();
  made.jobs.back().params = "takes=4500 ends=ok";
  return made;
}

history with_child() {
  auto made = one_firing();
  made.jobs.push_back(make_job("child", "0 0 0 1 1 ? 2099", 40ms));
  made.jobs.front().children = {{"", "child"}};
  made.writers = 2;
  return made;
}

history as_broadcast() {
  auto made = one_firing();
  made.executors = 2;
  made.jobs.back().route = core::route_strategy::sharding_broadcast;
  return made;
}

// One node claims the first instant before the edit, the other one is asked to make it; the second instant is planned after it.
history with_edit() {
  auto made = one_firing();
  made.jobs.back().schedule_conf = "1,2 0 12 2 3 ? 2026";
  auto changed = made.jobs;
  changed.back().params += " v=2";
  made.edits.push_back({900ms, changed, "b"});
  return made;
}

// The executor connects after two seconds. A node that was stopped goes on before the end.
history over_native_link() {
  auto made = with_policy(core::unknown_policy::ask, executor_kind::remembering);
  made.native = true;
  made.lasts_at_least = 8s;
  made.jobs.back().schedule_conf = "4 0 12 2 3 ? 2026";
  return made;
}

} // namespace

std::vector<firing_kind> firing_kinds() {
  using core::unknown_policy;
  return {{"ask, an executor like Java's", with_policy(unknown_policy::ask, executor_kind::java)},
          {"ask, an executor that remembers", with_policy(unknown_policy::ask, executor_kind::remembering)},
          {"skip", with_policy(unknown_policy::skip, executor_kind::java)},
          {"resend", with_policy(unknown_policy::resend, executor_kind::java)},
          {"a run that fails and is retried", with_end("fail")},
          {"a run that is refused and retried", with_end("refuse")},
          {"a run that takes longer than its request may", long_run()},
          {"a run with a child, two store connections", with_child()},
          {"a broadcast", as_broadcast()},
          {"an edit while a run is claimed", with_edit()},
          {"ask, a native link", over_native_link(), 4s}};
}

std::vector<history> single_faults(const firing_kind& kind) {
  const auto& base = kind.base;
  std::vector<history> all;
  auto add = [&](const world::await_point& at, const blow& one) {
    all.push_back(base);
    all.back().faults.push_back({at.where, one.what, at.node, at.index, span{0}, one.lasts});
  };
  for (const auto& at : simulate(base).points) {
    if (!is_around(kind.instant, at.at))
      continue;
    if (at.where == site::store)
      for (const auto& one : at_store)
        add(at, one);
    else
      for (const auto& one : at_outbound)
        add(at, one);
    // The answer of a driver when a commit failed in a way that it does not know.
    if (at.name == "claim" || at.name == "record")
      add(at, {effect::wrong_answer, 0ms});
    if (at.where == site::outbound && base.kind == executor_kind::remembering)
      add(at, {effect::duplicate, 20ms});
  }
  return all;
}

// The second run waits for the first when its node dies. The successor asks while it waits; the run starts and ends a moment
// later, and its result comes late.
history queued_behind_another() {
  auto made = one_firing();
  made.nodes = 1;
  made.jobs = {make_job("job", "1,2 0 12 2 3 ? 2026", 1800ms)};
  auto quicker = made.jobs;
  quicker.back().params = "takes=50 ends=ok";
  made.edits.push_back({1500ms, quicker});
  made.callbacks_lost_until = 4s;
  made.faults.push_back({site::outbound, effect::crash_after, "a", 1, span{0}, 100ms});
  return made;
}

// The failed run is retried and all is at rest; the fail monitor checks it for long after that.
history quiet_behind_failure() {
  auto made = with_end("fail");
  made.lasts_at_least = 40s;
  return made;
}

// The sender dies, its successor is permitted to send again and dies or does not get the answer; the next one asks again.
std::vector<history> permitted_and_gone() {
  constexpr blow blows[] = {{effect::crash_after, 4000ms}, {effect::crash_after, 700ms}, {effect::lose_answer, 0ms}};
  std::vector<history> all;
  auto lost = one_firing();
  lost.lasts_at_least = 8s;
  for (const auto& sender : {"a", "b"}) {
    auto base = lost;
    base.faults.push_back({site::outbound, effect::crash_before, sender, 0, span{0}, 3000ms});
    for (const auto& at : simulate(base).points)
      if (at.where == site::store && at.name == "permit_resend")
        for (const auto& one : blows) {
          all.push_back(base);
          all.back().faults.push_back({at.where, one.what, at.node, at.index, span{0}, one.lasts});
        }
  }
  return all;
}

// A node stands still between reading the other nodes and acting on it, for almost as long as a silent node counts as alive.
std::vector<history> stale_looks() {
  std::vector<history> all;
  const auto base = one_firing();
  for (const auto& at : simulate(base).points)
    if (at.where == site::store && at.name == "nodes" && is_around(1s, at.at))
      for (const auto lasts : {1250ms, 1300ms, 1350ms, 1400ms, 1450ms, 1490ms}) {
        all.push_back(base);
        all.back().faults.push_back({at.where, effect::pause_after, at.node, at.index, span{0}, lasts});
      }
  return all;
}

// The result is stored by the other node, then the executor loses its files; the sender died before it got an answer.
history result_before_wipe() {
  auto made = one_firing();
  made.faults.push_back({site::outbound, effect::crash_after, "a", 0, span{0}, 6000ms});
  made.faults.push_back({site::moment, effect::executor_wipe, "1", 0, 2300ms, 0ms});
  return made;
}

} // namespace ringmaster::simulation
