#include "core/cluster/kept_marks.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringmaster::core {

namespace {

constexpr std::int64_t ahead_min = 1'000;
constexpr std::int64_t ahead_max = 1'000'000;
constexpr std::string_view marks_head = "ringmaster-marks 1";
constexpr std::string_view back_head = "ringmaster-set-back 1";

std::optional<std::int64_t> take_number(std::string_view& text) {
  if (!text.starts_with(' '))
    return std::nullopt;
  text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

using three_numbers = std::array<std::int64_t, 3>;

std::string line_of(std::string_view head, const three_numbers& numbers) {
  std::string line{head};
  for (const auto each : numbers)
    line.append(" ").append(std::to_string(each));
  return line + '\n';
}

/// Returns nothing for a text that `line_of` did not write with this head.
std::optional<three_numbers> numbers_in(std::string_view text, std::string_view head) {
  if (!text.starts_with(head))
    return std::nullopt;
  text.remove_prefix(head.size());
  three_numbers out{};
  for (auto& each : out) {
    const auto number = take_number(text);
    if (!number)
      return std::nullopt;
    each = *number;
  }
  return text == "\n" ? std::optional{out} : std::nullopt;
}

} // namespace

kept_marks marks_ahead(const kept_marks& before, log_id highest) {
  auto next = before;
  next.seen = std::max(before.seen, highest);
  const auto since = number(next.seen) - number(before.seen);
  // At the first time the difference of the ids says nothing about the load.
  const auto ahead = number(before.seen) == 0 ? ahead_min : std::clamp(2 * since, ahead_min, ahead_max);
  next.ceiling = std::max(before.ceiling, log_id{number(next.seen) + ahead});
  return next;
}

kept_marks marks_at_end(const kept_marks& now, log_id highest) {
  auto last = now;
  last.seen = last.ceiling = std::max(now.seen, highest);
  return last;
}

std::string to_text(const kept_marks& marks) {
  return line_of(marks_head, {number(marks.seen), number(marks.ceiling), marks.incarnation});
}

std::optional<kept_marks> parse_marks(std::string_view text) {
  const auto read = numbers_in(text, marks_head);
  if (!read)
    return std::nullopt;
  const auto [seen, ceiling, incarnation] = *read;
  return ceiling < seen ? std::nullopt : std::optional{kept_marks{log_id{seen}, log_id{ceiling}, incarnation}};
}

std::string to_text(const set_back& back) {
  return line_of(back_head, {to_ms(back.at), number(back.next), number(back.above)});
}

std::optional<set_back> parse_set_back(std::string_view text) {
  const auto read = numbers_in(text, back_head);
  if (!read)
    return std::nullopt;
  const auto [at, next, above] = *read;
  return is_time(at) ? std::optional{set_back{from_ms(at), log_id{next}, log_id{above}}} : std::nullopt;
}

id_verdict judge_next_id(const kept_marks& marks, log_id next) {
  if (next > marks.ceiling)
    return id_verdict::fine;
  return next > marks.seen ? id_verdict::unsure : id_verdict::older;
}

} // namespace ringmaster::core
