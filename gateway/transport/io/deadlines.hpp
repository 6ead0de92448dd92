#pragma once

// Time limits without a timer object for each: moving a limit is one store, because traffic moves limits with every request. One
// timer wakes for the earliest limit; everything here belongs to the io thread.

#include <chrono>
#include <functional>
#include <vector>

namespace ringmaster::gateway::http {

class deadlines;

/// One time limit; its owner derives from it. Linked from construction to destruction.
class deadline {
public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::time_point never = clock::time_point::max();

  explicit deadline(deadlines& list) noexcept;
  virtual ~deadline();
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;

  void expire_at(clock::time_point when);
  void expire_after(clock::duration wait) { expire_at(clock::now() + wait); }
  void expire_never() noexcept { when_ = never; }

private:
  friend class deadlines;
  /// Called when the limit has passed; it is now `never`. May destroy this and other limits.
  virtual void expired() = 0;

  deadlines& list_;
  deadline* previous_ = nullptr;
  deadline* next_ = nullptr;
  clock::time_point when_ = never;
};

/// List of limits that one timer serves. A limit fires at most 5 ms late, so that thousands of them cost one sweep.
class deadlines {
public:
  using clock = deadline::clock;

  /// `wake_at` sets the one timer, replacing its previous time; the timer then calls `sweep`.
  explicit deadlines(std::function<void(clock::time_point)> wake_at) : wake_at_(std::move(wake_at)) {}
  deadlines(const deadlines&) = delete;
  deadlines& operator=(const deadlines&) = delete;

  /// Calls `expired` for each limit that has passed at `now`.
  void sweep(clock::time_point now);

private:
  friend class deadline;
  void link(deadline& item) noexcept;
  void unlink(deadline& item) noexcept;
  void arm(clock::time_point when);

  std::function<void(clock::time_point)> wake_at_;
  deadline* first_ = nullptr;
  clock::time_point armed_ = deadline::never;
  clock::time_point swept_ = clock::time_point::min();
  /// Limits that expire in the running sweep; null for a limit that was destroyed meanwhile.
  std::vector<deadline*> due_;
};

} // namespace ringmaster::gateway::http
