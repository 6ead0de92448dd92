// Schedules in words, and notes about them.

#include <algorithm>
#include <string>
#include <vector>

#include "core/cron/cron.hpp"
#include "core/cron/cron_step.hpp"
#include "core/forecast/schedule_notes.hpp"
#include "core/forecast/schedule_words.hpp"
#include "core/schedule/schedule_mistake.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

std::string worded(std::string_view cron, language reader = language::en) {
  const schedule_options none;
  return words_of({schedule_type::cron, cron, none}, reader);
}

std::vector<schedule_note> noted(std::string_view cron, const char* zone_name = "UTC", const schedule_options& options = {},
                                 const char* from = "2026-01-15 00:00:00") {
  const auto where = *zone::find(zone_name);
  const auto rule = schedule::compile(schedule_type::cron, cron, where, options);
  REQUIRE(rule);
  return notes_of({schedule_type::cron, cron, where, options}, *rule, *zone{}.parse(from));
}

bool has_code(const std::vector<schedule_note>& notes, schedule_note_code code) {
  return std::any_of(notes.begin(), notes.end(), [code](const auto& each) { return each.code == code; });
}

time_point utc(const char* text) { return *zone{}.parse(text); }

} // namespace

TEST_CASE("words: times of day", "[unit][words]") {
  CHECK(worded("0 0 3 * * ?") == "At 03:00, every day");
  CHECK(worded("5 30 3,15 * * ?") == "At 03:30:05 and 15:30:05, every day");
  CHECK(worded("0 0 3 * * ?", language::zh_cn) == "每天 03:00");
  CHECK(worded("0 0 3 ? * 2-6", language::zh_cn) == "周一–周五 03:00");
  CHECK(worded("0 0 3 ? * 2-6", language::zh_tc) == "週一–週五 03:00");
}

TEST_CASE("words: steps and lists", "[unit][words]") {
  CHECK(worded("0/5 * * * * ?") == "Every 5 seconds");
  CHECK(worded("* * * * * ?") == "Every second");
  CHECK(worded("0 * * * * ?") == "Every minute");
  CHECK(worded("0 0/5 9-17 * * ?") == "Every 5 minutes, in the hours 9–17");
  CHECK(worded("0 5 * * * ?") == "At minute 5, every hour");
  CHECK(worded("0 0 0/2 * * ?") == "At minute 0, every 2 hours");
  CHECK(worded("0 0/7 * * * ?") == "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56, every hour");
  CHECK(worded("10 1/15 * * * ?") == "At second 10, every 15 minutes from 1");
  CHECK(worded("0 0/5 9-17 * * ?", language::zh_cn) == "9–17 时 每 5 分钟");
  CHECK(worded("0 5 * * * ?", language::zh_tc) == "每小時 第 5 分");
}

TEST_CASE("words: days, months and years", "[unit][words]") {
  CHECK(worded("0 0 3 1,15 * ?") == "At 03:00, on days 1 and 15 of the month");
  CHECK(worded("0 0 3 L * ?") == "At 03:00, on the last day of the month");
  CHECK(worded("0 0 3 L-3 * ?") == "At 03:00, on the day 3 before the last of the month");
  CHECK(worded("0 0 3 LW * ?") == "At 03:00, on the last working day of the month");
  CHECK(worded("0 0 3 15W * ?") == "At 03:00, on the working day nearest to day 15 of the month");
  CHECK(worded("0 0 3 ? * MON-FRI") == "At 03:00, on Monday–Friday");
  CHECK(worded("0 0 3 ? * 1,7") == "At 03:00, on Saturday and Sunday");
  CHECK(worded("0 0 3 ? * 6L") == "At 03:00, on the last Friday of the month");
  CHECK(worded("0 0 3 ? * 6#2") == "At 03:00, on the 2nd Friday of the month");
  CHECK(worded("0 0 3 1 1-3,6 ? 2030") == "At 03:00, on day 1 of the month, in January–March and June, in 2030");
  CHECK(worded("0 0 3 1 1,6 ? 2030", language::zh_cn) == "2030 年 1、6 月 每月 1 日 03:00");
  CHECK(worded("0 0 3 ? * 6#2", language::zh_tc) == "每月第 2 個週五 03:00");
  CHECK(worded("0 0 3 0W * ?") == "Never");
  CHECK(worded("nonsense").empty());
}

TEST_CASE("words: fixed rates, delays and missed instants", "[unit][words]") {
  schedule_options options;
  CHECK(words_of({schedule_type::fixed_rate, "30", options}, language::en) == "Every 30 seconds");
  CHECK(words_of({schedule_type::fixed_rate, "3600", options}, language::en) == "Every hour");
  CHECK(words_of({schedule_type::fixed_rate, "7200", options}, language::zh_cn) == "每 2 小时");
  CHECK(words_of({schedule_type::fixed_rate, "x", options}, language::en).empty());
  CHECK(words_of({schedule_type::none, "", options}, language::en).empty());
  options.interval_ms = 250;
  options.jitter_ms = 2000;
  CHECK(words_of({schedule_type::fixed_rate, "1", options, misfire_policy::do_nothing}, language::en) ==
        "Every 250 milliseconds, up to 2 seconds later; missed instants are dropped");
}

TEST_CASE("notes: a time that clocks skip", "[unit][notes]") {
  const auto notes = noted("0 30 2 * * ?", "Europe/Berlin");
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == schedule_note{schedule_note_code::dst_skipped, utc("2026-03-29 01:00:00")});
  // The second 02:30, after clocks were set back.
  CHECK(notes[1] == schedule_note{schedule_note_code::dst_repeated, utc("2026-10-25 01:30:00")});
  CHECK(noted("0 30 4 * * ?", "Europe/Berlin").empty());
  CHECK(noted("0 30 2 * * ?", "Asia/Shanghai").empty());
  schedule_options until_february;
  until_february.end_at = utc("2026-02-28 00:00:00");
  CHECK(noted("0 30 2 * * ?", "Europe/Berlin", until_february).empty());
}

TEST_CASE("notes: a clock change at midnight", "[unit][notes]") {
  const auto notes = noted("0 30 0 * * ?", "Africa/Cairo");
  CHECK(has_code(notes, schedule_note_code::dst_skipped));
  CHECK(has_code(noted("0 30 23 * * ?", "Africa/Cairo"), schedule_note_code::dst_repeated));
}

TEST_CASE("notes: schedules that end or are rare", "[unit][notes]") {
  CHECK(noted("0 0 1 1 1 ? 2020") == std::vector{schedule_note{schedule_note_code::never_again}});
  CHECK(noted("0 0 1 1 6 ? 2026") == std::vector{schedule_note{schedule_note_code::never_again, utc("2026-06-01 01:00:00")}});
  CHECK(noted("0 0 0 29 2 ?") == std::vector{schedule_note{schedule_note_code::rarer_than_a_year, utc("2028-02-29 00:00:00")}});
  CHECK(noted("0 0 1 1 1 ?").empty());
}

TEST_CASE("notes: steps that do not divide their range", "[unit][notes]") {
  for (const char* cron : {"0 0/7 * * * ?", "0/45 * * * * ?", "0 0 0/5 * * ?", "0 0 0 */2 * ?", "0 45/30 * * * ?",
                           "0 0 0 1 1/5 ?"})
    CHECK(has_unaligned_step(cron));
  for (const char* cron : {"0 0/15 * * * ?", "0 5/15 * * * ?", "0 0-30/7 * * * ?", "0 * * * * ?", "0 0 0/6 * * ?",
                           "0 10/1 * * * ?", "0 0 0 1 1 ? 2026/3", "", " "})
    CHECK_FALSE(has_unaligned_step(cron));
  CHECK(noted("0 0/7 * * * ?") == std::vector{schedule_note{schedule_note_code::unaligned_step}});
}

TEST_CASE("mistakes: the field and the characters of a cron", "[unit][cron]") {
  const auto place = [](std::string_view cron) {
    const auto wrong = cron_expression::find_error(cron);
    REQUIRE(wrong);
    return std::string{to_string(wrong->code)} + ' ' + std::to_string(wrong->position) + '+' + std::to_string(wrong->length);
  };
  CHECK(place("0 0 25 * * ?") == "out_of_range 4+2");
  CHECK(place("0 0 3,88 * * ?") == "out_of_range 6+2");
  CHECK(place("0 0 % * * ?") == "unexpected_character 4+1");
  CHECK(place("0 0 1 * * ? 2026 x") == "too_many_fields 17+1");
  CHECK(place("0 0 1 * *") == "too_few_fields 9+0");
  CHECK(place("") == "too_few_fields 0+0");
  CHECK(place("0 0 1 ? FOO ?") == "unknown_name 8+3");
  CHECK(place("0 0 1 1 * 2") == "days_conflict 10+1");
  CHECK(place("0 0/99 * * * ?") == "bad_step 2+4");
  CHECK(place("\xF0\x9F\x8E\xAA 0 1 * * ?") == "unexpected_character 0+2");
  for (const char* sound : {"0 0 3 * * ?", "0 0 3 L-3W * ? 2030-2040"})
    CHECK_FALSE(cron_expression::find_error(sound));
}

TEST_CASE("mistakes: the member of a schedule", "[unit][schedule]") {
  const auto pointer = [](schedule_type type, std::string_view conf, const schedule_options& options) {
    const auto wrong = find_mistake(type, conf, zone{}, options);
    return wrong ? wrong->pointer + ' ' + std::string{wrong->code} : std::string{};
  };
  schedule_options options;
  CHECK(pointer(schedule_type::cron, "0 0 3 * * ?", options).empty());
  CHECK(pointer(schedule_type::cron, "0 0 25 * * ?", options) == "/schedule/conf out_of_range");
  CHECK(pointer(schedule_type::fixed_rate, "x", options) == "/schedule/conf not_a_number");
  options.time_zone = "Mars/Olympus";
  CHECK(pointer(schedule_type::cron, "0 0 3 * * ?", options) == "/time_zone unknown_zone");
  CHECK(pointer(schedule_type::fixed_rate, "60", options) == "/time_zone does_not_fit");
  options = {};
  options.interval_ms = 1;
  CHECK(pointer(schedule_type::fixed_rate, "", options) == "/interval_ms does_not_fit");
  options = {};
  options.start_at = utc("2026-02-01 00:00:00");
  options.end_at = utc("2026-01-01 00:00:00");
  CHECK(pointer(schedule_type::fixed_rate, "60", options) == "/end_at_ms does_not_fit");
}
