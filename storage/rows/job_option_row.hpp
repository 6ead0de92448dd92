#pragma once

// Columns of `rm_job_ext` that hold options of a job, for the statements of both backends.

#include "core/job/job_options.hpp"

namespace ringmaster::storage {

/// All options, in the order of `core::job_option_fields`: `each(name)`, with `between` between two. A test compares the names.
#define RINGMASTER_JOB_OPTIONS(each, between)                                                                                    \
  each("on_unknown") between each("time_zone") between each("interval_ms") between each("start_at") between each("end_at")       \
    between each("jitter_ms") between each("keep_logs") between each("alarm_on") between each("description")

// Text that stands for one option in a statement.
#define RINGMASTER_OPTION_NAME(name) name
#define RINGMASTER_OPTION_OF_X(name) "x." name
#define RINGMASTER_OPTION_MARK(name) "?"
#define RINGMASTER_OPTION_SET(name) name " = ?"

/// `on_unknown, time_zone, …`
#define RINGMASTER_OPTION_NAMES RINGMASTER_JOB_OPTIONS(RINGMASTER_OPTION_NAME, ", ")
/// `x.on_unknown, x.time_zone, …`
#define RINGMASTER_OPTIONS_OF_X RINGMASTER_JOB_OPTIONS(RINGMASTER_OPTION_OF_X, ", ")
/// `?, ?, …`
#define RINGMASTER_OPTION_MARKS RINGMASTER_JOB_OPTIONS(RINGMASTER_OPTION_MARK, ", ")
/// `on_unknown = ?, time_zone = ?, …`
#define RINGMASTER_OPTION_SETTINGS RINGMASTER_JOB_OPTIONS(RINGMASTER_OPTION_SET, ", ")

/// Reads the options from a row of either backend that has their columns from `at` on, and moves `at` to the column after them.
template <class Row, class Column>
void read_options(const Row& row, Column& at, core::job_options& out) {
  for (const auto& field : core::job_option_fields()) {
    const auto column = at++;
    core::option_value value;
    if (!field.is_text()) {
      if (const auto number = row.optional_number(column))
        value = *number;
    } else if (const auto text = row.text(column); !text.empty()) {
      value = std::string{text};
    }
    field.set(out, value);
  }
}

} // namespace ringmaster::storage
