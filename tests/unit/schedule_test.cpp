// Schedules, and the plan of one claim for one job.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

// 2023-11-14 22:13:20Z, a whole second.
constexpr auto whole_second = from_ms(1'700'000'000'000);

schedule compiled(schedule_type type, std::string_view conf, const zone& where = {}) {
  return schedule::compile(type, conf, where).value();
}
schedule every(int s) { return compiled(schedule_type::fixed_rate, std::to_string(s)); }
schedule cron_schedule(std::string_view text, const char* tz = "UTC") {
  return compiled(schedule_type::cron, text, zone::find(tz).value());
}

due_job due_at(time_point next, misfire_policy misfire = misfire_policy::do_nothing) {
  auto spec = std::make_shared<job>();
  spec->id = job_id{7};
  spec->misfire = misfire;
  return {spec, next};
}

plan_window window_at(time_point now, milliseconds horizon = 200ms, std::size_t firings_max = 64) {
  return {now, horizon, 5000ms, firings_max};
}

std::vector<std::int64_t> offsets(const job_plan& plan) {
  std::vector<std::int64_t> found;
  for (const auto& firing : plan.firings)
    found.push_back((firing.fire_at - whole_second).count());
  return found;
}

using ms_list = std::vector<std::int64_t>;

std::string error_of(schedule_type type, std::string_view conf) {
  const auto result = schedule::compile(type, conf, {});
  return result ? "(accepted)" : result.error().context;
}

/// Checks the invariants of every plan of a due job.
void check_sound(const job_plan& plan, const due_job& due, const plan_window& window) {
  REQUIRE(plan.id == due.spec->id);
  REQUIRE(plan.expected_next == due.next);
  REQUIRE(plan.firings.size() <= window.firings_max);
  REQUIRE((!plan.next || *plan.next > due.next));
  auto before = time_point::min();
  for (const auto& firing : plan.firings) {
    REQUIRE(firing.fire_at > before);
    REQUIRE((!plan.next || *plan.next > firing.fire_at));
    REQUIRE(firing.fire_at <= window.now + window.horizon);
    before = firing.fire_at;
  }
  if (!plan.firings.empty())
    REQUIRE(plan.last == plan.firings.back().fire_at);
}

} // namespace

TEST_CASE("a schedule that never fires", "[unit][schedule]") {
  CHECK_FALSE(schedule{}.next(whole_second));
  CHECK_FALSE(compiled(schedule_type::none, "0 0 0 * * ?").next(whole_second));
  CHECK_FALSE(cron_schedule("0 0 0 30 2 ?").next(whole_second));
}

TEST_CASE("a fixed rate counts from the given time, rounded up to a second", "[unit][schedule]") {
  CHECK(every(1).next(whole_second) == whole_second + 1s);
  CHECK(every(30).next(whole_second) == whole_second + 30s);
  CHECK(every(1).next(whole_second + 1ms) == whole_second + 2s);
  CHECK(every(1).next(whole_second + 999ms) == whole_second + 2s);
  CHECK(every(2'147'483'647).next(whole_second) == whole_second + 2'147'483'647s);
}

TEST_CASE("invalid schedule texts have XXL's message", "[unit][schedule]") {
  CHECK(error_of(schedule_type::cron, "0 0 12 * *") == "Unexpected end of expression.");
  CHECK(error_of(schedule_type::fixed_rate, "abc") == "For input string: \"abc\"");
  CHECK(error_of(schedule_type::fixed_rate, "") == "For input string: \"\"");
  CHECK(error_of(schedule_type::fixed_rate, "2147483648") == "For input string: \"2147483648\"");
  CHECK(error_of(schedule_type::fixed_rate, "1.5") == "For input string: \"1.5\"");
  CHECK_FALSE(schedule::compile(schedule_type::fixed_rate, "0", {}));
  CHECK_FALSE(schedule::compile(schedule_type::fixed_rate, "-1", {}));
  CHECK(error_of(schedule_type::none, "whatever") == "(accepted)");
  CHECK(error_of(schedule_type::cron, "0 0 0 30 2 ?") == "(accepted)");
}

TEST_CASE("cron fires in its zone, across clock changes", "[unit][schedule]") {
  // 2024-03-10 01:30 in New York; 02:30 does not exist that day.
  const auto before = from_ms(1'710'052'200'000);
  CHECK(cron_schedule("0 30 2 * * ?", "America/New_York").next(before) == before + 24h);
  CHECK(cron_schedule("0 0 * * * ?", "America/New_York").next(before) == before + 30min);
}

TEST_CASE("a job that is due in the horizon fires once", "[unit][plan]") {
  const auto due = due_at(whole_second + 100ms);
  const auto p = plan(due, cron_schedule("0 * * * * ?"), window_at(whole_second));
  CHECK(offsets(p) == ms_list{100});
  CHECK_FALSE(p.firings.front().misfire);
  CHECK(p.next == whole_second + 40s);
  CHECK(p.last == whole_second + 100ms);
  CHECK(p.dropped == 0);
}

TEST_CASE("the horizon is inclusive", "[unit][plan]") {
  CHECK(offsets(plan(due_at(whole_second + 200ms), every(1), window_at(whole_second))) == ms_list{200});
  const auto p = plan(due_at(whole_second + 201ms), every(1), window_at(whole_second));
  CHECK(p.firings.empty());
  // Not due: nothing is claimed or moved.
  CHECK(p.next == whole_second + 201ms);
}

TEST_CASE("every instant inside the horizon is planned", "[unit][plan]") {
  const auto p = plan(due_at(whole_second), every(1), window_at(whole_second, 3000ms));
  CHECK(offsets(p) == ms_list{0, 1000, 2000, 3000});
  CHECK(p.next == whole_second + 4s);
  CHECK(p.last == whole_second + 3s);
}

TEST_CASE("late instants keep their own time, up to the misfire limit", "[unit][plan]") {
  const auto p = plan(due_at(whole_second - 5s), every(2), window_at(whole_second));
  CHECK(offsets(p) == ms_list{-5000, -3000, -1000});
  CHECK(p.next == whole_second + 1s);
  CHECK(p.dropped == 0);
}

TEST_CASE("one millisecond beyond the limit is a misfire", "[unit][plan]") {
  CHECK(plan(due_at(whole_second - 5s), cron_schedule("0 * * * * ?"), window_at(whole_second)).firings.size() == 1);
  const auto p = plan(due_at(whole_second - 5001ms), cron_schedule("0 * * * * ?"), window_at(whole_second));
  CHECK(p.firings.empty());
  CHECK(p.dropped == 1);
  CHECK(p.next == whole_second + 40s);
  CHECK(p.last == p.expected_next);
}

TEST_CASE("the last dropped instant is the last one up to now", "[unit][plan]") {
  const auto last = [](auto ago, const schedule& rule) {
    return plan(due_at(whole_second - ago), rule, window_at(whole_second)).last_dropped;
  };
  CHECK(last(6s, every(1)) == whole_second);
  CHECK(last(61s, every(10)) == whole_second - 1s);
  CHECK(last(10s, every(3600)) == whole_second - 10s);
  CHECK(last(24h * 365, every(7)) == whole_second - (24h * 365) % 7s);
  CHECK(last(31 * 24h, cron_schedule("* * * * * ?")) == whole_second);
}

TEST_CASE("FIRE_ONCE_NOW fires once, now", "[unit][plan]") {
  const auto now = whole_second + 123ms;
  const auto p = plan(due_at(whole_second - 1h, misfire_policy::fire_once_now), every(60), window_at(now));
  CHECK(offsets(p) == ms_list{123});
  CHECK(p.firings.front().misfire);
  CHECK(p.next == whole_second + 61s);
  CHECK(p.last == now);
  CHECK(p.dropped == 0);
  CHECK(p.merged == 60); // 61 instants of an hour, both ends included
  const auto one = plan(due_at(whole_second - 6s, misfire_policy::fire_once_now), every(60), window_at(now));
  CHECK((one.firings.size() == 1 && one.merged == 0));
  auto never_planned = due_at(whole_second, misfire_policy::fire_once_now);
  never_planned.next = due_since_ever;
  const auto first = plan(never_planned, every(1), window_at(now));
  CHECK((first.firings.size() == 1 && first.merged == 0));
}

TEST_CASE("DO_NOTHING counts the dropped instants", "[unit][plan]") {
  const auto dropped = [](auto ago, const schedule& rule) {
    return plan(due_at(whole_second - ago), rule, window_at(whole_second)).dropped;
  };
  CHECK(dropped(6s, every(1)) == 7);
  CHECK(dropped(60s, every(10)) == 7);
  CHECK(dropped(31s, every(1)) == 32);
  CHECK(dropped(32s, every(1)) == 33);
  CHECK(dropped(500s, every(1)) == 501);
  CHECK(dropped(24h * 365, every(1)) == 365 * 86'400 + 1);
  CHECK(dropped(10s, every(3600)) == 1);
  CHECK(dropped(1h - 20s, cron_schedule("0 0-29 * * * ?")) == 31); // the first of them at 21:13:40
  CHECK(dropped(31 * 24h, cron_schedule("* * * * * ?")) == 31 * 86'400 + 1);
  // A running job without a next time has missed none.
  CHECK(plan({due_at(whole_second).spec, due_since_ever}, every(1), window_at(whole_second)).dropped == 0);
}

TEST_CASE("the count of instants equals a walk from one to the next", "[unit][schedule]") {
  struct counted {
    schedule rule;
    time_point from;
    milliseconds span;
  };
  const auto with = [](schedule_type type, const char* conf, const schedule_options& options, const char* where = "UTC") {
    return schedule::compile(type, conf, zone::find(where).value(), options).value();
  };
  // 2024-03-10 and 2024-11-03 in New York, 2011-12-29 in Apia (which skipped a day), 2024-04-07 on Lord Howe (half an hour).
  const auto spring = from_ms(1'710'028'800'000), autumn = from_ms(1'730'592'000'000), leap = from_ms(1'325'116'800'000);
  const auto half = from_ms(1'712'448'000'000);
  std::vector<counted> all;
  for (const char* conf : {"0 * * * * ?", "*/7 * * * * ?", "0 30 2 * * ?", "15 0/20 1-2 * * ?", "0 0 0 L * ?",
                           "0 0 12 ? * 2#2", "0 59 23 * * ?"})
    for (const auto from : {spring, autumn}) {
      all.push_back({cron_schedule(conf, "America/New_York"), from, 48h});
      all.push_back({cron_schedule(conf, "America/New_York"), from + 6h + 13min + 5s, 31min});
      all.push_back({cron_schedule(conf, "America/New_York"), from + 5h + 30min, 40 * 24h});
    }
  all.push_back({cron_schedule("0 */5 * * * ?", "Pacific/Apia"), leap, 72h});
  all.push_back({cron_schedule("*/30 * * * * ?", "Australia/Lord_Howe"), half, 24h});
  all.push_back({cron_schedule("0 0 0 29 2 ?"), spring - 24h * 1500, 24h * 3000});
  all.push_back({cron_schedule("0 0 0 1 1 ? 2024-2026"), spring - 24h * 1500, 24h * 3000});
  all.push_back({every(7), whole_second + 300ms, 1h});
  all.push_back({with(schedule_type::fixed_rate, "", {.interval_ms = 250}), whole_second + 1ms, 1min});
  all.push_back({with(schedule_type::fixed_rate, "", {.interval_ms = 700, .jitter_ms = 600}), whole_second + 1ms, 10min});
  all.push_back({with(schedule_type::fixed_rate, "10", {.start_at = whole_second + 1min}), whole_second, 1h});
  all.push_back({with(schedule_type::fixed_rate, "10", {.end_at = whole_second + 1min}), whole_second, 1h});
  all.push_back({with(schedule_type::cron, "*/10 * * * * ?", {.end_at = whole_second + 95s, .jitter_ms = 9'000}), whole_second,
                 1h});
  all.push_back({with(schedule_type::cron, "0 * * * * ?", {.jitter_ms = 90'000}, "America/New_York"), spring, 24h});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [rule, from, span] = all[i];
    CAPTURE(i);
    const job_id job{7};
    // Begins and ends at, before and after instants.
    for (const auto shift : {0ms, 1ms, 499ms, 1000ms, 61'000ms}) {
      std::size_t walked = 0;
      const auto begin = rule.next(from + shift, job).value_or(from), end = from + span + shift;
      for (auto instant = rule.next(begin, job); instant && *instant <= end; instant = rule.next(*instant, job))
        ++walked;
      CHECK(rule.count(begin, end, job) == walked);
    }
  }
}

TEST_CASE("a last instant that lies implausibly ahead is ignored", "[unit][schedule]") {
  CHECK(search_from(whole_second, {}) == whole_second);
  CHECK(search_from(whole_second, whole_second - 1ms) == whole_second);
  CHECK(search_from(whole_second, whole_second + 6s) == whole_second + 6s);
  CHECK(search_from(whole_second, whole_second + implausibly_ahead) == whole_second + implausibly_ahead);
  CHECK(search_from(whole_second, whole_second + implausibly_ahead + 1ms) == whole_second);
  CHECK(search_from(whole_second, whole_second + 10 * 24h) == whole_second);
  CHECK(lies_implausibly_ahead(whole_second + 61s, whole_second, 60s));
  CHECK_FALSE(lies_implausibly_ahead(whole_second + 60s, whole_second, 60s));
}

TEST_CASE("a full plan continues with the instant that it left out", "[unit][plan]") {
  const auto p = plan(due_at(whole_second), every(1), window_at(whole_second, 1h, 3));
  CHECK(offsets(p) == ms_list{0, 1000, 2000});
  CHECK(p.next == whole_second + 3s);
  const auto q = plan(due_at(*p.next), every(1), window_at(whole_second, 1h, 3));
  CHECK(offsets(q) == ms_list{3000, 4000, 5000});
}

TEST_CASE("an exhausted schedule has no next time", "[unit][plan]") {
  const auto p = plan(due_at(whole_second), cron_schedule("20 13 22 14 11 ? 2023"), window_at(whole_second));
  CHECK(offsets(p) == ms_list{0});
  CHECK_FALSE(p.next);
  const auto missed = plan(due_at(whole_second - 1h), cron_schedule("20 13 21 14 11 ? 2023"), window_at(whole_second));
  CHECK(missed.firings.empty());
  CHECK(missed.dropped == 1);
  CHECK_FALSE(missed.next);
  const auto once = plan(due_at(whole_second - 1h, misfire_policy::fire_once_now), cron_schedule("20 13 21 14 11 ? 2023"),
                         window_at(whole_second));
  CHECK(once.firings.size() == 1);
  CHECK_FALSE(once.next);
}

TEST_CASE("plans stay sound in the repeated hour", "[unit][plan]") {
  // 2024-11-03, New York: a minute rule does not fire in the first pass.
  const auto rule = cron_schedule("0 * * * * ?", "America/New_York");
  const auto last_before = from_ms(1'730'609'940'000); // 00:59 EDT
  const auto p = plan(due_at(last_before), rule, window_at(last_before));
  CHECK(p.firings.size() == 1);
  CHECK(p.next == last_before + 1h + 1min);
}

TEST_CASE("every plan is sound, and a chain of plans takes each instant once", "[unit][plan]") {
  constexpr std::uint64_t seed = 77;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  const std::vector<schedule> rules = {every(1), every(7), cron_schedule("* * * * * ?"), cron_schedule("0/3 * * * * ?"),
                                       cron_schedule("0 0/2 * * * ?", "Europe/Berlin")};
  for (int round = 0; round < 200; ++round) {
    const auto& rule = rules[random() % rules.size()];
    auto now = whole_second + milliseconds{static_cast<std::int64_t>(random() % 100'000)};
    auto next = *rule.next(now);
    auto walked = next;
    for (int step = 0; step < 40; ++step) {
      // No step is longer than the misfire limit, so no instant may be left out.
      now += milliseconds{static_cast<std::int64_t>(random() % 4000)};
      const auto due = due_at(next);
      const auto window = window_at(now, milliseconds{static_cast<std::int64_t>(random() % 3000)}, 1 + random() % 5);
      if (due.next > now + window.horizon || now > due.next + window.misfire_after)
        continue;
      const auto p = plan(due, rule, window);
      check_sound(p, due, window);
      for (const auto& firing : p.firings) {
        REQUIRE(firing.fire_at == walked);
        walked = *rule.next(walked);
      }
      next = *p.next;
      REQUIRE(next == walked);
    }
  }
}

TEST_CASE("every misfire plan is sound", "[unit][plan]") {
  constexpr std::uint64_t seed = 78;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 300; ++round) {
    const auto rule = random() % 2 == 0 ? every(static_cast<int>(1 + random() % 100)) : cron_schedule("0/7 * * * * ?");
    const auto policy = random() % 2 == 0 ? misfire_policy::do_nothing : misfire_policy::fire_once_now;
    const auto due = due_at(whole_second - milliseconds{static_cast<std::int64_t>(5001 + random() % 100'000)}, policy);
    const auto window = window_at(whole_second);
    const auto p = plan(due, rule, window);
    check_sound(p, due, window);
    REQUIRE(p.firings.size() == (policy == misfire_policy::fire_once_now ? 1 : 0));
    REQUIRE((p.dropped > 0) == (policy == misfire_policy::do_nothing));
    REQUIRE(*p.next > whole_second);
  }
}
