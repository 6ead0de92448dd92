#pragma once

#include <string_view>

#include "executor/job_log.hpp"

namespace ringmaster::test {

/// A run log that drops everything.
struct silent_log final : executor::job_log {
  void line(std::string_view, const executor::code_place&) override {}
  void raw(std::string_view) override {}
};

} // namespace ringmaster::test
