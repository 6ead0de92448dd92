#include "core/schedule/schedule_check.hpp"

#include "core/schedule/schedule_rules.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

core::time_point utc(const std::string& text) { return core::zone{}.parse(text).value(); }

struct one_job {
  core::job spec;
  core::scheduled_job stored;
  core::time_point now = utc("2026-03-02 12:00:00");

  one_job(core::schedule_type type, std::string conf) {
    spec.id = core::job_id{7};
    spec.schedule = type;
    spec.schedule_conf = std::move(conf);
  }
  std::optional<core::far_ahead> check(std::optional<core::time_point> next, core::time_point last = {},
                                       core::milliseconds tolerance = 5s) {
    stored.spec = std::make_shared<const core::job>(spec);
    stored.next = next;
    stored.last = last;
    return core::check_times(core::times_of(stored), *core::schedule_rules{core::zone{}}.of(spec).value(), now, tolerance);
  }
  core::counted_again again() {
    return core::count_again(core::times_of(stored), *core::schedule_rules{core::zone{}}.of(spec).value(), now);
  }
};

} // namespace

TEST_CASE("a next time that the schedule explains is plausible", "[unit]") {
  one_job daily{core::schedule_type::cron, "0 0 2 * * ?"};
  CHECK_FALSE(daily.check(utc("2026-03-03 02:00:00"), utc("2026-03-02 02:00:00")));
  CHECK_FALSE(daily.check(utc("2026-03-01 02:00:00"))); // overdue
  CHECK_FALSE(daily.check(std::nullopt));
  one_job yearly{core::schedule_type::cron, "0 0 0 29 2 ?"};
  CHECK_FALSE(yearly.check(utc("2028-02-29 00:00:00")));
  one_job secondly{core::schedule_type::cron, "* * * * * ?"};
  CHECK_FALSE(secondly.check(secondly.now + 6s, secondly.now + 5s));
  one_job rate{core::schedule_type::fixed_rate, "3600"};
  CHECK_FALSE(rate.check(rate.now + 3600s, rate.now));
}

TEST_CASE("a next time beyond the schedule is found", "[unit]") {
  one_job secondly{core::schedule_type::cron, "* * * * * ?"};
  const auto found = secondly.check(secondly.now + 240h, secondly.now + 240h - 1s);
  REQUIRE(found);
  CHECK(found->next == secondly.now + 240h);
  CHECK(found->expected == secondly.now + 1s);
  CHECK(secondly.again().next == secondly.now + 1s);
  CHECK(secondly.again().last == secondly.now);
  CHECK(secondly.check(secondly.now + 22s));
  CHECK_FALSE(secondly.check(secondly.now + 22s, {}, 30s));
  CHECK_FALSE(secondly.check(secondly.now + 7s, secondly.now + 6s)); // reserved alongside Java admins
  one_job daily{core::schedule_type::cron, "0 0 2 * * ?"};
  CHECK(daily.check(utc("2026-03-04 02:00:00")));
  one_job rate{core::schedule_type::fixed_rate, "3600"};
  CHECK(rate.check(rate.now + 3621s));
}

TEST_CASE("an instant that was claimed slightly ahead is not repeated", "[unit]") {
  one_job secondly{core::schedule_type::cron, "* * * * * ?"};
  CHECK(secondly.check(secondly.now + 240h, secondly.now + 1s));
  CHECK(secondly.again().last == secondly.now + 1s);
  CHECK(secondly.again().next == secondly.now + 2s);
}

TEST_CASE("a last instant that lies ahead is found in a stopped job, too", "[unit]") {
  one_job daily{core::schedule_type::cron, "0 0 2 * * ?"};
  const auto found = daily.check(std::nullopt, utc("2026-03-12 02:00:00"));
  REQUIRE(found);
  CHECK_FALSE(found->next);
  CHECK_FALSE(daily.again().next);
  CHECK(daily.again().last == daily.now);
}

TEST_CASE("a next time after the end of its schedule is found", "[unit]") {
  one_job secondly{core::schedule_type::cron, "* * * * * ?"};
  secondly.spec.timing.end_at = secondly.now + 1min;
  CHECK_FALSE(secondly.check(secondly.now + 3s));
  CHECK(secondly.check(secondly.now + 2min));
}
