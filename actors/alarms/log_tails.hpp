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

/// Reader of the last log lines of failed runs, which their alarms quote. It does not delay alarms: each request to an executor
/// has a short limit, and beyond a small number of requests under way no executor is asked.
class log_tails {
public:
  static constexpr std::size_t under_way_max = 16;
  static constexpr std::chrono::seconds limit{2};
  /// Bytes of all lines together; the first lines are cut off.
  static constexpr std::size_t bytes_max = 2000;

  /// `pool`: null if there are no executors to ask. `lines`: maximum number of lines; 0: none.
  log_tails(protocol::alarm_actor::pointer self, protocol::trigger_pool pool, std::size_t lines);

  /// Calls `then` once, with the lines, or with an empty text if there are none or the executor does not answer in time. Calls it
  /// at once if no executor is asked.
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
