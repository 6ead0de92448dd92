#include "executor/host/thread_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ringmaster::executor {

namespace {

void join(std::list<std::thread>& threads) {
  for (auto& each : threads)
    each.join();
}

} // namespace

/// State shared with the threads; outlives the pool while a thread works.
///
/// Waking a thread costs more than a short body, and a thread that ends such a body is awake anyway. So at most one thread at a
/// time is on its way to waiting work; a thread that takes work while more waits wakes the next one. Invariant: every waiting
/// item has a thread, idle or on its way, that will take it even if no other work ever ends.
struct thread_pool::shared {
  struct idle_thread {
    std::condition_variable woken;
    bool is_called = false;
  };
  using idle_ptr = std::shared_ptr<idle_thread>;
  using handles = std::list<std::thread>;

  /// The next work of a thread, and the thread to wake before it.
  struct step {
    std::function<void()> work;
    idle_ptr called;
  };

  explicit shared(std::size_t most_threads) : most{most_threads} {}

  [[nodiscard]] bool start(const std::shared_ptr<shared>& me, std::function<void()>&& work);
  void run(handles::iterator self);
  /// Waits for every thread to end if all work ended; otherwise leaves the busy ones to themselves.
  void release_threads();
  /// Waits for work and returns it; without work the thread ends.
  [[nodiscard]] step next(std::unique_lock<std::mutex>& lock, const idle_ptr& self, bool on_its_way);
  /// Returns the thread to wake, or null if one is already on its way. Notify it after releasing the lock.
  [[nodiscard]] idle_ptr call_one();

  const std::size_t most;
  std::mutex guard;
  std::condition_variable all_done;
  std::condition_variable all_ended;
  std::deque<std::function<void()>> waiting;
  std::vector<idle_ptr> idle;
  handles threads;
  /// Threads that only have to be joined.
  handles ended;
  std::size_t on_their_way = 0;
  /// Work that waits or runs.
  std::size_t open = 0;
  bool closing = false;
};

bool thread_pool::shared::start(const std::shared_ptr<shared>& me, std::function<void()>&& work) {
  handles to_join;
  std::unique_lock lock{guard};
  if (closing || open >= most)
    return false;
  if (idle.size() + on_their_way <= waiting.size()) {
    const auto self = threads.emplace(threads.end());
    try {
      *self = std::thread{[me, self] { me->run(self); }};
    } catch (const std::system_error&) {
      threads.erase(self);
      return false;
    }
    to_join.swap(ended);
    ++on_their_way;
  }
  waiting.push_back(std::move(work));
  ++open;
  const auto called = call_one();
  lock.unlock();
  if (called)
    called->woken.notify_one();
  join(to_join);
  return true;
}

thread_pool::shared::idle_ptr thread_pool::shared::call_one() {
  if (on_their_way > 0)
    return nullptr;
  auto one = std::move(idle.back());
  idle.pop_back();
  ++on_their_way;
  one->is_called = true;
  return one;
}

void thread_pool::shared::run(handles::iterator self) {
  const auto seat = std::make_shared<idle_thread>();
  std::unique_lock lock{guard};
  for (auto now = next(lock, seat, true); now.work; now = next(lock, seat, false)) {
    lock.unlock();
    if (now.called)
      now.called->woken.notify_one();
    now.work();
    now.work = nullptr; // destroyed before its end is signalled
    lock.lock();
    if (--open == 0)
      all_done.notify_all();
  }
  ended.splice(ended.end(), threads, self);
  if (threads.empty())
    all_ended.notify_all();
}

// Data that a library keeps for a thread is released when the thread ends: before the end of the process only if it is joined.
void thread_pool::shared::release_threads() {
  std::unique_lock lock{guard};
  all_ended.wait(lock, [this] { return threads.empty() || open > 0; });
  for (auto& busy : threads)
    busy.detach();
  handles to_join;
  to_join.swap(ended);
  lock.unlock();
  join(to_join);
}

thread_pool::shared::step thread_pool::shared::next(std::unique_lock<std::mutex>& lock, const idle_ptr& self, bool on_its_way) {
  for (;;) {
    on_their_way -= on_its_way ? 1 : 0;
    if (!waiting.empty()) {
      step found{std::move(waiting.front()), nullptr};
      waiting.pop_front();
      if (!waiting.empty())
        found.called = call_one();
      return found;
    }
    if (closing)
      return {};
    self->is_called = false;
    idle.push_back(self);
    on_its_way = self->woken.wait_for(lock, idle_limit, [&] { return closing || self->is_called; }) && self->is_called;
    if (!on_its_way)
      idle.erase(std::find(idle.begin(), idle.end(), self));
    if (!on_its_way && waiting.empty())
      return {};
  }
}

thread_pool::thread_pool(std::size_t most) : shared_{std::make_shared<shared>(most)} {}

thread_pool::~thread_pool() {
  close();
  shared_->release_threads();
}

void thread_pool::close() {
  const std::scoped_lock lock{shared_->guard};
  shared_->closing = true;
  for (const auto& one : shared_->idle)
    one->woken.notify_one();
}

bool thread_pool::start(std::function<void()> work) { return shared_->start(shared_, std::move(work)); }

bool thread_pool::wait_until_idle(std::chrono::milliseconds limit) const {
  std::unique_lock lock{shared_->guard};
  return shared_->all_done.wait_for(lock, limit, [this] { return shared_->open == 0; });
}

std::size_t thread_pool::size() const {
  const std::scoped_lock lock{shared_->guard};
  return shared_->threads.size();
}

} // namespace ringmaster::executor
