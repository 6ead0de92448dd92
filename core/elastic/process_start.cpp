#include "core/elastic/process_start.hpp"

#include <charconv>

namespace ringmaster::core::elastic {

// The name of the program, in parentheses, may contain anything. The state after it is field 3, the start is field 22.
std::optional<std::int64_t> start_ticks_in(std::string_view stat) noexcept {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos)
    return std::nullopt;
  stat.remove_prefix(name_end + 1);
  for (int field = 2; field < 22; ++field) {
    const auto space = stat.find(' ');
    if (space == std::string_view::npos)
      return std::nullopt;
    stat.remove_prefix(space + 1);
  }
  std::int64_t ticks = 0;
  const auto [end, failure] = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  return failure == std::errc{} ? std::optional{ticks} : std::nullopt;
}

} // namespace ringmaster::core::elastic
