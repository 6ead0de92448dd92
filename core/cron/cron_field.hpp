#pragma once

// The values of one cron field during parsing. Used only by the cron parser.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cron/cron_error.hpp"

namespace ringmaster::core {

/// Error in an expression during parsing.
struct cron_fault {
  cron_mistake code{};
  std::string detail;
  /// The part of the text that is wrong; empty: the present item.
  std::string_view at = {};
};
/// Unset if the expression is valid.
using cron_complaint = std::optional<cron_fault>;

/// Fields in the order in which they are written.
enum class cron_field_kind : std::uint8_t { second, minute, hour, day_of_month, month, day_of_week, year };

struct cron_field_limits {
  std::int32_t low = 0;
  std::int32_t high = 0;
  /// Amount by which a range that runs backwards wraps.
  std::int32_t modulus = 0;
  /// The largest step of `a/s` and `*/s`.
  std::int32_t step_max = 0;
  std::string_view out_of_range;
};

inline constexpr int cron_year_first = 1970;
/// Year after which XXL's search gives up.
inline constexpr int cron_year_max = 2999;

/// Numeric forms of `*` and (in the day fields) of `?`.
inline constexpr std::int32_t cron_every_value = 99;
inline constexpr std::int32_t cron_no_value = 98;

class cron_field {
public:
  cron_field(cron_field_kind kind, int year_last);

  [[nodiscard]] cron_field_kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is(cron_field_kind wanted) const noexcept { return kind_ == wanted; }
  [[nodiscard]] bool is_day() const noexcept;
  [[nodiscard]] const cron_field_limits& limits() const noexcept;

  /// Finds the number for the first three letters of `text`. Returns an error for a field without names and for an unknown name.
  [[nodiscard]] cron_complaint find_name(std::string_view text, std::int32_t& value) const;

  [[nodiscard]] cron_complaint add_value(std::int32_t value) { return add_range(value, value, 0); }
  /// Adds `start-stop/step`. Without `stop` the range extends to the end of the field; with step 0 it is only `start`.
  [[nodiscard]] cron_complaint add_range(std::int32_t start, std::optional<std::int32_t> stop, std::int32_t step);
  /// Adds a weekday before `#`, which XXL does not check.
  [[nodiscard]] cron_complaint add_unchecked_weekday(std::int32_t value);
  void add_none() noexcept { none_ = true; }
  [[nodiscard]] cron_complaint check_step(std::int32_t step) const;

  /// Returns true for `?`: another field decides about days.
  [[nodiscard]] bool none() const noexcept { return none_; }
  /// Returns true for a plain `*`.
  [[nodiscard]] bool every() const noexcept { return every_; }
  /// Returns one bit per value; of years only the first word.
  [[nodiscard]] std::uint64_t bits() const noexcept;
  /// Returns the years; bit 0 is 1970.
  [[nodiscard]] std::vector<std::uint64_t> take_years() noexcept { return std::move(years_); }
  /// Returns the smallest number that was added; `cron_every_value` if there was none.
  [[nodiscard]] std::int32_t lowest() const noexcept { return lowest_; }

private:
  [[nodiscard]] bool in_range(std::int32_t start, std::int32_t stop) const noexcept;
  void add_steps(std::int64_t start, std::int64_t stop, std::int64_t step);
  void add_year_steps(std::int64_t start, std::int64_t stop, std::int64_t step);

  cron_field_kind kind_;
  bool every_ = false;
  bool none_ = false;
  std::int32_t year_last_;
  std::int32_t lowest_ = cron_every_value;
  std::uint64_t bits_ = 0;
  std::vector<std::uint64_t> years_;
};

} // namespace ringmaster::core
