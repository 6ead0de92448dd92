#pragma once

// The tables of XXL-JOB's releases, by generation (XXL admin §2.2): for databases that XXL-JOB created.

#include <array>
#include <string>
#include <vector>

namespace ringmaster::test {

/// From XXL-JOB 2.3.0 (4) to the unreleased 3.5 (8).
inline constexpr std::array xxl_generations{4, 5, 6, 7, 8};

/// Returns the statements that create the eight tables and the lock row, in XXL's collation, without other rows.
[[nodiscard]] std::vector<std::string> xxl_schema(int generation);

/// Returns the statements that change the tables of the previous generation in place, as an administrator does it manually: no
/// index of the log changes.
[[nodiscard]] std::vector<std::string> xxl_step_in_place(int to_generation);

} // namespace ringmaster::test
