#include "core/cron/cron_step.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace ringmaster::core {

namespace {

/// First value of a field, and the number of its values.
struct field_round {
  std::int64_t low = 0;
  std::int64_t size = 0;
};
/// From seconds to weekdays.
constexpr std::array<field_round, 6> field_rounds = {{{0, 60}, {0, 60}, {0, 24}, {1, 31}, {1, 12}, {1, 7}}};

/// Returns the number at the beginning of the text; -1 without one.
std::int64_t leading_number(std::string_view text) noexcept {
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_unaligned(std::string_view item, const field_round& round) noexcept {
  const auto slash = item.find('/');
  // The end of a range is what its author wrote; after a name a step has no effect.
  if (item.find_first_of("0123456789*/") != 0 || slash == std::string_view::npos)
    return false;
  if (item.substr(0, slash).find('-') != std::string_view::npos)
    return false;
  const auto step = leading_number(item.substr(slash + 1));
  const auto start = std::max(leading_number(item), round.low);
  const auto high = round.low + round.size - 1;
  if (step <= 1 || start > high)
    return false;
  const auto last = start + (high - start) / step * step;
  return round.size - (last - start) != step;
}

} // namespace

bool has_unaligned_step(std::string_view cron) noexcept {
  std::size_t begin = 0;
  for (const auto& round : field_rounds) {
    begin = std::min(cron.find_first_not_of(" \t", begin), cron.size());
    const auto end = std::min(cron.find_first_of(" \t", begin), cron.size());
    auto field = cron.substr(begin, end - begin);
    begin = end;
    while (!field.empty()) {
      const auto comma = std::min(field.find(','), field.size());
      if (is_unaligned(field.substr(0, comma), round))
        return true;
      field.remove_prefix(std::min(comma + 1, field.size()));
    }
  }
  return false;
}

} // namespace ringmaster::core
