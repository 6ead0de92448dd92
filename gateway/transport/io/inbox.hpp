#pragma once

// Queue from other threads to the io thread, the only one.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ringmaster::gateway::http {

/// Queue of items from any thread for one consumer on the io thread. The consumer is woken once per batch, not once per item. May
/// outlive its consumer: after `close` it accepts nothing more.
template <class Item>
class inbox {
public:
  /// `wake` must arrange for the consumer to call `take` on thread `io`; called with the lock held.
  inbox(std::thread::id io, std::function<void()> wake) : io_(io), wake_(std::move(wake)) {}

  /// Returns true on the io thread, where items may be handed to the consumer directly.
  [[nodiscard]] bool on_io_thread() const noexcept { return std::this_thread::get_id() == io_; }

  /// Posts `item` and moves from it only when it is accepted; returns false after `close`.
  [[nodiscard]] bool post(Item& item) {
    std::lock_guard guard{mutex_};
    if (closed_)
      return false;
    // Wakes first, because it may throw: then no item was accepted, and the next item wakes.
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

  /// Swaps the gathered items with the empty `into`, so that both buffers are reused.
  void take(std::vector<Item>& into) {
    std::lock_guard guard{mutex_};
    woken_ = false;
    items_.swap(into);
  }

  /// Returns the last items; later ones are refused.
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
