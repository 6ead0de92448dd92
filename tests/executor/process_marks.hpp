#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "executor/process/child_process.hpp"

namespace ringmaster::test {

/// An environment variable with a unique value: a process that has it descends from this object's user, even if it tried to
/// escape.
class process_mark {
public:
  process_mark();

  [[nodiscard]] const std::string& variable() const noexcept { return variable_; }
  /// Returns an environment whose PATH contains bash and python3.
  [[nodiscard]] std::vector<std::string> environment() const;
  [[nodiscard]] int count() const;
  /// Waits until this many processes have it; returns false after ten seconds.
  [[nodiscard]] bool reaches(int processes) const;

private:
  std::string variable_;
};

/// Polls the condition; returns false after ten seconds.
bool becomes(const std::function<bool()>& condition);

/// Returns the number of children of this process, including zombies.
int own_child_count();
int open_descriptor_count();

/// A run of `/bin/bash -c` and its result.
struct shell {
  process_mark mark;
  executor::child_limits limits;
  executor::child_control control;
  std::stop_source stopper;
  std::string out, err;
  /// Called with `text` when the output contains it.
  std::function<void(const std::string& text)> seen;

  executor::child_end run(const std::string& script, std::vector<std::string> arguments = {});
  /// Stops the script after it has written `ready`.
  executor::child_end stop_when_ready(const std::string& script);
};

} // namespace ringmaster::test
