#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "core/elastic/elastic_ids.hpp"
#include "core/result.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/files/file.hpp"

namespace ringmaster::executor::elastic {

/// Enforces the end of leases with a thread of its own, also while all other threads are busy: rights end first, then stops are
/// requested on `threads`, because the stop callbacks of bodies may block.
class fence_timer {
public:
  /// `on_end`: called on the timer's thread with the runs whose lease has ended. Errors: `unavailable` without a timer or thread.
  [[nodiscard]] static core::result<std::unique_ptr<fence_timer>>
  start(std::shared_ptr<fence_board> board, std::shared_ptr<actors::body_threads> threads,
        std::function<void(std::vector<core::elastic::item_run_id>)> on_end);
  fence_timer(const fence_timer&) = delete;
  fence_timer& operator=(const fence_timer&) = delete;
  /// Waits for the end of the thread.
  ~fence_timer();

private:
  fence_timer(std::shared_ptr<fence_board> board, std::shared_ptr<actors::body_threads> threads,
              std::function<void(std::vector<core::elastic::item_run_id>)> on_end, file alarm, file bell);
  void live();
  void enforce();
  void arm();
  void ring() const noexcept;

  const std::shared_ptr<fence_board> board_;
  const std::shared_ptr<actors::body_threads> threads_;
  const std::function<void(std::vector<core::elastic::item_run_id>)> on_end_;
  /// A timerfd of CLOCK_BOOTTIME.
  const file alarm_;
  /// An eventfd: an earlier end, or the end of this object.
  const std::shared_ptr<const file> bell_;
  std::atomic<bool> ending_{false};
  /// Last member: it uses all others.
  std::thread thread_;
};

} // namespace ringmaster::executor::elastic
