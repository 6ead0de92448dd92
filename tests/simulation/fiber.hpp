#pragma once

// Work that can be suspended in the middle of a call and resumed later: an actor waits inside a store call while time and the
// other actors continue.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <ucontext.h>

namespace ringmaster::simulation {

/// One stack. Used by `fiber_pool` alone.
struct fiber {
  explicit fiber(std::size_t stack_bytes) : stack(new char[stack_bytes]), size{stack_bytes} {}
  std::unique_ptr<char[]> stack;
  std::size_t size;
  ucontext_t context{};
  std::function<void()> work;
  bool finished = true;
  /// AddressSanitizer's data for a stack that is not running.
  void* shadow = nullptr;
};

/// Fibers of one thread. Stacks are reused.
class fiber_pool {
public:
  fiber_pool() = default;
  fiber_pool(const fiber_pool&) = delete;
  fiber_pool& operator=(const fiber_pool&) = delete;

  /// Runs `work` until it ends or is suspended; returns the fiber in the second case, to be given to `resume`.
  fiber* run(std::function<void()> work);

  /// Resumes the fiber. Returns true when it has ended; then it must not be used any more.
  bool resume(fiber* one);

  /// Suspends the running work. Called from inside it.
  void suspend();

  /// Returns the running fiber; null outside of any.
  [[nodiscard]] fiber* current() const noexcept { return current_; }

private:
  static void enter(unsigned high, unsigned low);
  void switch_to(fiber& one);
  void leave(fiber& one, bool for_good);

  std::vector<std::unique_ptr<fiber>> all_;
  std::vector<fiber*> free_;
  fiber* current_ = nullptr;
  ucontext_t main_{};
  void* main_shadow_ = nullptr;
  const void* main_stack_ = nullptr;
  std::size_t main_size_ = 0;
};

} // namespace ringmaster::simulation
