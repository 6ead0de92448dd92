#include "core/zone/zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/zone/zone_segments.hpp"

namespace ringmaster::core {

struct zone::rules {
  std::string name;
  std::vector<zone_segment> segments;

  [[nodiscard]] std::size_t index_at(std::int64_t instant) const {
    const auto after = std::upper_bound(segments.begin(), segments.end(), instant,
                                        [](std::int64_t t, const zone_segment& segment) { return t < segment.begin; });
    return static_cast<std::size_t>(std::max(after - segments.begin(), std::ptrdiff_t{1}) - 1);
  }

  [[nodiscard]] std::int64_t local_begin(std::size_t index) const { return segments[index].begin + segments[index].offset; }

  /// Returns the last segment that has begun when clocks show `local`: its offset decides an ambiguous time.
  [[nodiscard]] std::size_t index_at_local(std::int64_t local) const {
    constexpr std::int64_t offset_max = 26 * 3600;
    auto index = index_at(local + offset_max);
    while (index > 0 && local_begin(index) > local)
      --index;
    return index;
  }

  /// Returns true if the clocks were set forward over `local`, which is after the begin of segment `index`.
  [[nodiscard]] bool skipped(std::size_t index, std::int64_t local) const {
    return index + 1 < segments.size() && local - segments[index].offset >= segments[index + 1].begin;
  }
};

namespace {

constexpr std::string_view utc_name = "UTC";
constexpr std::size_t name_bytes_max = 64;
constexpr std::size_t date_time_bytes = 19;

/// Usual folders of the database, most common first.
constexpr const char* folders[] = {"/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/", "/etc/zoneinfo/"};

std::int64_t count(local_time t) { return t.time_since_epoch().count(); }
local_time local(std::int64_t s) { return local_time{seconds{s}}; }

/// Returns true for a name that stays inside the database's folder.
bool is_zone_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-'
           || c == '/';
  };
  return !name.empty() && name.size() <= name_bytes_max && name.front() != '/' && std::all_of(name.begin(), name.end(), allowed);
}

result<std::vector<zone_segment>> read_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, ignored))
    file.open(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  return read_zone_segments(bytes);
}

/// Returns `Asia/Shanghai` from `/usr/share/zoneinfo/Asia/Shanghai`; empty if the path is not inside a database.
std::string_view name_in_path(std::string_view path) {
  constexpr std::string_view folder = "zoneinfo/";
  const auto pos = path.find(folder);
  return pos == std::string_view::npos ? std::string_view{} : path.substr(pos + folder.size());
}

std::string first_word_of(const char* path) {
  std::string word;
  std::ifstream{path} >> word;
  return word;
}

void append_number(std::string& text, unsigned value, std::size_t width) {
  const auto digits = std::to_string(value);
  text.append(width > digits.size() ? width - digits.size() : 0, '0').append(digits);
}

/// Returns the number at `pos`; unset if one of its characters is not a digit.
std::optional<int> number_at(std::string_view text, std::size_t pos, std::size_t width) {
  int value = 0;
  for (char c : text.substr(pos, width)) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<local_time> parse_local(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != date_time_bytes || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const auto y = number_at(text, 0, 4), m = number_at(text, 5, 2), d = number_at(text, 8, 2);
  const auto h = number_at(text, 11, 2), minute = number_at(text, 14, 2), second = number_at(text, 17, 2);
  if (!y || !m || !d || !h || !minute || !second || *h > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  const auto date = year{*y} / *m / *d;
  if (!date.ok())
    return std::nullopt;
  return local_days{date} + hours{*h} + minutes{*minute} + seconds{*second};
}

} // namespace

result<zone> zone::find(std::string_view name) {
  if (name == utc_name)
    return zone{};
  if (is_zone_name(name)) {
    for (std::string folder : folders) {
      if (auto segments = read_file(folder.append(name))) {
        zone found;
        found.rules_ = std::make_shared<const rules>(rules{std::string{name}, std::move(*segments)});
        return found;
      }
    }
  }
  return fail(errc::invalid_argument, "unknown time zone '" + std::string{name} + "': not in the system's database");
}

result<zone> zone::system() {
  if (const char* variable = std::getenv("TZ")) {
    std::string_view name{variable};
    name.remove_prefix(name.starts_with(':') ? 1 : 0);
    if (name.starts_with('/'))
      name = name_in_path(name);
    // POSIX: an empty TZ means UTC.
    return *variable == '\0' ? zone{} : find(name.empty() ? variable : name);
  }
  const char* local_file = "/etc/localtime";
  std::error_code missing;
  const auto target = std::filesystem::read_symlink(local_file, missing).string();
  if (auto named = find(name_in_path(target)))
    return named;
  // The file is a copy instead of a link, as in container images: another file may contain its name.
  if (auto named = find(first_word_of("/etc/timezone")))
    return named;
  auto segments = read_file(local_file);
  if (!segments)
    return zone{};
  zone copied;
  copied.rules_ = std::make_shared<const rules>(rules{"localtime", std::move(*segments)});
  return copied;
}

const std::string& zone::name() const noexcept {
  static const std::string utc{utc_name};
  return rules_ ? rules_->name : utc;
}

local_time zone::to_local(time_point t) const {
  const auto instant = std::chrono::floor<seconds>(t).time_since_epoch().count();
  return local(rules_ ? instant + rules_->segments[rules_->index_at(instant)].offset : instant);
}

std::optional<time_point> zone::to_instant(local_time t) const {
  if (!rules_)
    return time_point{seconds{count(t)}};
  const auto index = rules_->index_at_local(count(t));
  if (rules_->skipped(index, count(t)))
    return std::nullopt;
  return time_point{seconds{count(t) - rules_->segments[index].offset}};
}

local_time zone::end_of_gap(local_time t) const {
  if (!rules_)
    return t;
  const auto index = rules_->index_at_local(count(t));
  return rules_->skipped(index, count(t)) ? local(rules_->local_begin(index + 1)) : t;
}

std::string zone::format(time_point t) const {
  using namespace std::chrono;
  const auto shown = to_local(t);
  const auto day = floor<days>(shown);
  const year_month_day date{day};
  const auto second_of_day = static_cast<unsigned>((shown - day).count());
  std::string text;
  text.reserve(date_time_bytes);
  append_number(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  append_number(text.append(1, '-'), static_cast<unsigned>(date.month()), 2);
  append_number(text.append(1, '-'), static_cast<unsigned>(date.day()), 2);
  append_number(text.append(1, ' '), second_of_day / 3600, 2);
  append_number(text.append(1, ':'), second_of_day / 60 % 60, 2);
  append_number(text.append(1, ':'), second_of_day % 60, 2);
  return text;
}

result<time_point> zone::parse(std::string_view text) const {
  const auto wall = parse_local(text);
  if (!wall)
    return fail(errc::invalid_argument, "'" + std::string{text} + "' is not a time of the form YYYY-MM-DD HH:MM:SS");
  const auto instant = to_instant(end_of_gap(*wall));
  return instant ? *instant : time_point{seconds{count(*wall)}};
}

std::string instant_text(time_point t) {
  auto text = zone{}.format(t);
  text[10] = 'T';
  if (const auto ms = static_cast<unsigned>((t - cut_to_second(t)).count()); ms != 0)
    append_number(text.append(1, '.'), ms, 3);
  return text + 'Z';
}

} // namespace ringmaster::core
