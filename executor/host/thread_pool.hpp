#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "actors/executor/bodies.hpp"

namespace ringmaster::executor {

/// Threads for the bodies of runs: as many as run at once. Idle threads are reused and end after a while. The most recently busy
/// thread is used next, because its memory is still in the cache.
class thread_pool final : public actors::body_threads {
public:
  static constexpr std::chrono::seconds idle_limit{10};

  /// `most`: maximum number of threads; beyond it `start` returns false.
  explicit thread_pool(std::size_t most);
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  /// Ends all threads if no work is active. Active work continues, and its thread ends after it.
  ~thread_pool() override;

  bool start(std::function<void()> work) override;

  /// Makes `start` return false from now on.
  void close();

  /// Returns whether all work ended within the limit.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit) const;

  /// Returns the number of threads that work or wait for work.
  [[nodiscard]] std::size_t size() const;

private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

} // namespace ringmaster::executor
