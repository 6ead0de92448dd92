// Time zone, interval, start, end and jitter of a schedule.

#include <random>
#include <set>

#include "core/schedule/schedule_book.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

// 2023-11-14 22:13:20Z.
constexpr auto evening = from_ms(1'700'000'000'000);

schedule_rules::rule rule_of(schedule_type type, const std::string& conf, const schedule_options& options = {}) {
  auto rule = schedule_rules{zone{}}.of(type, conf, options);
  if (!rule)
    FAIL(rule.error().context);
  return *rule;
}

std::string refusal_of(schedule_type type, const std::string& conf, const schedule_options& options) {
  const auto rule = schedule_rules{zone{}}.of(type, conf, options);
  return rule ? "accepted" : rule.error().context;
}

schedule_options jitter(std::int32_t ms) {
  schedule_options options;
  options.jitter_ms = ms;
  return options;
}

std::vector<time_point> walk(const schedule& rule, time_point from, int count, job_id of = job_id{7}) {
  std::vector<time_point> all;
  for (auto next = rule.next(from, of); next && static_cast<int>(all.size()) < count; next = rule.next(*next, of))
    all.push_back(*next);
  return all;
}

constexpr auto cron = schedule_type::cron;
constexpr auto rate = schedule_type::fixed_rate;

} // namespace

TEST_CASE("invalid options are refused by name", "[unit][schedule]") {
  schedule_options options;
  SECTION("an unknown zone") {
    options.time_zone = "Mars/Olympus";
    CHECK(refusal_of(cron, "0 0 0 * * ?", options).starts_with("time_zone: "));
  }
  SECTION("a zone of a fixed rate") {
    options.time_zone = "UTC";
    CHECK(refusal_of(rate, "5", options) == "time_zone: only a cron schedule has a time zone");
  }
  SECTION("an interval of a cron") {
    options.interval_ms = 100;
    CHECK(refusal_of(cron, "0 0 0 * * ?", options) == "interval_ms: only a fixed rate has an interval");
  }
  SECTION("an interval that is too short") {
    options.interval_ms = 9;
    CHECK(refusal_of(rate, "1", options) == "interval_ms: 9 is not between 10 and 2147483647000");
  }
  SECTION("an end before the start") {
    options.start_at = evening;
    options.end_at = evening - 1ms;
    CHECK(refusal_of(rate, "1", options) == "end_at: is before start_at");
  }
  SECTION("implausible times") {
    options.start_at = from_ms(-5);
    CHECK(refusal_of(rate, "1", options) == "start_at: must lie between 1970 and 9999");
  }
  SECTION("a jitter of more than a day") {
    CHECK(refusal_of(rate, "1", jitter(86'400'001)).starts_with("jitter_ms: 86400001 is not"));
  }
  SECTION("options without a schedule") {
    CHECK(refusal_of(schedule_type::none, "", jitter(5)).ends_with("need a schedule"));
  }
}

TEST_CASE("a rate in milliseconds lies on a grid", "[unit][schedule]") {
  schedule_options options;
  options.interval_ms = 250;
  const auto rule = rule_of(rate, "1", options);
  CHECK(walk(*rule, evening + 1ms, 3) == std::vector{evening + 250ms, evening + 500ms, evening + 750ms});
  CHECK(rule->next(evening + 250ms) == evening + 500ms);
  options.start_at = evening + 10ms;
  CHECK(walk(*rule_of(rate, "1", options), evening - 1h, 2) == std::vector{evening + 10ms, evening + 260ms});
  CHECK(rate_text_of(250) == "1");
  CHECK(rate_text_of(1000) == "1");
  CHECK(rate_text_of(1001) == "2");
}

TEST_CASE("a plain rate with a start counts from it; without one it behaves as in XXL", "[unit][schedule]") {
  schedule_options options;
  options.start_at = evening + 500ms;
  CHECK(walk(*rule_of(rate, "3", options), evening + 5s, 2) == std::vector{evening + 6500ms, evening + 9500ms});
  options.start_at.reset();
  options.end_at = evening + 4s;
  CHECK(walk(*rule_of(rate, "3", options), evening + 1ms, 9) == std::vector{evening + 4s});
}

TEST_CASE("nothing fires before the start or after the end, to the millisecond", "[unit][schedule]") {
  schedule_options options;
  options.start_at = evening + 10s;
  options.end_at = evening + 12s;
  const auto rule = rule_of(cron, "* * * * * ?", options);
  CHECK(walk(*rule, evening - 24h, 9) == std::vector{evening + 10s, evening + 11s, evening + 12s});
  CHECK_FALSE(rule->next(evening + 12s));
  options.start_at = evening + 10s + 1ms;
  options.end_at = evening + 12s - 1ms;
  CHECK(walk(*rule_of(cron, "* * * * * ?", options), evening - 24h, 9) == std::vector{evening + 11s});
}

TEST_CASE("each job's cron applies in its own zone, also across clock changes", "[unit][schedule]") {
  schedule_options york, shanghai;
  york.time_zone = "America/New_York";
  shanghai.time_zone = "Asia/Shanghai";
  schedule_rules rules{zone{}};
  const auto in_york = *rules.of(cron, "0 30 2 * * ?", york), in_shanghai = *rules.of(cron, "0 30 2 * * ?", shanghai);
  CHECK(in_york != in_shanghai);
  CHECK(in_york == *rules.of(cron, "0 30 2 * * ?", york));
  // 2024-03-10 has no 02:30 in New York: the day is skipped there, and in no other zone.
  const auto before = zone::find("America/New_York")->parse("2024-03-09 12:00:00").value();
  CHECK(zone::find("America/New_York")->format(*in_york->next(before)) == "2024-03-11 02:30:00");
  CHECK(zone::find("Asia/Shanghai")->format(*in_shanghai->next(before)) == "2024-03-10 02:30:00");
  // 2024-11-03 has two 01:30 in New York: the second one fires, once.
  const auto autumn = *rules.of(cron, "0 30 1 * * ?", york);
  const auto first = *autumn->next(zone::find("America/New_York")->parse("2024-11-02 12:00:00").value());
  CHECK(first == from_ms(1'730'615'400'000)); // 06:30Z
  CHECK(*autumn->next(first) == first + 24h);
}

TEST_CASE("jitter only delays, at most by its value, and is constant for an instant", "[unit][schedule]") {
  const auto plain = rule_of(cron, "0 0/5 * * * ?");
  const auto spread = rule_of(cron, "0 0/5 * * * ?", jitter(60'000));
  const auto expected = walk(*plain, evening, 500), got = walk(*spread, evening, 500);
  REQUIRE(got.size() == 500);
  std::set<std::int64_t> delays;
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i] >= expected[i]);
    CHECK(got[i] <= expected[i] + 60s);
    delays.insert((got[i] - expected[i]).count());
  }
  CHECK(delays.size() > 400);
  CHECK(walk(*rule_of(cron, "0 0/5 * * * ?", jitter(60'000)), evening, 500) == got);
  CHECK(walk(*spread, evening, 500, job_id{8}) != got);
  CHECK(walk(*spread, got[10], 1) == std::vector{got[11]});
}

TEST_CASE("an instant is stable at any time of the query", "[unit][schedule]") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  const char* texts[] = {"* * * * * ?", "0/7 * * * * ?", "0 0/5 * * * ?", "0-9 0 0/3 * * ?", "0 0 1 * * ?"};
  for (const char* text : texts)
    for (const std::int32_t ms : {1, 700, 1000, 90'000, 86'400'000}) {
      const auto rule = rule_of(cron, text, jitter(ms));
      const auto plain = rule_of(cron, text);
      const auto all = walk(*rule, evening, 200);
      INFO(text << " " << ms);
      REQUIRE(all.size() == 200);
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        REQUIRE(all[i] < all[i + 1]);
        // From any moment in between: no instant is skipped or repeated.
        const auto gap = (all[i + 1] - all[i]).count();
        const auto somewhere = all[i] + milliseconds{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(gap))};
        REQUIRE(rule->next(somewhere, job_id{7}) == all[i + 1]);
      }
      // As many as without jitter: one per instant, none delayed into the next one.
      for (std::size_t i = 1; i + 1 < all.size(); ++i)
        REQUIRE(plain->next(all[i] - milliseconds{ms} - 1ms).value() <= all[i]);
    }
}

TEST_CASE("jitter ends before end_at and also applies to rates", "[unit][schedule]") {
  auto options = jitter(86'400'000);
  options.end_at = evening + 10s;
  const auto last = walk(*rule_of(cron, "0/10 * * * * ?", options), evening - 1s, 99);
  REQUIRE(last.size() == 2);
  CHECK(last[1] == evening + 10s);
  options = jitter(5'000);
  options.interval_ms = 100;
  const auto all = walk(*rule_of(rate, "1", options), evening, 100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i] >= evening + 100ms * static_cast<int>(i));
    CHECK(all[i] < evening + 100ms * static_cast<int>(i + 2));
  }
}

TEST_CASE("a plan takes every sub-second instant of its window once", "[unit][schedule]") {
  auto spec = std::make_shared<job>();
  spec->id = job_id{7};
  spec->schedule = rate;
  spec->timing = jitter(20);
  spec->timing.interval_ms = 50;
  const auto rule = *schedule_rules{zone{}}.of(*spec);
  auto next = *rule->next(evening, spec->id);
  std::vector<time_point> planned;
  for (auto now = evening; now < evening + 10s; now += 130ms) {
    const auto made = plan({spec, next}, *rule, {now, 200ms, 5000ms, 64});
    for (const auto& firing : made.firings)
      planned.push_back(firing.fire_at);
    next = *made.next;
  }
  CHECK(planned == walk(*rule, evening, static_cast<int>(planned.size())));
  CHECK(planned.size() >= 200);
}

TEST_CASE("clock steps forward or back repeat no instant", "[unit][schedule]") {
  auto spec = std::make_shared<job>();
  spec->id = job_id{7};
  spec->schedule = cron;
  spec->schedule_conf = "* * * * * ?";
  spec->timing = jitter(400);
  const auto rule = *schedule_rules{zone{}}.of(*spec);
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  std::set<time_point> seen;
  auto next = *rule->next(evening, spec->id);
  auto now = evening;
  for (int i = 0; i < 5000; ++i) {
    now += milliseconds{static_cast<std::int64_t>(random() % 300)};
    if (random() % 100 == 0)
      now += milliseconds{static_cast<std::int64_t>(random() % 20'000) - 10'000};
    const auto made = plan({spec, next}, *rule, {now, 200ms, 5000ms, 64});
    REQUIRE(made.next);
    REQUIRE(*made.next >= next);
    for (const auto& firing : made.firings)
      REQUIRE(seen.insert(firing.fire_at).second);
    next = *made.next;
  }
}

TEST_CASE("an invalid option in the store stops only its own job", "[unit][schedule]") {
  schedule_book book{zone{}};
  auto put = [&book](std::int32_t id, std::string zone_name) {
    auto spec = std::make_shared<job>();
    spec->id = job_id{id};
    spec->schedule = cron;
    spec->schedule_conf = "* * * * * ?";
    spec->timing.time_zone = std::move(zone_name);
    return book.put({std::move(spec), evening, {}, 1});
  };
  CHECK_FALSE(put(1, "Europe/Berlin"));
  const auto bad = put(2, "Nowhere/City");
  REQUIRE(bad);
  CHECK(number(bad->job) == 2);
  CHECK(bad->reason.starts_with("time_zone: "));
  CHECK(number(book.take_due(evening)->spec->id) == 1);
  CHECK_FALSE(book.take_due(evening));
}

TEST_CASE("a missed instant is made up before the end, not after it", "[unit][plan]") {
  auto spec = std::make_shared<job>();
  spec->id = job_id{7};
  spec->misfire = misfire_policy::fire_once_now;
  schedule_options options;
  options.start_at = evening;
  options.end_at = evening + 1min;
  const auto rule = schedule::compile(schedule_type::fixed_rate, "10", zone{}, options);
  REQUIRE(rule);
  const auto plan_at = [&](time_point now) {
    plan_window window;
    window.now = now;
    return plan({spec, evening + 30s}, *rule, window);
  };
  const auto before = plan_at(evening + 1min);
  REQUIRE(before.firings.size() == 1);
  CHECK(before.firings[0].misfire);
  CHECK_FALSE(before.next);
  const auto behind = plan_at(evening + 1min + 1ms);
  CHECK(behind.firings.empty());
  CHECK(behind.dropped == 4);
  CHECK_FALSE(behind.next);
  // Late, but not a misfire: it keeps its own time.
  plan_window window;
  window.now = evening + 1min + 3s;
  const auto late = plan({spec, evening + 1min}, *rule, window);
  REQUIRE(late.firings.size() == 1);
  CHECK(late.firings[0].fire_at == evening + 1min);
}
