// Rounds of elastic_bench: takeovers, workers that come, compensations.

#include <algorithm>
#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/elastic_loads.hpp"

namespace ringmaster::bench {

namespace {

constexpr std::int64_t second_us = 1'000'000;
/// Rounds begin at different moments between two heartbeats.
constexpr std::int64_t heartbeat_ms = 150, shift_ms = 37;

double ms_between(std::int64_t from_us, std::int64_t to_us) { return static_cast<double>(to_us - from_us) / 1000; }

/// Returns the begin of the body of `held` that runs now.
std::optional<body_note> holding(const std::vector<body_note>& notes) {
  for (auto each = notes.rbegin(); each != notes.rend(); ++each)
    if (each->job == "held")
      return each->event == "begin" || each->event == "mine" ? std::optional{*each} : std::nullopt;
  return std::nullopt;
}

/// Waits until a first attempt runs, and returns the number of its worker.
std::size_t await_holder(elastic_world& world, std::int64_t since_us) {
  std::size_t holder = 0;
  (void)await_note(
    [&]() -> std::optional<body_note> {
      for (holder = 0; holder < world.workers(); ++holder)
        if (auto note = holding(world.worker(holder).notes()); note && note->attempt == 1 && note->boot_us > since_us)
          return note;
      return std::nullopt;
    },
    "an item that runs");
  return holder;
}

/// Waits for the takeover by a worker other than the holder, and returns its begin.
body_note await_takeover(elastic_world& world, std::size_t holder, std::int64_t since_us) {
  return await_note(
    [&]() -> std::optional<body_note> {
      for (std::size_t i = 0; i < world.workers(); ++i) {
        const auto& notes = world.worker(i).notes();
        for (auto each = notes.rbegin(); i != holder && each != notes.rend() && each->boot_us > since_us; ++each)
          if (each->job == "held" && each->event == "begin" && each->source == "FAILOVER")
            return *each;
      }
      return std::nullopt;
    },
    "a takeover");
}

/// Returns the pauses between the end of the item and its next begin, which compensates what it has missed.
std::vector<double> compensations(elastic_world& world) {
  std::vector<body_note> all;
  for (std::size_t i = 0; i < world.workers(); ++i)
    for (const auto& note : world.worker(i).notes())
      if (note.job == "overrun" && (note.event == "begin" || note.event == "end"))
        all.push_back(note);
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) { return left.boot_us < right.boot_us; });
  std::vector<double> out;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i - 1].event == "end" && all[i].event == "begin" && all[i].source == "MISFIRE")
      out.push_back(ms_between(all[i - 1].boot_us, all[i].boot_us));
  return out;
}

/// Returns the lateness of the items of `short` after the moment; it is less than a second.
std::vector<double> lateness_of_short_items(elastic_world& world, std::int64_t since_us) {
  std::vector<double> out;
  for (std::size_t i = 0; i < world.workers(); ++i)
    for (const auto& note : world.worker(i).notes())
      if (note.job == "short" && note.event == "begin" && note.source == "NORMAL_TRIGGER" && note.boot_us > since_us)
        out.push_back(static_cast<double>(note.wall_us % second_us) / 1000);
  return out;
}

} // namespace

elastic_times run_elastic_takeovers(const elastic_load& load, int signal, std::size_t rounds) {
  const bool kills = signal == SIGKILL;
  elastic_declaration held{"held", "work", 1};
  held.param = "ms=3600000 again_ms=1 tick_ms=50";
  held.more = std::string{"failover = true\nmisfire = false\n"} + (kills ? "" : "fence_mode = \"fast\"\n");
  elastic_world world{load, {held}};
  elastic_times report{kills ? "takeover-kill" : "takeover-stop", rounds, {}, std::nullopt, {}};
  std::vector<double> took;
  std::int64_t since = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto holder = await_holder(world, since);
    wait_until(now_ms() + static_cast<std::int64_t>(i) * shift_ms % heartbeat_ms);
    auto& victim = world.worker(holder);
    const auto broken = victim.break_off(signal);
    took.push_back(ms_between(broken, await_takeover(world, holder, broken).boot_us));
    since = boot_us();
    if (kills)
      victim.start();
    else
      victim.go_on();
    world.wait_for_beat(victim, since);
  }
  report.ms = spread_of(took);
  // The held item would outlast any drain.
  for (std::size_t i = 0; i < world.workers(); ++i)
    world.worker(i).process().kill_now();
  report.exit_status = world.stop();
  return report;
}

elastic_times run_elastic_reshares(const elastic_load& load, std::size_t rounds) {
  elastic_declaration slow{"long", "nap", 1}, quick{"short", "quick", 12};
  slow.param = "ms=2500";
  elastic_world world{load, {slow, quick}};
  elastic_times report{"reshare", rounds, {}, spread_ms{}, {}};
  std::vector<double> took;
  const auto began = boot_us();
  auto started = began;
  auto& added = world.add_worker();
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto first = await_note(
      [&]() -> std::optional<body_note> {
        for (const auto& note : added.notes())
          if (note.boot_us > started && note.event == "begin")
            return note;
        return std::nullopt;
      },
      "an item on the worker that came");
    took.push_back(ms_between(started, first.boot_us));
    added.stop();
    wait_until(now_ms() + static_cast<std::int64_t>(i) * shift_ms % (second_us / 1000));
    started = boot_us();
    if (i + 1 < rounds)
      added.start();
  }
  report.exit_status = world.stop();
  auto late = lateness_of_short_items(world, began);
  report.ms = spread_of(took);
  report.late = spread_of(late);
  return report;
}

elastic_times run_elastic_compensations(const elastic_load& load, std::size_t rounds) {
  elastic_declaration overrun{"overrun", "nap", 1};
  overrun.param = "ms=1300";
  elastic_world world{load, {overrun}};
  while (compensations(world).size() < rounds)
    wait_until(now_ms() + second_us / 1000);
  elastic_times report{"compensate", rounds, {}, std::nullopt, world.stop()};
  auto took = compensations(world);
  report.ms = spread_of(took);
  return report;
}

} // namespace ringmaster::bench
