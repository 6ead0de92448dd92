#include "core/run/log_search.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Units before an occurrence that a long line shows.
constexpr std::size_t units_before_match = 100;

constexpr char lower_of(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns the end of `text` with at most this many units, from a character on.
std::string_view last_units(std::string_view text, std::size_t units) noexcept {
  auto begin = text.size();
  while (begin > 0 && units > 0) {
    auto at = begin - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80)
      --at;
    const std::size_t cost = static_cast<unsigned char>(text[at]) >= 0xF0 ? 2 : 1;
    if (cost > units)
      break;
    units -= cost;
    begin = at;
  }
  return text.substr(begin);
}

} // namespace

line_search::line_search(log_search asked) : asked_{std::move(asked)} {
  if (!asked_.match_case)
    std::transform(asked_.wanted.begin(), asked_.wanted.end(), asked_.wanted.begin(), lower_of);
}

std::int32_t line_search::search(std::string_view text, std::int32_t first_line) {
  auto searched = text;
  if (!asked_.match_case) {
    lowered_.resize(text.size());
    std::transform(text.begin(), text.end(), lowered_.begin(), lower_of);
    searched = lowered_;
  }
  auto line = first_line;
  std::size_t begin = 0;
  while (!has_enough()) {
    const auto found = searched.find(asked_.wanted, begin);
    // Lines are counted up to the match, or to the end of the text.
    for (auto end = searched.find('\n', begin); end < std::min(found, searched.size()); end = searched.find('\n', begin)) {
      begin = end + 1;
      ++line;
    }
    if (found == std::string_view::npos)
      return begin < searched.size() ? line + 1 : line;
    const auto end = std::min(searched.find('\n', found), searched.size());
    add(text.substr(begin, end - begin), found - begin, line);
    ++line;
    if (end == searched.size())
      return line;
    begin = end + 1;
  }
  return line;
}

void line_search::add(std::string_view line, std::size_t at, std::int32_t number) {
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  const auto before = line.substr(0, std::min(at, line.size()));
  const auto wanted = line.substr(before.size(), asked_.wanted.size());
  const auto column = utf16_units(before);
  const auto length = utf16_units(wanted);
  const auto shown_before = column + length <= match_text_units ? before : last_units(before, units_before_match);
  matches_.push_back({number, static_cast<std::int32_t>(column + 1), static_cast<std::int32_t>(length),
                      std::string{cut_utf16(line.substr(before.size() - shown_before.size()), match_text_units)}});
}

} // namespace ringmaster::core
