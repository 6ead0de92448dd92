#pragma once

// The one way from other threads onto the io thread.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ringmaster::gateway::http {

/// Collects items from any thread for one consumer on the io thread. The consumer is woken once per batch, not once per item. May
/// outlive its consumer: after `close` it takes nothing more.
template <class Item>
class inbox {
public:
  /// `wake` must arrange for the consumer to call `take` on thread `io`; called with the lock held.
  inbox(std::thread::id io, std::function<void()> wake) : io_(io), wake_(std::move(wake)) {}

  /// Items may be handed to the consumer directly on this thread.
  [[nodiscard]] bool on_io_thread() const noexcept { return std::this_thread::get_id() == io_; }

  /// Moves from `item` only when it was taken; false after `close`.
  [[nodiscard]] bool post(Item& item) {
    std::lock_guard guard{mutex_};
    if (closed_)
      return false;
    // First, because it may throw: then nothing was taken, and the next item wakes.
    if (!woken_)
      wake_();
    woken_ = true;
    items_.push_back(std::move(item));
    came_.notify_one();
    return true;
  }

  /// Waits on the io thread for an item, but no longer than `most`.
  void wait_for_item(std::chrono::microseconds most) {
    std::unique_lock guard{mutex_};
    came_.wait_for(guard, most, [this] { return !items_.empty() || closed_; });
  }

  /// Swaps what has gathered with the empty `into`, so that both buffers are used again and again.
  void take(std::vector<Item>& into) {
    std::lock_guard guard{mutex_};
    woken_ = false;
    items_.swap(into);
  }

  /// The last items; nothing is taken any more.
  [[nodiscard]] std::vector<Item> close() {
    std::lock_guard guard{mutex_};
    closed_ = true;
    return std::exchange(items_, {});
  }

private:
  const std::thread::id io_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Item> items_;
  bool woken_ = false;
  bool closed_ = false;
};

} // namespace ringmaster::gateway::http
