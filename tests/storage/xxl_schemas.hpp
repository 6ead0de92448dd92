#pragma once

// The tables that XXL-JOB's releases make, as its generations have them (XXL admin §2.2): for databases that others created.

#include <array>
#include <string>
#include <vector>

namespace ringmaster::test {

/// From XXL-JOB 2.3.0 (4) to the unreleased 3.5 (8).
inline constexpr std::array xxl_generations{4, 5, 6, 7, 8};

/// The statements that make the eight tables and the lock row, in the collation of XXL's. Nothing else is in them.
[[nodiscard]] std::vector<std::string> xxl_schema(int generation);

/// What changes the tables of the generation before in place, as an administrator does it by hand: no index of the log changes.
[[nodiscard]] std::vector<std::string> xxl_step_in_place(int to_generation);

} // namespace ringmaster::test
