#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::executor {

/// Returns this process's variables as `NAME=value`, except names that begin with `RINGMASTER_`: they hold secrets. Must not run
/// while another thread changes them.
[[nodiscard]] std::vector<std::string> inherited_environment();

/// Returns nullopt if the variable is not set.
[[nodiscard]] std::optional<std::string_view> find_variable(const std::vector<std::string>& environment, std::string_view name);

/// Returns the path of an executable file: `name` itself when it contains a slash, else the first match in the folders of PATH.
/// Nullopt: not found.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name, const std::vector<std::string>& environment);

} // namespace ringmaster::executor
