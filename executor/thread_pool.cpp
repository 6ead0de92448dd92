#include "executor/thread_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ringmaster::executor {

/// Outlives the pool while a thread of it works.
struct thread_pool::shared {
  struct idle_thread {
    std::condition_variable woken;
    std::function<void()> work;
  };

  explicit shared(std::size_t most_threads) : most{most_threads} {}

  void run(std::function<void()> work);
  /// Waits for more; nothing: the thread may end.
  [[nodiscard]] std::function<void()> next(idle_thread& self);
  void end_thread();

  const std::size_t most;
  std::mutex guard;
  std::condition_variable all_idle;
  std::vector<idle_thread*> idle;
  std::size_t threads = 0;
  std::size_t busy = 0;
  bool closing = false;
};

void thread_pool::shared::run(std::function<void()> work) {
  idle_thread self;
  while (work) {
    work();
    work = nullptr; // what it holds is let go before the thread waits
    work = next(self);
  }
  end_thread();
}

std::function<void()> thread_pool::shared::next(idle_thread& self) {
  std::unique_lock lock{guard};
  if (--busy == 0)
    all_idle.notify_all();
  if (closing)
    return nullptr;
  idle.push_back(&self);
  (void)self.woken.wait_for(lock, idle_limit, [&] { return closing || self.work; });
  if (!self.work)
    idle.erase(std::remove(idle.begin(), idle.end(), &self), idle.end());
  return std::exchange(self.work, nullptr);
}

void thread_pool::shared::end_thread() {
  const std::scoped_lock lock{guard};
  --threads;
}

thread_pool::thread_pool(std::size_t most) : shared_{std::make_shared<shared>(most)} {}

thread_pool::~thread_pool() { close(); }

void thread_pool::close() {
  const std::scoped_lock lock{shared_->guard};
  shared_->closing = true;
  for (auto* one : shared_->idle)
    one->woken.notify_one();
}

bool thread_pool::start(std::function<void()> work) {
  auto& pool = *shared_;
  {
    const std::scoped_lock lock{pool.guard};
    if (pool.closing)
      return false;
    if (!pool.idle.empty()) {
      auto* one = pool.idle.back();
      pool.idle.pop_back();
      one->work = std::move(work);
      one->woken.notify_one();
      ++pool.busy;
      return true;
    }
    if (pool.threads >= pool.most)
      return false;
    ++pool.threads;
    ++pool.busy;
  }
  try {
    std::thread{[pool = shared_, work = std::move(work)]() mutable { pool->run(std::move(work)); }}.detach();
    return true;
  } catch (const std::system_error&) {
    const std::scoped_lock lock{pool.guard};
    --pool.threads;
    --pool.busy;
    return false;
  }
}

bool thread_pool::wait_until_idle(std::chrono::milliseconds limit) const {
  std::unique_lock lock{shared_->guard};
  return shared_->all_idle.wait_for(lock, limit, [this] { return shared_->busy == 0; });
}

std::size_t thread_pool::size() const {
  const std::scoped_lock lock{shared_->guard};
  return shared_->threads;
}

} // namespace ringmaster::executor
