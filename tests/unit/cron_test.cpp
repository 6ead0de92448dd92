// XXL's cron dialect against recorded answers of three generations of its engine, and every error text.

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/cron/cron.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_folder.hpp"

using namespace ringmaster;
using core::cron_expression;
using core::from_ms;
using core::to_ms;

namespace {

using times = std::vector<std::int64_t>;

/// Expected answer for one recorded vector: an error text, or times.
struct expectation {
  std::string error;
  bool error_is_prefix = false;
  times next_ms;
};

const nlohmann::json& recorded() {
  static const auto vectors = nlohmann::json::parse(std::ifstream{test::source_path("tests/data/cron-vectors.json")});
  return vectors;
}

const core::zone& zone_named(const std::string& name) {
  static std::map<std::string, core::zone> zones;
  if (!zones.contains(name))
    zones.emplace(name, core::zone::find(name).value());
  return zones.at(name);
}

bool is_single_nearest_weekday(const std::string& expression) {
  std::istringstream fields{expression};
  std::string day_of_month;
  fields >> day_of_month >> day_of_month >> day_of_month >> day_of_month;
  return day_of_month.find('W') != std::string::npos && day_of_month.find(',') == std::string::npos;
}

expectation expected_of(const nlohmann::json& vector) {
  expectation expected;
  const auto* answer = &vector;
  if (vector.contains("by_gen")) {
    // The newest generation decides which texts are valid; a W day yields all of its times, as in the oldest.
    const auto& generations = vector["by_gen"];
    const auto w_day = is_single_nearest_weekday(vector["expr"]) && !generations["v3.4"].contains("error");
    answer = &generations[w_day ? "v2.4" : "v3.4"];
  }
  if (answer->contains("error")) {
    expected.error = answer->value("error_v34", answer->at("error").get<std::string>());
    const auto ellipsis = expected.error.find("…");
    expected.error_is_prefix = ellipsis != std::string::npos;
    expected.error = expected.error.substr(0, ellipsis);
  } else {
    expected.next_ms = answer->at("next_ms").get<times>();
  }
  return expected;
}

/// Returns at most `limit` successive fire times.
times fire_times(const cron_expression& cron, std::int64_t from, const core::zone& where, std::size_t limit) {
  times found;
  for (auto next = cron.next(from_ms(from), where); next && found.size() < limit; next = cron.next(*next, where))
    found.push_back(to_ms(*next));
  return found;
}

std::string error_of(std::string_view text) {
  const auto parsed = cron_expression::parse(text);
  return parsed ? "(accepted)" : parsed.error().context;
}

times utc_times(std::string_view text, std::size_t limit = 3) {
  return fire_times(cron_expression::parse(text).value(), 1'700'000'000'000, core::zone{}, limit);
}

} // namespace

TEST_CASE("recorded cron vectors are reproduced", "[unit][cron]") {
  REQUIRE(recorded().size() == 659);
  for (const auto& vector : recorded()) {
    const auto text = vector["expr"].get<std::string>();
    const auto tz = vector["tz"].get<std::string>();
    const auto from = vector["from_ms"].get<std::int64_t>();
    CAPTURE(text, tz, from);
    const auto expected = expected_of(vector);
    const auto parsed = cron_expression::parse(text);
    if (!expected.error.empty()) {
      REQUIRE_FALSE(parsed);
      CHECK(parsed.error().code == core::errc::invalid_argument);
      CHECK(parsed.error().context.substr(0, expected.error_is_prefix ? expected.error.size() : std::string::npos)
            == expected.error);
      continue;
    }
    REQUIRE(parsed);
    // Lists of three and more may be cut; shorter ones mean that the search ended.
    const auto limit = expected.next_ms.size() + (expected.next_ms.size() < 3 ? 1 : 0);
    CHECK(fire_times(*parsed, from, zone_named(tz), limit) == expected.next_ms);
  }
}

TEST_CASE("errors are found from left to right with XXL's text", "[unit][cron]") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
    {"", "Unexpected end of expression."},
    {" \t ", "Unexpected end of expression."},
    {"0 0 12 * *", "Unexpected end of expression."},
    {"60 *", "Minute and Second values must be between 0 and 59"},
    {"0 0 0 * * ? * extra", "Invalid expression has too many terms: 0 0 0 * * ? * EXTRA"},
    {"99x L 77 $ @ ! ! !", "Invalid expression has too many terms: 99X L 77 $ @ ! ! !"},
    {"*/ * * * * ?", "Unexpected end of string."},
    {"/ * * * * ?", "'/' must be followed by an integer."},
    {"0 0/ * * * ?", "'/' must be followed by an integer."},
    {"0/5x * * * * ?", "Unexpected character 'X' after '/'"},
    {"0/5é * * * * ?", "Unexpected character 'é' after '/'"},
    {"0 0 12 -2 * ?", "Unexpected character: -"},
    {"😀 * * * * ?", "Unexpected character: 😀"},
    {"0 0 12 * * ?,", "(accepted)"},
    {"mon * * * * ?", "Illegal characters for this position: 'MON'"},
    {"0 0 0 MON * ?", "Illegal characters for this position: 'MON'"},
    {"0 0 0 L-3X * ?", "Illegal characters for this position: 'L-3'"},
    {"0 0 0 1 1 ? abcd", "Illegal characters for this position: 'ABC'"},
    {"0 0 12 1 Jam ?", "Invalid Month value: 'JAM'"},
    {"0 0 12 1 JAN-JAM ?", "Invalid Month value: 'JAM'"},
    {"0 0 12 ? * MOO", "Invalid Day-of-Week value: 'MOO'"},
    {"0 0 12 ? * MON-XYZ", "Invalid Day-of-Week value: 'XYZ'"},
    {"0 0 12 ?55 * MON", "Illegal character after '?': 5"},
    {"? 0 0 * * ?", "'?' can only be specified for Day-of-Month or Day-of-Week."},
    {"0 0 0 * ? *", "'?' can only be specified for Day-of-Month or Day-of-Week."},
    {"0 0 0 1 1 ? ?", "'?' can only be specified for Day-of-Month or Day-of-Week."},
    {"0 0 12 ? * ?", "'?' can only be specified for Day-of-Month -OR- Day-of-Week."},
    {"0 0 12 * * *", "Support for specifying both a day-of-week AND a day-of-month parameter is not implemented."},
    {"0 0 12 1 * 2", "Support for specifying both a day-of-week AND a day-of-month parameter is not implemented."},
    {"0 0 12 5,? * ?", "'?' can only be specified for Day-of-Month -OR- Day-of-Week."},
    {"0 0 12 *,? * ?", "Support for specifying both a day-of-week AND a day-of-month parameter is not implemented."},
    {"0 0 12 98 * 98", "Support for specifying both a day-of-week AND a day-of-month parameter is not implemented."},
    {"60 * * * * ?", "Minute and Second values must be between 0 and 59"},
    {"0 1-70 * * * ?", "Minute and Second values must be between 0 and 59"},
    {"0 0 24 * * ?", "Hour values must be between 0 and 23"},
    {"0 0 98 * * ?", "Hour values must be between 0 and 23"},
    {"0 0 12 0 * ?", "Day of month values must be between 1 and 31"},
    {"0 0 12 1-32 * ?", "Day of month values must be between 1 and 31"},
    {"0 0 12 1 13 ?", "Month values must be between 1 and 12"},
    {"0 0 12 ? * 8", "Day-of-Week values must be between 1 and 7"},
    {"0 0 12 ? * 8L", "Day-of-Week values must be between 1 and 7"},
    {"0/60 * * * * ?", "Increment >= 60 : 60"},
    {"0 /75 * * * ?", "Increment >= 60 : 75"},
    {"0 0 */24 * * ?", "Increment >= 24 : 24"},
    {"0 0 12 1/32 * ?", "Increment >= 31 : 32"},
    {"0 0 12 1 */13 ?", "Increment >= 12 : 13"},
    {"0 0 12 ? * 1/8", "Increment >= 7 : 8"},
    {"L * * * * ?", "'L' not expected in seconds, minutes or hours fields."},
    {"0 LW * * * ?", "'L' not expected in seconds, minutes or hours fields."},
    {"0 0 12 5L * ?", "'L' option is not valid here. (pos=1)"},
    {"0 0 12 ? * 5W", "'W' option is not valid here. (pos=1)"},
    {"0 0 12 ? 10W *", "'W' option is not valid here. (pos=2)"},
    {"0 0 12 15#2 * ?", "'#' option is not valid here. (pos=2)"},
    {"0 0 12 32W * ?", "The 'W' option does not make sense with values larger than 31 (max number of days in a month)"},
    {"0 0 12 L-31 * ?", "Offset from last day must be <= 30"},
    {"0 0 12 ? * 6#0", "A numeric value between 1 and 5 must follow the '#' option"},
    {"0 0 12 ? * 6#6", "A numeric value between 1 and 5 must follow the '#' option"},
    {"0 0 12 ? * 6#", "A numeric value between 1 and 5 must follow the '#' option"},
    {"0 0 12 ? * MON#2x", "A numeric value between 1 and 5 must follow the '#' option"},
    {"0 0 12 ? * 2#1,3#2", "Support for specifying multiple \"nth\" days is not implemented."},
    {"0 0 12 ? * 2L,4", "Support for specifying 'L' with other days of the week is not implemented"},
    {"0 0 12 1 1 ? 2030-2020",
     "Illegal cron expression format (java.lang.IllegalArgumentException: Start year must be less than stop year)"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(error_of(text) == expected);
  }
}

TEST_CASE("text that XXL's parser does not expect is an illegal format", "[unit][cron]") {
  for (std::string_view text :
       {"0 0 12/X * * ?", "0 0 12- * * ?", "0 0 12-X * * ?", "0 0 1-5/ * * ?", "0 0 1-5/x * * ?", "0 0 12 W * ?", "0 0 12 MO * ?",
        "0 0 12 ? * MON-", "0 0 12 ? * MON-X", "0 0 12 L- * ?", "*/5x * * * * ?", "//5 * * * * ?", "99999999999 * * * * ?",
        "0/99999999999 * * * * ?", "*/99999999999 * * * * ?", "LX * * * * ?"}) {
    CAPTURE(text);
    CHECK(error_of(text).starts_with("Illegal cron expression format ("));
  }
}

TEST_CASE("hostile cron texts end quickly and give valid UTF-8", "[unit][cron]") {
  CHECK(error_of("\xff\xfe * * * * ?") == "Unexpected character: \xEF\xBF\xBD");
  CHECK(error_of(std::string_view{"0 0 0 * * ?\0", 12}) == "(accepted)");
  CHECK(error_of(std::string(100'000, '*')) == "Unexpected end of expression.");
  CHECK(error_of("0-2147483647 * * * * ?") == "Minute and Second values must be between 0 and 59");
  // `99` is `*`, so its end is not checked.
  CHECK(utc_times("99-2147483647 * * * * ?") == times{1'700'000'001'000, 1'700'000'002'000, 1'700'000'003'000});
  CHECK(utc_times("0 0 0 1 1 ? 0-2147483647/2147483647").empty());
  CHECK(utc_times("0 0 0 1 1 ? 1-2147483647", 1) == times{1'704'067'200'000});
}

TEST_CASE("expressions that can never fire end at the last year", "[unit][cron]") {
  for (std::string_view text : {"0 0 0 30 2 ?", "0 0 0 31 4,6 ?", "0 0 0 29 2 ? 2100", "0 0 0 1 1 ? 2020", "0 0 0 1 1 ? L",
                                "0 0 0 1 L ?", "0 0 0 0W * ?", "0 0 12 ? * 8#1", "0 0 12 L-30 2 ?", ", * * * * ?", "0 0 0 , * ?",
                                "0 0 0 1 1 ? ,", "0 0 0 1 1 ? 1969", "0 0 0 1 1 ? 2127", "0 0 0 1 1 ? 3000"}) {
    CAPTURE(text);
    CHECK(utc_times(text).empty());
  }
  const auto daily = cron_expression::parse("0 0 0 * * ?", 2030).value();
  CHECK(daily.next(std::chrono::sys_days{std::chrono::year{2030} / 12 / 30}, core::zone{}));
  CHECK_FALSE(daily.next(std::chrono::sys_days{std::chrono::year{2030} / 12 / 31}, core::zone{}));
}

TEST_CASE("the ends of time neither fire nor overflow", "[unit][cron]") {
  const auto every_second = cron_expression::parse("* * * * * ?").value();
  const auto& berlin = zone_named("Europe/Berlin");
  CHECK_FALSE(every_second.next(core::time_point::max(), berlin));
  // Berlin was one hour ahead in 1970: the first second of its 1970 lies in UTC's 1969.
  CHECK(to_ms(every_second.next(core::time_point::min(), berlin).value()) == -3'600'000);
}

TEST_CASE("a weekday list with # uses only its smallest number", "[unit][cron]") {
  // The first Sunday of December 2023 and of January 2024.
  for (std::string_view text : {"0 0 12 ? * 1#1", "0 0 12 ? * *,3#1", "0 0 12 ? * 5,SUN#1", "0 0 12 ? * 3-1,3#1"}) {
    CAPTURE(text);
    CHECK(utc_times(text, 2) == times{1'701'604'800'000, 1'704'628'800'000});
  }
}

TEST_CASE("milliseconds of the start are dropped", "[unit][cron]") {
  const auto every_second = cron_expression::parse("* * * * * ?").value();
  CHECK(to_ms(every_second.next(from_ms(1'700'000'000'999), core::zone{}).value()) == 1'700'000'001'000);
  CHECK(to_ms(every_second.next(from_ms(-1), core::zone{}).value()) == 0);
}

TEST_CASE("a W day yields all of its times", "[unit][cron]") {
  // 2023-12-31 is a Sunday: the last weekday is the 29th.
  const auto last = cron_expression::parse("0 0 9-11 LW 12 ?").value();
  CHECK(fire_times(last, 1'702'000'000'000, core::zone{}, 3) == times{1'703'840'400'000, 1'703'844'000'000, 1'703'847'600'000});
}

TEST_CASE("an expression is small, because every job refers to one", "[unit][cron]") { CHECK(sizeof(cron_expression) < 200); }
