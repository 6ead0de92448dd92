#pragma once

// Way of an executor's answer from the io thread to log_spool.

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/http.hpp"

namespace ringmaster::actors {

/// Bounded buffer between the connection that reads an answer and the actor that writes it into a file. Any thread.
class spool_pipe final : public protocol::http_body_sink {
public:
  static constexpr std::size_t full_bytes = 1024 * 1024;

  /// Bytes that arrived since the last call.
  struct arrived {
    std::string bytes;
    /// They begin another answer: what came before is void.
    bool restarted = false;
  };

  /// `wake` is called once for any number of arrivals, on the io thread.
  explicit spool_pipe(std::function<void()> wake) : wake_{std::move(wake)} {}

  void begin() override {
    const std::lock_guard guard{mutex_};
    held_.bytes.clear();
    held_.restarted = true;
  }
  bool take(std::string_view bytes) override {
    std::unique_lock guard{mutex_};
    if (closed_)
      return false;
    held_.bytes += bytes;
    if (!std::exchange(woken_, true)) {
      guard.unlock();
      wake_();
    }
    return true;
  }
  [[nodiscard]] bool is_full() const noexcept override {
    const std::lock_guard guard{mutex_};
    return !closed_ && held_.bytes.size() >= full_bytes;
  }

  /// Returns all bytes that have arrived. Called by the actor.
  [[nodiscard]] arrived drain() {
    const std::lock_guard guard{mutex_};
    woken_ = false;
    return std::exchange(held_, {});
  }
  /// Ends the answer: its rest is not wanted.
  void close() {
    const std::lock_guard guard{mutex_};
    closed_ = true;
    held_ = {};
  }

private:
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  arrived held_;
  bool woken_ = false;
  bool closed_ = false;
};

} // namespace ringmaster::actors
