#include "core/cron/cron_field.hpp"

#include <algorithm>
#include <array>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::array<std::string_view, 12> month_names = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                          "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

constexpr std::array<cron_field_limits, 7> limits_by_kind = {{
  {0, 59, 60, 59, "Minute and Second values must be between 0 and 59"},
  {0, 59, 60, 59, "Minute and Second values must be between 0 and 59"},
  {0, 23, 24, 23, "Hour values must be between 0 and 23"},
  {1, 31, 31, 31, "Day of month values must be between 1 and 31"},
  {1, 12, 12, 12, "Month values must be between 1 and 12"},
  {1, 7, 7, 7, "Day-of-Week values must be between 1 and 7"},
  {cron_year_first, cron_year_max, 0, 0, ""},
}};

/// Returns the 1-based index, 0 for an unknown name.
template <std::size_t Size>
std::int32_t index_of(const std::array<std::string_view, Size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? 0 : static_cast<std::int32_t>(found - names.begin()) + 1;
}

} // namespace

cron_field::cron_field(cron_field_kind kind, int year_last) : kind_(kind), year_last_(year_last) {
  if (is(cron_field_kind::year))
    years_.assign(static_cast<std::size_t>(year_last - cron_year_first) / 64 + 1, 0);
}

bool cron_field::is_day() const noexcept { return is(cron_field_kind::day_of_month) || is(cron_field_kind::day_of_week); }

const cron_field_limits& cron_field::limits() const noexcept { return limits_by_kind[static_cast<std::size_t>(kind_)]; }

cron_complaint cron_field::find_name(std::string_view text, std::int32_t& value) const {
  const bool months = is(cron_field_kind::month);
  if (text.size() < 3)
    return cron_fault{cron_mistake::incomplete, "Illegal cron expression format (a name has three letters)"};
  const auto letters = cut_utf16(text, 3);
  if (!months && !is(cron_field_kind::day_of_week))
    return cron_fault{cron_mistake::not_here, "Illegal characters for this position: '" + std::string{letters} + "'", letters};
  value = months ? index_of(month_names, letters) : index_of(weekday_names, letters);
  if (value == 0)
    return cron_fault{cron_mistake::unknown_name,
                      (months ? "Invalid Month value: '" : "Invalid Day-of-Week value: '") + std::string{letters} + "'", letters};
  return {};
}

cron_complaint cron_field::check_step(std::int32_t step) const {
  if (is(cron_field_kind::year) || step <= limits().step_max)
    return {};
  return cron_fault{cron_mistake::bad_step, "Increment >= " + std::to_string(limits().modulus) + " : " + std::to_string(step)};
}

bool cron_field::in_range(std::int32_t start, std::int32_t stop) const noexcept {
  return is(cron_field_kind::year) || (start >= limits().low && start <= limits().high && stop <= limits().high);
}

cron_complaint cron_field::add_range(std::int32_t start, std::optional<std::int32_t> stop, std::int32_t step) {
  const auto low = limits().low, high = is(cron_field_kind::year) ? year_last_ : limits().high;
  if (start == cron_every_value) {
    if (step == 0 || (!stop && step == 1)) {
      every_ = true;
      lowest_ = std::min(lowest_, low);
      return {};
    }
    start = low;
  } else if (start == cron_no_value && is_day()) {
    // As a range it is empty.
    none_ = none_ || step == 0;
    return {};
  } else if (!in_range(start, stop.value_or(start))) {
    return cron_fault{cron_mistake::out_of_range, std::string{limits().out_of_range}};
  }
  if (step == 0) {
    add_steps(start, start, 1);
    return {};
  }
  const auto end = stop.value_or(high);
  if (end < start && is(cron_field_kind::year))
    return cron_fault{cron_mistake::out_of_range, "Illegal cron expression format "
                                                  "(java.lang.IllegalArgumentException: Start year must be less than stop year)"};
  add_steps(start, end < start ? end + limits().modulus : std::min(end, std::max(high, start)), step);
  return {};
}

cron_complaint cron_field::add_unchecked_weekday(std::int32_t value) {
  if (value == cron_no_value)
    none_ = true;
  else if (value < limits().low || value > limits().high)
    lowest_ = std::min(lowest_, value);
  else
    return add_value(value);
  return {};
}

void cron_field::add_steps(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (is(cron_field_kind::year))
    return add_year_steps(start, stop, step);
  const auto low = limits().low, modulus = limits().modulus;
  for (auto value = start; value <= stop; value += step) {
    const auto wrapped = (value - low) % modulus + low;
    bits_ |= std::uint64_t{1} << wrapped;
    lowest_ = std::min(lowest_, static_cast<std::int32_t>(wrapped));
  }
}

void cron_field::add_year_steps(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (start < cron_year_first)
    start += (cron_year_first - start + step - 1) / step * step;
  for (auto year = start; year <= std::min<std::int64_t>(stop, year_last_); year += step) {
    const auto index = static_cast<std::size_t>(year - cron_year_first);
    years_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
}

std::uint64_t cron_field::bits() const noexcept {
  return every_ ? (std::uint64_t{2} << limits().high) - (std::uint64_t{1} << limits().low) : bits_;
}

} // namespace ringmaster::core
