// Preview of a schedule before it is saved (XXL admin §8.6, nextTriggerTime).

#include <string>
#include <vector>

#include "core/schedule/schedule_preview.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

const auto preview_now = *zone{}.parse("2024-05-31 10:20:30");

std::vector<std::string> texts(const result<std::vector<time_point>>& times, const zone& where = {}) {
  REQUIRE(times);
  std::vector<std::string> out;
  for (const auto each : *times)
    out.push_back(where.format(each));
  return out;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("preview: the next five times of a cron, in its zone", "[unit][preview]") {
  const auto shanghai = *zone::find("Asia/Shanghai");
  CHECK(texts(preview("CRON", "0 0 1 * * ?", preview_now, shanghai), shanghai) ==
        list{"2024-06-01 01:00:00", "2024-06-02 01:00:00", "2024-06-03 01:00:00", "2024-06-04 01:00:00", "2024-06-05 01:00:00"});
  CHECK(texts(preview("CRON", "0 0 1 1 1 ? 2025-2026", preview_now, zone{}))
        == list{"2025-01-01 01:00:00", "2026-01-01 01:00:00"});
  CHECK(texts(preview("CRON", "0 0 1 1 1 ? 2020", preview_now, zone{})).empty());
  CHECK(texts(preview("CRON", "0/1 * * * * ?", preview_now, zone{}, {}, 2))
        == list{"2024-05-31 10:20:31", "2024-05-31 10:20:32"});
}

TEST_CASE("preview: fixed rates, including options beyond XXL", "[unit][preview]") {
  CHECK(texts(preview("FIX_RATE", "60", preview_now, zone{}, {}, 2)) == list{"2024-05-31 10:21:30", "2024-05-31 10:22:30"});
  schedule_options options;
  options.interval_ms = 500;
  CHECK(preview("FIX_RATE", "", preview_now, zone{}, options)->back() == preview_now + milliseconds{2500});
  options.end_at = preview_now + milliseconds{1000};
  CHECK(preview("FIX_RATE", "1", preview_now, zone{}, options)->size() == 2);
}

TEST_CASE("preview: a blank type or text yields an empty list", "[unit][preview]") {
  for (const char* type : {"NONE", "", "cron", "FIX_DELAY", "\xFF"})
    CHECK(texts(preview(type, "0 0 1 * * ?", preview_now, zone{})).empty());
  CHECK(texts(preview("CRON", "  ", preview_now, zone{})).empty());
  CHECK(texts(preview("FIX_RATE", "", preview_now, zone{})).empty());
}

TEST_CASE("preview: errors contain the parser's text", "[unit][preview]") {
  const auto told = [](std::string_view type, std::string_view conf) {
    const auto times = preview(type, conf, preview_now, zone{});
    REQUIRE_FALSE(times);
    CHECK(times.error().code == errc::invalid_argument);
    CHECK(times.error().why == refusal::schedule_type_illegal);
    CHECK(times.error().context == times.error().subject);
    return times.error().subject;
  };
  CHECK(told("CRON", "0 0 1 * *") == "Unexpected end of expression.");
  CHECK(told("CRON", "0 0 25 * * ?") == "Hour values must be between 0 and 23");
  CHECK(told("FIX_RATE", "x") == "For input string: \"x\"");
  CHECK_FALSE(told("FIX_RATE", "0").empty());
}

TEST_CASE("preview: an invalid option is named", "[unit][preview]") {
  schedule_options options;
  options.time_zone = "Mars/Olympus";
  const auto wrong = preview("CRON", "0 0 1 * * ?", preview_now, zone{}, options);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().why == refusal::none);
  CHECK(wrong.error().context.find("Mars/Olympus") != std::string::npos);
}
