#include "core/forecast/schedule_words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/cron/cron.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

using cron_texts = std::vector<std::string>;

constexpr std::array<localized, 7> weekday_words = {{{"周日", "週日", "Sunday"},
                                                     {"周一", "週一", "Monday"},
                                                     {"周二", "週二", "Tuesday"},
                                                     {"周三", "週三", "Wednesday"},
                                                     {"周四", "週四", "Thursday"},
                                                     {"周五", "週五", "Friday"},
                                                     {"周六", "週六", "Saturday"}}};
constexpr std::array<std::string_view, 12> month_words = {"January", "February", "March",     "April",   "May",      "June",
                                                          "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 5> ordinal_words = {"1st", "2nd", "3rd", "4th", "5th"};
/// Most times of day that are listed one by one.
constexpr int listed_times_max = 6;

/// Values of one field.
struct value_set {
  std::vector<int> values;
  bool all = false;
  /// Distance of the values, if they are even and go through the whole field; else 0.
  int step = 0;

  [[nodiscard]] bool is_one(int value) const { return values.size() == 1 && values.front() == value; }
  [[nodiscard]] bool is_listed() const { return !all && step == 0; }
};

value_set values_of(std::uint64_t bits, int low, int high) {
  value_set set;
  for (int value = low; value <= high; ++value)
    if ((bits >> value & 1) != 0)
      set.values.push_back(value);
  const auto& values = set.values;
  set.all = static_cast<int>(values.size()) == high - low + 1;
  if (set.all || values.size() < 3)
    return set;
  const int step = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] - values[i - 1] != step)
      return set;
  // The next round begins at the same distance.
  if (step > 1 && values.front() + (high - low + 1) - values.back() == step)
    set.step = step;
  return set;
}

/// The words of one language.
class schedule_writer {
public:
  explicit schedule_writer(language reader) : reader_{reader} {}

  [[nodiscard]] std::string cron(const cron_parts& parts) const;
  [[nodiscard]] std::string every(std::int64_t ms) const;
  [[nodiscard]] std::string jitter(std::int64_t ms) const;
  [[nodiscard]] std::string missed(misfire_policy policy) const;

private:
  [[nodiscard]] std::string say(const localized& words) const { return std::string{words.in(reader_)}; }
  [[nodiscard]] bool english() const { return reader_ == language::en; }
  [[nodiscard]] std::string span(std::int64_t ms) const;
  [[nodiscard]] std::string joined(const cron_texts& texts) const;
  /// Joins runs of three and more values to ranges.
  template <class Name>
  [[nodiscard]] std::string listed(const std::vector<int>& values, Name name) const;
  [[nodiscard]] std::string numbers(const std::vector<int>& values) const {
    return listed(values, [](int value) { return std::to_string(value); });
  }
  [[nodiscard]] std::optional<std::string> times(const value_set& hours, const value_set& minutes,
                                                 const value_set& seconds) const;
  [[nodiscard]] cron_texts clauses(const value_set& hours, const value_set& minutes, const value_set& seconds) const;
  [[nodiscard]] std::string stepped(const value_set& set, const localized& unit) const;
  [[nodiscard]] std::string at_values(const value_set& set, const localized& unit) const;
  [[nodiscard]] std::string days(const cron_parts& parts) const;
  [[nodiscard]] std::string dates(const cron_parts& parts) const;
  [[nodiscard]] std::string weekdays(const cron_parts& parts) const;
  [[nodiscard]] std::string months(const cron_parts& parts) const;
  [[nodiscard]] std::string years(const cron_parts& parts) const;

  language reader_;
};

std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

/// Replaces each `%` by the next of the texts.
std::string filled(std::string_view words, const cron_texts& texts) {
  std::string out;
  std::size_t used = 0;
  for (const char c : words)
    c == '%' && used < texts.size() ? out += texts[used++] : out += c;
  return out;
}

std::string schedule_writer::joined(const cron_texts& texts) const {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0)
      out += !english() ? "、" : i + 1 == texts.size() ? " and " : ", ";
    out += texts[i];
  }
  return out;
}

template <class Name>
std::string schedule_writer::listed(const std::vector<int>& values, Name name) const {
  cron_texts texts;
  for (std::size_t i = 0; i < values.size();) {
    auto last = i;
    while (last + 1 < values.size() && values[last + 1] == values[last] + 1)
      ++last;
    if (last - i >= 2)
      texts.push_back(name(values[i]) + "–" + name(values[last]));
    else
      for (auto each = i; each <= last; ++each)
        texts.push_back(name(values[each]));
    i = last + 1;
  }
  return joined(texts);
}

std::string schedule_writer::span(std::int64_t ms) const {
  struct unit {
    std::int64_t ms;
    localized one;
  };
  static constexpr std::array<unit, 5> units = {{{86'400'000, {"天", "天", "day"}},
                                                 {3'600'000, {"小时", "小時", "hour"}},
                                                 {60'000, {"分钟", "分鐘", "minute"}},
                                                 {1000, {"秒", "秒", "second"}},
                                                 {1, {"毫秒", "毫秒", "millisecond"}}}};
  const auto& fits = *std::find_if(units.begin(), units.end(), [ms](const unit& each) { return ms % each.ms == 0; });
  const auto count = ms / fits.ms;
  return std::to_string(count) + ' ' + say(fits.one) + (english() && count != 1 ? "s" : "");
}

std::string schedule_writer::every(std::int64_t ms) const {
  auto text = span(ms);
  if (english() && text.starts_with("1 "))
    text.erase(0, 2);
  return filled(localized{"每 %", "每 %", "every %"}.in(reader_), {text});
}

std::string schedule_writer::jitter(std::int64_t ms) const {
  return filled(localized{"，最多推迟 %", "，最多延後 %", ", up to % later"}.in(reader_), {span(ms)});
}

std::string schedule_writer::missed(misfire_policy policy) const {
  if (policy == misfire_policy::fire_once_now)
    return say({"；错过的时刻补执行一次", "；錯過的時刻補執行一次", "; one run makes up for missed instants"});
  return say({"；错过的时刻不补", "；錯過的時刻不補", "; missed instants are dropped"});
}

std::optional<std::string> schedule_writer::times(const value_set& hours, const value_set& minutes,
                                                  const value_set& seconds) const {
  const auto count = hours.values.size() * minutes.values.size() * seconds.values.size();
  if (count > listed_times_max || hours.all)
    return std::nullopt;
  const bool with_seconds = !seconds.is_one(0);
  cron_texts texts;
  for (const int hour : hours.values)
    for (const int minute : minutes.values)
      for (const int second : seconds.values)
        texts.push_back(two_digits(hour) + ':' + two_digits(minute) + (with_seconds ? ':' + two_digits(second) : ""));
  return filled(localized{"%", "%", "at %"}.in(reader_), {joined(texts)});
}

std::string schedule_writer::stepped(const value_set& set, const localized& unit) const {
  auto text = filled(localized{"每 % %", "每 % %", "every % %s"}.in(reader_), {std::to_string(set.step), say(unit)});
  if (set.values.front() != 0)
    text += filled(localized{"（从 % 起）", "（從 % 起）", " from %"}.in(reader_), {std::to_string(set.values.front())});
  return text;
}

std::string schedule_writer::at_values(const value_set& set, const localized& unit) const {
  if (english())
    return filled(set.values.size() == 1 ? "at % %" : "at %s %", {say(unit), numbers(set.values)});
  return filled("第 % %", {numbers(set.values), say(unit)});
}

cron_texts schedule_writer::clauses(const value_set& hours, const value_set& minutes, const value_set& seconds) const {
  const localized an_hour{"小时", "小時", "hour"}, a_minute{"分钟", "分鐘", "minute"}, a_second{"秒", "秒", "second"};
  cron_texts texts;
  // In English the shortest unit comes first, in Chinese the longest one.
  if (seconds.all)
    texts.push_back(say({"每秒", "每秒", "every second"}));
  else if (seconds.step > 0)
    texts.push_back(stepped(seconds, a_second));
  else if (!seconds.is_one(0))
    texts.push_back(at_values(seconds, a_second));
  if (minutes.all && seconds.is_listed())
    texts.push_back(say({"每分钟", "每分鐘", "every minute"}));
  else if (minutes.step > 0)
    texts.push_back(stepped(minutes, a_minute));
  else if (minutes.is_listed())
    texts.push_back(at_values(minutes, {"分", "分", "minute"}));
  if (hours.all && minutes.is_listed())
    texts.push_back(say({"每小时", "每小時", "every hour"}));
  else if (hours.step > 0 && minutes.values.size() == 1)
    texts.push_back(stepped(hours, an_hour));
  else if (!hours.all)
    texts.push_back(english() ? filled(hours.values.size() == 1 ? "in the hour %" : "in the hours %", {numbers(hours.values)})
                              : filled(say({"% 时", "% 時", ""}), {numbers(hours.values)}));
  if (!english())
    std::reverse(texts.begin(), texts.end());
  return texts;
}

std::string schedule_writer::dates(const cron_parts& parts) const {
  cron_texts texts;
  const auto plain = values_of(parts.days, 1, 31);
  const auto list = [](std::uint32_t bits) { return values_of(bits, 0, 31).values; };
  if (!plain.values.empty())
    texts.push_back(english() ? filled(plain.values.size() == 1 ? "day %" : "days %", {numbers(plain.values)})
                              : numbers(plain.values) + " 日");
  for (const int n : list(parts.days_before_last))
    texts.push_back(n == 0 ? say({"最后一天", "最後一天", "the last day"})
                           : filled(localized{"最后一天的 % 天前", "最後一天的 % 天前", "the day % before the last"}.in(reader_),
                                    {std::to_string(n)}));
  for (const int n : list(parts.nearest_to_day & ~1U))
    texts.push_back(filled(localized{"离 % 日最近的工作日", "離 % 日最近的工作日", "the working day nearest to day %"}.in(reader_),
                           {std::to_string(n)}));
  for (const int n : list(parts.nearest_before_last))
    texts.push_back(n == 0 ? say({"离月末最近的工作日", "離月末最近的工作日", "the last working day"})
                           : filled(localized{"离最后一天的 % 天前最近的工作日", "離最後一天的 % 天前最近的工作日",
                                              "the working day nearest to the day % before the last"}
                                      .in(reader_),
                                    {std::to_string(n)}));
  return filled(localized{"每月 %", "每月 %", "on % of the month"}.in(reader_), {joined(texts)});
}

std::string schedule_writer::weekdays(const cron_parts& parts) const {
  auto set = values_of(parts.weekdays, 0, 6);
  const auto name = [this](int day) { return say(weekday_words[static_cast<std::size_t>(day)]); };
  if (parts.rule == cron_parts::day_rule::last_weekday)
    return filled(localized{"每月最后一个%", "每月最後一個%", "on the last % of the month"}.in(reader_), {listed(set.values, name)});
  if (parts.rule == cron_parts::day_rule::nth_weekday) {
    const auto nth = english() ? std::string{ordinal_words[static_cast<std::size_t>(std::clamp<int>(parts.nth, 1, 5) - 1)]}
                               : std::to_string(parts.nth);
    return filled(localized{"每月第 % 个%", "每月第 % 個%", "on the % % of the month"}.in(reader_), {nth, listed(set.values, name)});
  }
  // The week ends with Sunday.
  if (set.values.size() > 1 && set.values.front() == 0) {
    set.values.erase(set.values.begin());
    set.values.push_back(7);
  }
  const auto of_week = [&name](int day) { return name(day % 7); };
  return filled(localized{"%", "%", "on %"}.in(reader_), {listed(set.values, of_week)});
}

std::string schedule_writer::days(const cron_parts& parts) const {
  const bool special = (parts.days_before_last | parts.nearest_before_last | (parts.nearest_to_day & ~1U)) != 0;
  const bool by_date = parts.rule == cron_parts::day_rule::day_of_month;
  if (by_date ? !special && values_of(parts.days, 1, 31).all
              : parts.rule == cron_parts::day_rule::weekdays && values_of(parts.weekdays, 0, 6).all)
    return {};
  return by_date ? dates(parts) : weekdays(parts);
}

std::string schedule_writer::months(const cron_parts& parts) const {
  const auto set = values_of(parts.months, 1, 12);
  if (set.all)
    return {};
  if (!english())
    return numbers(set.values) + " 月";
  return "in " + listed(set.values, [](int month) { return std::string{month_words[static_cast<std::size_t>(month - 1)]}; });
}

std::string schedule_writer::years(const cron_parts& parts) const {
  if (parts.years.empty())
    return {};
  std::vector<int> found;
  for (std::size_t i = 0; i < parts.years.size() * 64; ++i)
    if ((parts.years[i / 64] >> (i % 64) & 1) != 0)
      found.push_back(1970 + static_cast<int>(i));
  return filled(localized{"% 年", "% 年", "in %"}.in(reader_), {numbers(found)});
}

bool never_fires(const cron_parts& parts) {
  const bool by_date = parts.rule == cron_parts::day_rule::day_of_month;
  const auto dates = parts.days | parts.days_before_last | parts.nearest_before_last | (parts.nearest_to_day & ~1U);
  const bool no_year = !parts.years.empty() && std::all_of(parts.years.begin(), parts.years.end(), std::logical_not<>{});
  return parts.seconds == 0 || parts.minutes == 0 || parts.hours == 0 || parts.months == 0 || no_year ||
         (by_date ? dates == 0 : parts.weekdays == 0);
}

std::string schedule_writer::cron(const cron_parts& parts) const {
  if (never_fires(parts))
    return say({"从不", "從不", "never"});
  const auto hours = values_of(parts.hours, 0, 23), minutes = values_of(parts.minutes, 0, 59);
  const auto seconds = values_of(parts.seconds, 0, 59);
  const auto listed_times = times(hours, minutes, seconds);
  auto texts = listed_times ? cron_texts{*listed_times} : clauses(hours, minutes, seconds);
  auto day = days(parts);
  if (day.empty() && listed_times)
    day = say({"每天", "每天", "every day"});
  cron_texts dated;
  for (auto&& text : {std::move(day), months(parts), years(parts)})
    if (!text.empty())
      dated.push_back(text);
  if (!english())
    std::reverse(dated.begin(), dated.end());
  texts.insert(english() ? texts.end() : texts.begin(), dated.begin(), dated.end());
  std::string out;
  for (const auto& text : texts)
    out.append(out.empty() ? "" : english() ? ", " : " ").append(text);
  return out;
}

} // namespace

std::string words_of(const worded_schedule& schedule, language reader) {
  const schedule_writer writer{reader};
  std::string out;
  if (schedule.type == schedule_type::cron) {
    const auto cron = cron_expression::parse(schedule.conf);
    if (!cron)
      return {};
    out = writer.cron(cron->parts());
  } else if (schedule.type == schedule_type::fixed_rate) {
    const auto rate = parse_int32(schedule.conf);
    if (!schedule.options.interval_ms && (!rate || *rate < 1))
      return {};
    out = writer.every(schedule.options.interval_ms.value_or(rate.value_or(0) * std::int64_t{1000}));
  } else {
    return {};
  }
  if (schedule.options.jitter_ms)
    out += writer.jitter(*schedule.options.jitter_ms);
  if (schedule.misfire)
    out += writer.missed(*schedule.misfire);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

} // namespace ringmaster::core
