#include "core/cluster/kept_marks.hpp"

#include <algorithm>
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

std::string number_text(std::int64_t number) { return ' ' + std::to_string(number); }

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
  return std::string{marks_head} + number_text(number(marks.seen)) + number_text(number(marks.ceiling))
         + number_text(marks.incarnation) + '\n';
}

std::optional<kept_marks> parse_marks(std::string_view text) {
  if (!text.starts_with(marks_head))
    return std::nullopt;
  text.remove_prefix(marks_head.size());
  const auto seen = take_number(text);
  const auto ceiling = take_number(text);
  const auto incarnation = take_number(text);
  if (!seen || !ceiling || !incarnation || text != "\n" || *ceiling < *seen)
    return std::nullopt;
  return kept_marks{log_id{*seen}, log_id{*ceiling}, *incarnation};
}

std::string to_text(const set_back& back) {
  return std::string{back_head} + number_text(to_ms(back.at)) + number_text(number(back.next)) + number_text(number(back.above))
         + '\n';
}

std::optional<set_back> parse_set_back(std::string_view text) {
  if (!text.starts_with(back_head))
    return std::nullopt;
  text.remove_prefix(back_head.size());
  const auto at = take_number(text);
  const auto next = take_number(text);
  const auto above = take_number(text);
  if (!at || !is_time(*at) || !next || !above || text != "\n")
    return std::nullopt;
  return set_back{from_ms(*at), log_id{*next}, log_id{*above}};
}

id_verdict judge_next_id(const kept_marks& marks, log_id next) {
  if (next > marks.ceiling)
    return id_verdict::fine;
  return next > marks.seen ? id_verdict::unsure : id_verdict::older;
}

} // namespace ringmaster::core
