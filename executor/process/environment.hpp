#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::executor {

/// This process's variables as `NAME=value`, without those whose names begin with `RINGMASTER_`: they hold secrets of ours. Not
/// while another thread changes them.
[[nodiscard]] std::vector<std::string> inherited_environment();

/// Nothing: not set.
[[nodiscard]] std::optional<std::string_view> find_variable(const std::vector<std::string>& environment, std::string_view name);

/// The path of an executable file: `name` itself when it holds a slash, else the first in the folders of PATH. Nothing: there is
/// none.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name, const std::vector<std::string>& environment);

} // namespace ringmaster::executor
