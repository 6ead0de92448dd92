#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "executor/process/child_process.hpp"

namespace ringmaster::test {

/// A variable that no other process has: who has it came from this object's owner, whatever it did to get away.
class process_mark {
public:
  process_mark();

  [[nodiscard]] const std::string& variable() const noexcept { return variable_; }
  /// With a PATH where bash and python3 are.
  [[nodiscard]] std::vector<std::string> environment() const;
  [[nodiscard]] int count() const;
  /// Waits until so many processes have it; false after ten seconds.
  [[nodiscard]] bool reaches(int processes) const;

private:
  std::string variable_;
};

/// Asks again and again; false after ten seconds.
bool becomes(const std::function<bool()>& condition);

/// Children of this process, zombies too.
int own_child_count();
int open_descriptor_count();

/// A run of `/bin/bash -c` and what came of it.
struct shell {
  process_mark mark;
  executor::child_limits limits;
  std::stop_source stopper;
  std::string out, err;
  /// What to do when `text` was seen in the output.
  std::function<void(const std::string& text)> seen;

  executor::child_end run(const std::string& script, std::vector<std::string> arguments = {});
  /// Stops the script when it has written `ready`.
  executor::child_end stop_when_ready(const std::string& script);
};

} // namespace ringmaster::test
