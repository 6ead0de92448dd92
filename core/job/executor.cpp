#include "core/job/executor.hpp"

#include <array>

namespace ringmaster::core {

namespace {

constexpr std::array<std::string_view, 4> executor_states{"online", "late", "gone", "entered"};
constexpr std::array<std::string_view, 4> executor_families{"", "xxl", "xxl-3.5", "native"};

} // namespace

std::string_view shown_name(executor_state state) noexcept { return executor_states[static_cast<std::size_t>(state)]; }

std::optional<executor_state> find_executor_state(std::string_view name) noexcept {
  for (std::size_t i = 0; i < executor_states.size(); ++i)
    if (executor_states[i] == name)
      return static_cast<executor_state>(i);
  return std::nullopt;
}

std::string_view shown_name(executor_family family) noexcept { return executor_families[static_cast<std::size_t>(family)]; }

} // namespace ringmaster::core
