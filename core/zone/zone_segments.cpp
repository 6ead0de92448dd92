#include "core/zone/zone_segments.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

#include "core/zone/posix_zone_rule.hpp"

namespace ringmaster::core {

namespace {

/// The counts of one header, in the file's order.
struct header {
  std::uint32_t utc_marks, standard_marks, leap_seconds, changes, types, name_bytes;

  [[nodiscard]] std::uint64_t data_bytes(std::uint64_t time_bytes) const {
    return changes * (time_bytes + 1) + types * std::uint64_t{6} + name_bytes + leap_seconds * (time_bytes + 4) + standard_marks
           + utc_marks;
  }
};

constexpr std::size_t header_bytes = 44;
constexpr auto before_all_time = std::numeric_limits<std::int64_t>::min() / 4;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (unsigned char byte : bytes)
    value = value << 8 | byte;
  return value;
}

std::uint32_t count_at(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint32_t>(big_endian(bytes.substr(20 + 4 * index, 4)));
}

std::optional<header> read_header(std::string_view bytes) {
  if (bytes.size() < header_bytes || !bytes.starts_with("TZif") || bytes[4] < '2')
    return std::nullopt;
  return header{count_at(bytes, 0), count_at(bytes, 1), count_at(bytes, 2),
                count_at(bytes, 3), count_at(bytes, 4), count_at(bytes, 5)};
}

void append(std::vector<zone_segment>& segments, zone_segment next) {
  if (!segments.empty() && segments.back().begin == next.begin)
    segments.back().offset = next.offset;
  else if (segments.empty() || segments.back().offset != next.offset)
    segments.push_back(next);
}

/// Reads the written-out changes; `data` is the block after the second header. Unset if it names a type that does not exist.
std::optional<std::vector<zone_segment>> read_changes(std::string_view data, const header& counts) {
  const auto kinds = data.substr(std::size_t{counts.changes} * 8, counts.changes);
  const auto types = data.substr(std::size_t{counts.changes} * 9, std::size_t{counts.types} * 6);
  auto offset_of = [types](std::size_t type) { return static_cast<std::int32_t>(big_endian(types.substr(type * 6, 4))); };
  std::vector<zone_segment> segments{{before_all_time, offset_of(0)}};
  for (std::size_t i = 0; i < counts.changes; ++i) {
    const auto type = static_cast<unsigned char>(kinds[i]);
    const auto begin = std::max(static_cast<std::int64_t>(big_endian(data.substr(i * 8, 8))), before_all_time);
    if (type >= counts.types || begin < segments.back().begin)
      return std::nullopt;
    append(segments, {begin, offset_of(type)});
  }
  return segments;
}

/// Appends the changes of the closing rule after the last written-out change.
void write_out(const posix_zone_rule& rule, std::int64_t last_change, std::vector<zone_segment>& segments) {
  using namespace std::chrono;
  const auto first = std::max(last_change, std::int64_t{0});
  const auto first_year = static_cast<int>(year_month_day{floor<days>(sys_seconds{seconds{first}})}.year());
  std::vector<zone_segment> changes;
  for (int y = first_year; y <= zone_year_last; ++y) {
    // The end comes first: where it coincides with the begin of the next daylight time, the begin must win below.
    changes.push_back({rule.daylight_end->local_seconds(y) - rule.daylight_offset, rule.standard_offset});
    changes.push_back({rule.daylight_begin->local_seconds(y) - rule.standard_offset, rule.daylight_offset});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const auto& change : changes)
    if (change.begin > last_change)
      append(segments, change);
}

} // namespace

result<std::vector<zone_segment>> read_zone_segments(std::string_view bytes) {
  const auto refuse = [](const char* why) { return fail(errc::invalid_argument, why); };
  const auto old = read_header(bytes);
  if (!old)
    return refuse("not a time zone file of version 2");
  // The first block, with 32-bit times, is for older readers.
  if (const auto skipped = header_bytes + old->data_bytes(4); skipped <= bytes.size())
    bytes.remove_prefix(skipped);
  else
    return refuse("the time zone file is cut off");
  const auto counts = read_header(bytes);
  if (!counts || header_bytes + counts->data_bytes(8) > bytes.size() || counts->types == 0)
    return refuse("the time zone file is cut off");
  if (counts->leap_seconds != 0)
    return refuse("the time zone file counts leap seconds");
  auto segments = read_changes(bytes.substr(header_bytes), *counts);
  if (!segments)
    return refuse("the time zone file is inconsistent");
  const auto last_change =
    counts->changes == 0
      ? before_all_time
      : static_cast<std::int64_t>(big_endian(bytes.substr(header_bytes + (std::size_t{counts->changes} - 1) * 8, 8)));
  auto closing = bytes.substr(header_bytes + counts->data_bytes(8));
  closing.remove_prefix(closing.starts_with('\n') ? 1 : 0);
  const auto rule = posix_zone_rule::parse(closing.substr(0, closing.find('\n')));
  if (rule && rule->daylight_begin)
    write_out(*rule, last_change, *segments);
  return std::move(*segments);
}

} // namespace ringmaster::core
