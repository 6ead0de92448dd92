#include "protocol/wire/xxl/html_text.hpp"

#include <algorithm>
#include <array>

#include "core/alarm/alarm_text.hpp"

namespace ringmaster::protocol::wire {

namespace {

using namespace std::string_view_literals;

constexpr std::array tags_of_log{"<br>"sv, "<b>"sv, "</b>"sv};
// XXL marks its titles with angle brackets, which are text: the last one is followed by a blank.
constexpr std::array tags_of_trigger{"<<<<<<<<<<< </span>"sv, "<br>"sv, "<br/>"sv,  "</span>"sv, "&amp;"sv,
                                     "&lt;"sv,                "&gt;"sv, "&quot;"sv, "&#39;"sv};

template <class Tags>
std::size_t tag_length(const Tags& tags, std::string_view text) noexcept {
  for (const auto each : tags)
    if (text.starts_with(each))
      return each.size();
  return 0;
}

/// Returns the length of a `<span style="color:#00c0ef;" >` at the beginning of `text`, whose colour and blank may vary; else 0.
std::size_t span_length(std::string_view text) noexcept {
  constexpr auto begin = "<span style=\"color:#"sv;
  constexpr auto ends = std::array{";\">"sv, ";\" >"sv};
  constexpr std::size_t digits_min = 3, digits_max = 8;
  if (!text.starts_with(begin))
    return 0;
  const auto rest = text.substr(begin.size());
  const auto digits = std::min(rest.find_first_not_of("0123456789abcdefABCDEF"), rest.size());
  if (digits < digits_min || digits > digits_max)
    return 0;
  const auto end = tag_length(ends, rest.substr(digits));
  return end == 0 ? 0 : begin.size() + digits + end;
}

/// Returns the length of the HTML at the beginning of `text` that may stay unescaped.
std::size_t safe_length(std::string_view text, html_from by) noexcept {
  switch (by) {
  case html_from::log: return tag_length(tags_of_log, text);
  case html_from::trigger: return std::max(tag_length(tags_of_trigger, text), span_length(text));
  }
  return 0;
}

} // namespace

// Keeps a `>` of a trigger's text: XXL-JOB stores it so, and without a `<` before it it is text.
std::string safe_html(std::string_view text, html_from by) {
  const std::string_view special = by == html_from::trigger ? "<&>" : "<&";
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const auto plain = text.substr(0, text.find_first_of(special));
    out += core::escape_html(plain);
    text.remove_prefix(plain.size());
    if (text.empty())
      break;
    const auto safe = text.front() == '>' ? 1 : safe_length(text, by);
    out += safe == 0 ? core::escape_html(text.substr(0, 1)) : std::string{text.substr(0, safe)};
    text.remove_prefix(std::max<std::size_t>(safe, 1));
  }
  return out;
}

} // namespace ringmaster::protocol::wire
