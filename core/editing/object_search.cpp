#include "core/editing/object_search.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/ascii_case.hpp"

namespace ringmaster::core {

int match_rank(std::string_view searched, std::string_view text) noexcept {
  if (equal_without_case(searched, text))
    return 0;
  return equal_without_case(searched, text.substr(0, searched.size())) ? 1 : 2;
}

std::vector<std::pair<std::int64_t, std::int64_t>> ids_beginning_with(std::string_view digits, std::int64_t max) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  std::int64_t first = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), first);
  if (digits.empty() || digits.front() < '1' || digits.front() > '9' || problem != std::errc{} ||
      end != digits.data() + digits.size())
    return out;
  for (std::int64_t width = 1; first <= max;) {
    out.emplace_back(first, width - 1 > max - first ? max : first + (width - 1));
    if (first > max / 10)
      break;
    first *= 10;
    width *= 10;
  }
  return out;
}

} // namespace ringmaster::core
