#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "actors/executor/bodies.hpp"

namespace ringmaster::executor {

/// Threads for the bodies of runs: as many as run at once, each used again by whoever comes next, gone when idle for long. The
/// one that was busy last is the next to work, so that its memory is still warm.
class thread_pool final : public actors::body_threads {
public:
  static constexpr std::chrono::seconds idle_limit{10};

  /// `most`: threads at once; beyond them `start` says false.
  explicit thread_pool(std::size_t most);
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  /// Idle threads end. What still runs is left to itself, and its thread ends behind it.
  ~thread_pool() override;

  bool start(std::function<void()> work) override;

  /// From now on `start` says false.
  void close();

  /// Whether everything that was started came to its end within the limit.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit) const;

  /// Threads that work or wait for work.
  [[nodiscard]] std::size_t size() const;

private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

} // namespace ringmaster::executor
