// The cron search against a naive one: it steps through every second (minute, half hour) of a span, splits it with the C library,
// and matches each field's text. It shares no code with the engine, including the zones.

#include <cstdlib>
#include <ctime>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/cron/cron.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::from_ms;
using core::to_ms;

namespace {

using times = std::vector<std::int64_t>;

std::tm local_parts(std::int64_t s) {
  const std::time_t time = s;
  std::tm parts{};
  localtime_r(&time, &parts);
  return parts;
}

std::int64_t wall_seconds(std::tm parts) { return timegm(&parts); }

int month_length(const std::tm& now) {
  std::tm next = now;
  next.tm_mday = 1;
  next.tm_mon += 1;
  const std::time_t last = timegm(&next) - 86400;
  std::tm parts{};
  gmtime_r(&last, &parts);
  return parts.tm_mday;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{text};
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

int number_of(const std::string& text) {
  static const std::vector<std::string> months = parts_of("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", ' ');
  static const std::vector<std::string> weekdays = parts_of("SUN MON TUE WED THU FRI SAT", ' ');
  for (const auto* names : {&months, &weekdays})
    for (std::size_t i = 0; i < names->size(); ++i)
      if (text == (*names)[i])
        return static_cast<int>(i) + 1;
  return std::stoi(text);
}

/// Returns true if `a`, `a-b`, `a/s`, `*/s`, `a-b/s` or `*` reaches `value`, in single steps that start over after `high`.
bool item_matches(const std::string& item, int value, int low, int high) {
  const auto slash = parts_of(item, '/');
  const auto ends = parts_of(slash[0], '-');
  const bool star = ends[0] == "*";
  const int start = star ? low : number_of(ends[0]);
  const int stop = ends.size() > 1 ? number_of(ends[1]) : (star || slash.size() > 1 ? high : start);
  const int step = slash.size() > 1 ? std::stoi(slash[1]) : 1;
  for (int at = start, walked = 0;; at = at == high ? low : at + 1, ++walked) {
    if (at == value && walked % step == 0)
      return true;
    if (at == stop)
      return false;
  }
}

bool list_matches(const std::string& field, int value, int low, int high) {
  for (const auto& item : parts_of(field, ','))
    if (item_matches(item, value, low, high))
      return true;
  return false;
}

int weekday_of(const std::tm& now, int day) { return ((now.tm_wday + day - now.tm_mday) % 7 + 7) % 7; }

/// Returns the working day of this month with the smallest distance to `target`.
int nearest_working_day(const std::tm& now, int target) {
  int best = 0;
  for (int day = 1; day <= month_length(now); ++day) {
    const int weekday = weekday_of(now, day);
    if (weekday != 0 && weekday != 6 && (best == 0 || std::abs(day - target) < std::abs(best - target)))
      best = day;
  }
  return best;
}

bool day_item_matches(const std::string& item, const std::tm& now) {
  const bool from_last = item[0] == 'L', working_day = item.back() == 'W';
  if (!from_last && !working_day)
    return item_matches(item, now.tm_mday, 1, 31);
  const auto digits = item.find_first_of("0123456789");
  const int number = digits == std::string::npos ? 0 : std::stoi(item.substr(digits));
  const int target = from_last ? month_length(now) - number : number;
  if (target < 1 || target > month_length(now))
    return false;
  return now.tm_mday == (working_day ? nearest_working_day(now, target) : target);
}

bool day_matches(const std::string& field, const std::tm& now) {
  for (const auto& item : parts_of(field, ','))
    if (day_item_matches(item, now))
      return true;
  return false;
}

bool weekday_matches(const std::string& field, const std::tm& now) {
  if (field.find('#') != std::string::npos) {
    const auto parts = parts_of(field, '#');
    return number_of(parts[0]) == now.tm_wday + 1 && (now.tm_mday + 6) / 7 == std::stoi(parts[1]);
  }
  if (field.size() > 1 && field.back() == 'L')
    return number_of(field.substr(0, field.size() - 1)) == now.tm_wday + 1 && now.tm_mday + 7 > month_length(now);
  return list_matches(field, now.tm_wday + 1, 1, 7);
}

/// The fields of one expression, each evaluated once for every possible value.
class naive_cron {
public:
  explicit naive_cron(const std::string& expression) : fields_(parts_of(expression, ' ')) {
    seconds_ = table(0, 0, 59);
    minutes_ = table(1, 0, 59);
    hours_ = table(2, 0, 23);
    months_ = table(4, 1, 12);
    years_ = fields_.size() < 7 ? std::vector<bool>(2127, true) : table(6, 1970, 2126);
  }

  bool matches(const std::tm& now) {
    return seconds_[index(now.tm_sec)] && minutes_[index(now.tm_min)] && hours_[index(now.tm_hour)]
           && months_[index(now.tm_mon + 1)] && years_[index(now.tm_year + 1900)] && day_matches_now(now);
  }

private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  std::vector<bool> table(std::size_t field, int low, int high) const {
    std::vector<bool> values(index(high) + 1, false);
    for (int value = low; value <= high; ++value)
      values[index(value)] = list_matches(fields_[field], value, low, high);
    return values;
  }

  bool day_matches_now(const std::tm& now) {
    if (const auto day = now.tm_year * 366 + now.tm_yday; day != day_) {
      day_ = day;
      day_fires_ = fields_[5] == "?" ? day_matches(fields_[3], now) : weekday_matches(fields_[5], now);
    }
    return day_fires_;
  }

  std::vector<std::string> fields_;
  std::vector<bool> seconds_, minutes_, hours_, months_, years_;
  int day_ = -1;
  bool day_fires_ = false;
};

/// Returns true for the first of two passes over the same wall time.
bool comes_again(std::int64_t s) {
  const auto wall = wall_seconds(local_parts(s));
  return wall_seconds(local_parts(s + 1800)) == wall || wall_seconds(local_parts(s + 3600)) == wall;
}

/// Returns the naive times. `stride` must visit every second that the expression's second (and minute) field can name.
times naive_times(const std::string& expression, std::int64_t from, std::int64_t span, std::int64_t first, std::int64_t stride) {
  naive_cron cron{expression};
  const auto wall_from = wall_seconds(local_parts(from + 1));
  times found;
  for (auto s = first; s <= from + span; s += stride) {
    const auto now = local_parts(s);
    if (s > from && cron.matches(now) && !comes_again(s) && wall_seconds(now) >= wall_from)
      found.push_back(s * 1000);
  }
  return found;
}

times engine_times(const std::string& expression, std::int64_t from, std::int64_t span, const core::zone& where) {
  const auto cron = core::cron_expression::parse(expression).value();
  const auto end = from_ms((from + span) * 1000);
  times found;
  for (auto next = cron.next(from_ms(from * 1000), where); next && *next <= end; next = cron.next(*next, where))
    found.push_back(to_ms(*next));
  return found;
}

/// Generator of random valid expressions of the grammar above.
class writer {
public:
  explicit writer(std::uint64_t seed) : random_(seed) {}

  int pick(int low, int high) { return std::uniform_int_distribution{low, high}(random_); }
  bool one_in(int n) { return pick(1, n) == 1; }

  std::string item(int low, int high) {
    const auto a = std::to_string(pick(low, high)), b = std::to_string(pick(low, high));
    // XXL allows steps up to `high`; one less for seconds and hours.
    const auto step = std::to_string(pick(1, std::min(high, 20)));
    switch (pick(0, 5)) {
    case 0: return "*";
    case 1: return "*/" + step;
    case 2: return a + "/" + step;
    case 3: return a + "-" + b;
    case 4: return a + "-" + b + "/" + step;
    default: return a;
    }
  }

  std::string list(int low, int high) {
    auto text = item(low, high);
    while (one_in(3))
      text += "," + item(low, high);
    return text;
  }

  std::string day_item() {
    const auto n = std::to_string(pick(1, 31)), before = std::to_string(pick(0, 30));
    switch (pick(0, 8)) {
    case 0: return "L";
    case 1: return "LW";
    case 2: return "L-" + before;
    case 3: return "L-" + before + "W";
    case 4:
    case 5: return n + "W";
    default: return item(1, 31);
    }
  }

  std::string weekday() {
    static const std::vector<std::string> names = parts_of("SUN MON TUE WED THU FRI SAT", ' ');
    const auto name = one_in(2) ? names[static_cast<std::size_t>(pick(0, 6))] : std::to_string(pick(1, 7));
    switch (pick(0, 4)) {
    case 0: return name + "#" + std::to_string(pick(1, 5));
    case 1: return name + "L";
    case 2: return names[static_cast<std::size_t>(pick(0, 6))] + "-" + names[static_cast<std::size_t>(pick(0, 6))];
    case 3: return name;
    default: return list(1, 7);
    }
  }

  std::string days() {
    if (one_in(3))
      return "* " + month() + " ?";
    if (one_in(2))
      return "? " + month() + " " + weekday();
    auto text = day_item();
    while (one_in(3))
      text += "," + day_item();
    return text + " " + month() + " ?";
  }

  std::string month() { return one_in(3) ? list(1, 12) : "*"; }

  std::string year(std::int64_t from) {
    const auto now = local_parts(from).tm_year + 1900;
    switch (pick(0, 7)) {
    case 0: return " " + std::to_string(now);
    case 1: return " " + std::to_string(now) + "-" + std::to_string(now + 2);
    case 2: return " " + std::to_string(pick(1970, now)) + "/2";
    case 3: return " *";
    default: return "";
    }
  }

  /// Returns a start, often around a clock change.
  std::int64_t start(std::int64_t change) {
    return one_in(2) ? change + pick(-8 * 3600, 4 * 3600) : 600'000'000 + 3'000'000 * std::int64_t{pick(0, 1100)};
  }

private:
  std::mt19937_64 random_;
};

struct place {
  const char* zone;
  std::vector<std::int64_t> changes;
};

const std::vector<place>& places() {
  static const std::vector<place> all = {
    {"UTC", {1'700'000'000}},
    {"America/New_York", {1'710'054'000, 1'730'613'600, 2'940'908'400}},
    {"Europe/Berlin", {1'711'846'800, 1'729'990'800}},
    {"Australia/Lord_Howe", {1'712'415'600, 1'728'142'200}},
    {"America/Sao_Paulo", {1'541'300'400, 1'550'368'800}},
    {"Asia/Beirut", {1'711'836'000, 1'729'976'400}},
    {"Asia/Kolkata", {1'700'000'000}},
  };
  return all;
}

/// Compares both for `rounds` expressions in every place.
template <class Expression>
void compare(std::uint64_t seed, int rounds, std::int64_t span, std::int64_t stride, Expression expression_at) {
  CAPTURE(seed);
  writer random{seed};
  for (const auto& [name, changes] : places()) {
    setenv("TZ", name, 1);
    tzset();
    const auto where = core::zone::find(name).value();
    for (int i = 0; i < rounds; ++i) {
      const auto from = random.start(changes[static_cast<std::size_t>(random.pick(0, static_cast<int>(changes.size()) - 1))]);
      const auto [expression, phase] = expression_at(random, from);
      CAPTURE(name, expression, from);
      const auto first = from / stride * stride + phase;
      const auto expected = naive_times(expression, from, span, first, stride);
      const auto found = engine_times(expression, from, span, where);
      REQUIRE(found == expected);
    }
  }
  unsetenv("TZ");
  tzset();
}

using phased = std::pair<std::string, std::int64_t>;

} // namespace

TEST_CASE("expressions by the second fire as a step through every second shows", "[unit][cron]") {
  compare(1001, 12, 8 * 3600, 1, [](writer& random, std::int64_t from) {
    return phased{
      random.list(0, 59) + " " + random.list(0, 59) + " " + random.list(0, 23) + " " + random.days() + random.year(from), 0};
  });
}

TEST_CASE("expressions by the minute fire as a step through every minute shows", "[unit][cron]") {
  compare(1002, 12, 15 * 86400, 60, [](writer& random, std::int64_t from) {
    const int second = random.pick(0, 59);
    return phased{std::to_string(second) + " " + random.list(0, 59) + " " + random.list(0, 23) + " " + random.days()
                    + random.year(from),
                  second};
  });
}

TEST_CASE("expressions by the day fire as a step through every half hour shows", "[unit][cron]") {
  compare(1003, 12, 2 * 365 * 86400, 1800, [](writer& random, std::int64_t from) {
    const int minute = random.pick(0, 59);
    return phased{"0 " + std::to_string(minute) + " " + random.list(0, 23) + " " + random.days() + random.year(from),
                  minute % 30 * 60};
  });
}
