// Zones against the C library's view of the same database, and the text of DATETIME columns across clock changes.

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/zone/posix_zone_rule.hpp"
#include "core/zone/zone.hpp"
#include "core/zone/zone_segments.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::from_ms;
using core::to_ms;
using core::zone;

namespace {

zone named(const std::string& name) { return zone::find(name).value(); }

/// Sets TZ for the C library, and restores the old value.
class environment_zone {
public:
  explicit environment_zone(const char* value) {
    if (const char* before = std::getenv("TZ"))
      before_ = before;
    value ? setenv("TZ", value, 1) : unsetenv("TZ");
    tzset();
  }
  ~environment_zone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }

private:
  std::optional<std::string> before_;
};

std::string formatted_by_c(std::int64_t s) {
  const std::time_t time = s;
  std::tm parts{};
  localtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string formatted(const zone& where, std::int64_t s) { return where.format(from_ms(s * 1000)); }

std::vector<std::string> all_zone_names() {
  std::vector<std::string> names;
  std::ifstream table{"/usr/share/zoneinfo/tzdata.zi"};
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("Z "))
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line.starts_with("L "))
      names.push_back(line.substr(line.rfind(' ') + 1));
  }
  return names;
}

std::string zone_file(const std::string& name) {
  std::ifstream file{"/usr/share/zoneinfo/" + name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

TEST_CASE("every zone of the system agrees with the C library, from 1970 to 2199", "[unit][zone]") {
  const auto names = all_zone_names();
  if (names.empty())
    return test::skip("the system has no list of its zones");
  REQUIRE(names.size() > 400);
  constexpr std::uint64_t seed = 20240310;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  std::uniform_int_distribution<std::int64_t> any{0, 7'258'118'400 - 1};
  for (const auto& name : names) {
    CAPTURE(name);
    const auto where = zone::find(name);
    REQUIRE(where);
    environment_zone environment{name.c_str()};
    for (int i = 0; i < 200; ++i) {
      const auto s = any(random);
      if (formatted(*where, s) != formatted_by_c(s)) {
        CAPTURE(s);
        CHECK(formatted(*where, s) == formatted_by_c(s));
      }
    }
  }
}

TEST_CASE("clock changes fall on the second of the C library, also after 2037", "[unit][zone]") {
  for (const char* name :
       {"America/New_York", "Europe/Berlin", "Europe/Dublin", "America/Nuuk", "Asia/Gaza", "Australia/Lord_Howe",
        "America/Santiago", "Africa/Casablanca", "Pacific/Apia", "Asia/Tehran", "Antarctica/Troll"}) {
    CAPTURE(name);
    const auto segments = core::read_zone_segments(zone_file(name)).value();
    const auto where = named(name);
    environment_zone environment{name};
    for (const auto& segment : segments) {
      // Older changes are in single seconds of a local mean time, and the C library may have other values.
      if (segment.begin < 0)
        continue;
      for (auto s : {segment.begin - 1, segment.begin}) {
        CAPTURE(s);
        REQUIRE(formatted(where, s) == formatted_by_c(s));
      }
    }
  }
  CHECK(core::read_zone_segments(zone_file("America/New_York")).value().back().begin > 7'200'000'000);
}

TEST_CASE("a zone without clock changes ahead keeps its last offset", "[unit][zone]") {
  CHECK(formatted(named("Asia/Shanghai"), 6'000'000'000) == "2160-02-18 18:40:00");
  CHECK(formatted(named("Etc/GMT+5"), 0) == "1969-12-31 19:00:00");
  CHECK(formatted(zone{}, -1) == "1969-12-31 23:59:59");
}

TEST_CASE("a skipped local time has no instant; an ambiguous one is the second occurrence", "[unit][zone]") {
  const auto new_york = named("America/New_York");
  const auto wall = [](int y, int m, int d, std::chrono::seconds time) {
    return core::local_time{std::chrono::local_days{std::chrono::year{y} / m / d} + time};
  };
  CHECK_FALSE(new_york.to_instant(wall(2024, 3, 10, 2h)));
  CHECK_FALSE(new_york.to_instant(wall(2024, 3, 10, 2h + 59min + 59s)));
  CHECK(to_ms(new_york.to_instant(wall(2024, 3, 10, 3h)).value()) == 1'710'054'000'000);
  CHECK(to_ms(new_york.to_instant(wall(2024, 3, 10, 2h - 1s)).value()) == 1'710'053'999'000);
  CHECK(new_york.end_of_gap(wall(2024, 3, 10, 2h + 30min)) == wall(2024, 3, 10, 3h));
  CHECK(new_york.end_of_gap(wall(2024, 3, 10, 1h)) == wall(2024, 3, 10, 1h));
  // 2024-11-03 01:30 happens at 05:30Z and at 06:30Z.
  CHECK(to_ms(new_york.to_instant(wall(2024, 11, 3, 1h + 30min)).value()) == 1'730'615'400'000);
  CHECK(to_ms(new_york.to_instant(wall(2024, 11, 3, 59min)).value()) == 1'730'609'940'000);
  CHECK(to_ms(new_york.to_instant(wall(2024, 11, 3, 2h)).value()) == 1'730'617'200'000);
  // Samoa skipped 2011-12-30.
  const auto apia = named("Pacific/Apia");
  CHECK_FALSE(apia.to_instant(wall(2011, 12, 30, 12h)));
  CHECK(apia.end_of_gap(wall(2011, 12, 30, 12h)) == wall(2011, 12, 31, 0s));
}

TEST_CASE("local time and instant are inverse except in the first pass of a repeated hour", "[unit][zone]") {
  constexpr std::uint64_t seed = 7;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (const char* name : {"America/New_York", "Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe", "UTC"}) {
    const auto where = named(name);
    std::uniform_int_distribution<std::int64_t> any{0, 4'900'000'000};
    for (int i = 0; i < 5000; ++i) {
      const auto t = from_ms(any(random) * 1000);
      const auto back = where.to_instant(where.to_local(t));
      REQUIRE(back);
      REQUIRE(*back >= t);
      REQUIRE(*back - t <= 2h);
      REQUIRE(where.to_local(*back) == where.to_local(t));
    }
  }
}

TEST_CASE("the text of a DATETIME column converts both ways across clock changes", "[unit][zone]") {
  const auto berlin = named("Europe/Berlin");
  // 2024-03-31 01:00Z and 2024-10-27 01:00Z, two hours around each, by the minute.
  for (std::int64_t change : {1'711'846'800, 1'729'990'800}) {
    for (auto s = change - 7200; s < change + 7200; s += 60) {
      const auto text = formatted(berlin, s);
      CAPTURE(s, text);
      const auto back = berlin.parse(text);
      REQUIRE(back);
      const bool first_pass = change == 1'729'990'800 && s >= change - 3600 && s < change;
      REQUIRE(to_ms(*back) == (first_pass ? s + 3600 : s) * 1000);
    }
  }
}

TEST_CASE("a time is cut to its second, never rounded", "[unit][zone]") {
  CHECK(zone{}.format(from_ms(1'700'000'000'999)) == "2023-11-14 22:13:20");
  CHECK(zone{}.format(from_ms(-1)) == "1969-12-31 23:59:59");
}

TEST_CASE("a skipped DATETIME is the instant of the clock change", "[unit][zone]") {
  const auto berlin = named("Europe/Berlin");
  for (const char* text : {"2024-03-31 02:00:00", "2024-03-31 02:30:00", "2024-03-31 02:59:59", "2024-03-31 03:00:00"})
    CHECK(to_ms(berlin.parse(text).value()) == 1'711'846'800'000);
}

TEST_CASE("an invalid DATETIME is refused", "[unit][zone]") {
  for (const char* text :
       {"", "2024-02-30 00:00:00", "2024-13-01 00:00:00", "2024-00-01 00:00:00", "0000-00-00 00:00:00", "2024-01-01 24:00:00",
        "2024-01-01 00:60:00", "2024-01-01 00:00:60", "2024-01-01T00:00:00", "2024-01-01 00:00:00.0", "2024-01-01 00:00",
        "2024-1-01 00:00:000", "x024-01-01 00:00:00", "2024-01-01 -1:00:00"}) {
    CAPTURE(text);
    const auto parsed = zone{}.parse(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == core::errc::invalid_argument);
  }
  CHECK(to_ms(zone{}.parse("2024-02-29 23:59:59").value()) == 1'709'251'199'000);
}

TEST_CASE("an unknown zone is refused by name, and no other file is read", "[unit][zone]") {
  for (const char* name : {"", "Mars/Olympus", "../../../etc/passwd", "/etc/localtime", "Europe/../Europe/Berlin", "tzdata.zi",
                           "zone.tab", "Europe", "right/Europe/Berlin", "Europe/Berlin\n"}) {
    CAPTURE(name);
    const auto found = zone::find(name);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == core::errc::invalid_argument);
    CHECK(found.error().context.find(name) != std::string::npos);
  }
}

TEST_CASE("the system's zone is that of TZ", "[unit][zone]") {
  const auto under = [](const char* value) {
    environment_zone environment{value};
    return zone::system();
  };
  CHECK(under("Asia/Shanghai").value().name() == "Asia/Shanghai");
  CHECK(under(":Europe/Berlin").value().name() == "Europe/Berlin");
  CHECK(under("/usr/share/zoneinfo/Asia/Kolkata").value().name() == "Asia/Kolkata");
  CHECK(under("").value().name() == "UTC");
  CHECK_FALSE(under("Nowhere"));
  // Without TZ there is always a zone, whatever /etc/localtime is.
  CHECK(under(nullptr));
  CHECK(zone{}.name() == "UTC");
}

TEST_CASE("a damaged zone file is refused and never read beyond its end", "[unit][zone]") {
  const auto intact = zone_file("Europe/Berlin");
  REQUIRE(core::read_zone_segments(intact));
  constexpr std::uint64_t seed = 99;
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (std::size_t size = 0; size < intact.size(); size += 1 + size / 20)
    (void)core::read_zone_segments(intact.substr(0, size));
  for (int i = 0; i < 3000; ++i) {
    auto damaged = intact;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)core::read_zone_segments(damaged);
  }
  CHECK_FALSE(core::read_zone_segments(""));
  CHECK_FALSE(core::read_zone_segments(intact.substr(0, 43)));
  CHECK_FALSE(core::read_zone_segments(intact.substr(0, intact.size() / 2)));
}

TEST_CASE("every form of a closing rule is parsed", "[unit][zone]") {
  const auto seconds_of = [](int y, int m, int d) {
    return std::chrono::sys_seconds{std::chrono::sys_days{std::chrono::year{y} / m / d}}.time_since_epoch().count();
  };
  const auto rule = core::posix_zone_rule::parse("<+0330>-3:30<+0430>,J60/0,59/-1:30:15").value();
  CHECK(rule.standard_offset == 12'600);
  CHECK(rule.daylight_offset == 16'200);
  // J60 is 1 March in every year; 59 is 29 February in a leap year.
  CHECK(rule.daylight_begin->local_seconds(2023) == seconds_of(2023, 3, 1));
  CHECK(rule.daylight_begin->local_seconds(2024) == seconds_of(2024, 3, 1));
  CHECK(rule.daylight_end->local_seconds(2023) == seconds_of(2023, 3, 1) - 5415);
  CHECK(rule.daylight_end->local_seconds(2024) == seconds_of(2024, 2, 29) - 5415);
  const auto weeks = core::posix_zone_rule::parse("EST5EDT4:30,M3.2.0,M10.5.6/26").value();
  CHECK(weeks.daylight_offset == -16'200);
  CHECK(weeks.daylight_begin->local_seconds(2024) == seconds_of(2024, 3, 10) + 7200);
  CHECK(weeks.daylight_end->local_seconds(2024) == seconds_of(2024, 10, 26) + 26 * 3600);
  CHECK_FALSE(core::posix_zone_rule::parse("UTC0").value().daylight_begin);
}

TEST_CASE("an invalid closing rule is refused", "[unit][zone]") {
  for (const char* text :
       {"", "EST", "5EST", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,M3.2,M11.1.0", "EST5EDT,J0,J1", "EST5EDT,366,1", "EST5EDT,M3.2.0/,M11.1.0",
        "EST5EDT,M3.2.0,M11.1.0x", "<EST5EDT,1,2", "EST5:EDT,1,2"}) {
    CAPTURE(text);
    CHECK_FALSE(core::posix_zone_rule::parse(text));
  }
}
