#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/run/log_row.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Asks executors for the last lines of what failed runs wrote, for their alarms. Alarms are not held up: each question has a
/// short limit, few are under way at a time, and beyond them no executor is asked.
class log_tails {
public:
  static constexpr std::size_t under_way_max = 16;
  static constexpr std::chrono::seconds limit{2};
  /// Bytes of all lines together; the first lines are cut.
  static constexpr std::size_t bytes_max = 2000;

  /// `pool`: null if there are no executors to ask. `lines`: how many at most; 0: none.
  log_tails(protocol::alarm_actor::pointer self, protocol::trigger_pool pool, std::size_t lines);

  /// Calls `then` once, with the lines, or with an empty text if there are none or they did not come in time; at once if no
  /// executor is asked.
  void read(const core::log_row& run, std::function<void(std::string)> then);

private:
  struct question;
  using question_ptr = std::shared_ptr<question>;

  void ask(const question_ptr& asked, const protocol::executor_link& link);
  void end(const question_ptr& asked, std::string lines);

  protocol::alarm_actor::pointer self_;
  protocol::trigger_pool pool_;
  std::size_t lines_;
  std::size_t under_way_ = 0;
};

} // namespace ringmaster::actors
