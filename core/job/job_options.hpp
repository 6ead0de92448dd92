#pragma once

// Options of a job that XXL's tables have no column for. Everything that reads, writes, compares or hashes them walks one table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/job/alarm_conditions.hpp"
#include "core/job/job.hpp"
#include "core/job/schedule_options.hpp"

namespace ringmaster::core {

/// One nullable column of `rm_job_ext` each. Default: exactly XXL.
struct job_options {
  schedule_options timing = {};
  unknown_policy on_unknown = unknown_policy::ask;
  /// The log of each run is copied into the database once the run has its result.
  bool keep_logs = false;
  alarm_conditions alarm_on = {};
  /// Purpose of the job, for its readers.
  std::string description = {};

  friend bool operator==(const job_options&, const job_options&) = default;
};

/// Value of an option as its column holds it. Nothing: NULL.
using option_value = std::variant<std::monostate, std::int64_t, std::string>;
using option_values = std::vector<option_value>;

enum class option_kind : std::uint8_t {
  /// Any text up to a number of characters; empty: none.
  text,
  /// One of some names.
  choice,
  /// A list of some names. Its column holds them with commas between them.
  names,
  number,
  /// Epoch milliseconds.
  instant,
  flag
};

/// One option: its names, what it accepts, and its place in `job_options`.
struct job_option {
  /// Column of `rm_job_ext`, key of declared files, name in messages.
  std::string_view name;
  /// Member of /api/v1.
  std::string_view member;
  option_kind kind;
  /// Range of a number. Characters of a text.
  std::int64_t min = 0;
  std::int64_t max = 0;
  /// Choices or names, in the order in which messages list them.
  std::span<const std::string_view> names = {};
  option_value (*get)(const job_options&) = nullptr;
  /// Takes what a column holds: an unknown name is the default, and a number out of its range stays wrong.
  void (*set)(job_options&, const option_value&) = nullptr;
  /// The option decides when the job fires, so Java admins would not honour it.
  bool shapes_schedule = false;

  [[nodiscard]] bool is_text() const noexcept {
    return kind == option_kind::text || kind == option_kind::choice || kind == option_kind::names;
  }
  /// Returns true when the option has its default.
  [[nodiscard]] bool is_default(const job_options& options) const { return get(options) == get(job_options{}); }
};

/// Returns all options in the order of their columns in statements.
[[nodiscard]] std::span<const job_option> job_option_fields() noexcept;

/// Returns the values of all options, in the order of `job_option_fields`.
[[nodiscard]] option_values values_of(const job_options& options);

/// Returns the names of a value of kind `names`; its default has all of them.
[[nodiscard]] std::vector<std::string_view> names_in(const job_option& field, const option_value& value);
/// Returns the value of kind `names` for some of the names.
[[nodiscard]] option_value value_of_names(const job_option& field, std::span<const std::string> some);

/// Returns the text of a value; empty for none.
[[nodiscard]] std::string_view text_of(const option_value& value) noexcept;
/// Returns false for a text that is longer than the column of its option.
[[nodiscard]] bool fits_column(const job_option& field, const option_value& value) noexcept;
/// Returns the number of a value; 0 for none and for a text.
[[nodiscard]] std::int64_t number_of(const option_value& value) noexcept;

} // namespace ringmaster::core
