#include "executor/host/task_threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ringmaster::executor {

namespace {

using clock = sleep_awaiter::clock;

clock::time_point later_by(std::chrono::nanoseconds duration) {
  const auto now = clock::now();
  return duration > clock::time_point::max() - now ? clock::time_point::max() : now + duration;
}

} // namespace

/// State shared with the threads; outlives its owner while a thread ends.
struct task_threads::shared {
  void work();
  void count_time();
  /// Call with the lock held.
  void add(std::function<void()> next) {
    queue.push_back(std::move(next));
    more.notify_one();
  }
  [[nodiscard]] bool idle() const noexcept { return runs == 0 && busy == 0 && queue.empty(); }

  std::mutex guard;
  std::condition_variable more;
  std::condition_variable sooner;
  std::condition_variable all_idle;
  std::deque<std::function<void()>> queue;
  sleep_awaiter::places sleepers;
  std::size_t busy = 0;
  std::size_t runs = 0;
  bool closed = false;
  bool ending = false;
};

void task_threads::shared::work() {
  std::unique_lock lock{guard};
  for (;;) {
    more.wait(lock, [this] { return ending || !queue.empty(); });
    if (queue.empty())
      return;
    auto next = std::move(queue.front());
    queue.pop_front();
    ++busy;
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
    --busy;
    if (idle())
      all_idle.notify_all();
  }
}

void task_threads::shared::count_time() {
  std::unique_lock lock{guard};
  while (!ending) {
    if (sleepers.empty()) {
      sooner.wait(lock);
      continue;
    }
    const auto first = sleepers.begin();
    if (first->first > clock::now()) {
      const auto until = first->first; // the sleeper may be destroyed meanwhile
      sooner.wait_until(lock, until);
      continue;
    }
    auto* sleeper = first->second;
    sleepers.erase(first);
    sleeper->phase_ = sleep_awaiter::phase::woken;
    add(sleeper->who_);
  }
}

task_threads::task_threads(std::size_t count, std::shared_ptr<actors::body_threads> blocking)
  : shared_{std::make_shared<shared>()}, blocking_{std::move(blocking)} {
  const std::scoped_lock lock{shared_->guard};
  try {
    for (std::size_t i = 0; i < count; ++i)
      workers_.emplace_back([threads = shared_] { threads->work(); });
    timer_ = std::thread{[threads = shared_] { threads->count_time(); }};
  } catch (...) {
    shared_->ending = true;
    for (auto& each : workers_)
      each.detach();
    throw;
  }
}

// Data that a library keeps for a thread is released when the thread ends: before the end of the process only if it is joined.
task_threads::~task_threads() {
  {
    const std::scoped_lock lock{shared_->guard};
    shared_->ending = true;
    shared_->more.notify_all();
    shared_->sooner.notify_all();
  }
  timer_.join();
  for (auto& each : workers_)
    if (each.get_id() == std::this_thread::get_id())
      each.detach();
    else
      each.join();
}

bool task_threads::start(std::function<void()> work) {
  const std::scoped_lock lock{shared_->guard};
  if (shared_->closed)
    return false;
  shared_->add(std::move(work));
  return true;
}

void task_threads::resume(std::coroutine_handle<> who) {
  const std::scoped_lock lock{shared_->guard};
  shared_->add(who);
}

bool task_threads::is_one_of_them() const noexcept {
  return std::any_of(workers_.begin(), workers_.end(),
                     [self = std::this_thread::get_id()](const auto& each) { return each.get_id() == self; });
}

void task_threads::run_began() {
  const std::scoped_lock lock{shared_->guard};
  ++shared_->runs;
}

void task_threads::run_ended() {
  const std::scoped_lock lock{shared_->guard};
  --shared_->runs;
  if (shared_->idle())
    shared_->all_idle.notify_all();
}

void task_threads::close() {
  const std::scoped_lock lock{shared_->guard};
  shared_->closed = true;
}

bool task_threads::wait_until_idle(std::chrono::milliseconds limit) const {
  std::unique_lock lock{shared_->guard};
  return shared_->all_idle.wait_for(lock, limit, [this] { return shared_->idle(); });
}

// Must be the last access to the sleeper: afterwards it may resume and be destroyed.
void task_threads::add_sleeper(sleep_awaiter& sleeper) {
  const auto until = later_by(sleeper.duration_);
  const std::scoped_lock lock{shared_->guard};
  if (sleeper.phase_ == sleep_awaiter::phase::woken || sleeper.duration_ <= std::chrono::nanoseconds{0}) {
    sleeper.phase_ = sleep_awaiter::phase::woken;
    return shared_->add(sleeper.who_);
  }
  sleeper.phase_ = sleep_awaiter::phase::sleeps;
  sleeper.place_ = shared_->sleepers.emplace(until, &sleeper);
  if (sleeper.place_ == shared_->sleepers.begin())
    shared_->sooner.notify_one();
}

void task_threads::wake(sleep_awaiter& sleeper) noexcept {
  const std::scoped_lock lock{shared_->guard};
  if (std::exchange(sleeper.phase_, sleep_awaiter::phase::woken) != sleep_awaiter::phase::sleeps)
    return;
  shared_->sleepers.erase(sleeper.place_);
  shared_->add(sleeper.who_);
}

bool sleep_awaiter::await_ready() {
  if (threads_)
    return false;
  std::mutex guard;
  std::condition_variable_any woken;
  std::unique_lock lock{guard};
  (void)woken.wait_until(lock, stop_, later_by(duration_), [] { return false; }); // wakes early only for a stop
  return true;
}

void sleep_awaiter::await_suspend(std::coroutine_handle<> who) {
  who_ = who;
  // Must come first, and may fire at once: after add_sleeper the coroutine may resume on another thread before this returns.
  listening_.emplace(stop_, alarm{this});
  threads_->add_sleeper(*this);
}

// The reset waits for a stop callback that is running.
bool sleep_awaiter::await_resume() noexcept {
  listening_.reset();
  return !stop_.stop_requested();
}

void sleep_awaiter::alarm::operator()() const noexcept { sleeper->threads_->wake(*sleeper); }

bool start_blocking(task_threads& threads, std::function<void()> work) { return threads.start_blocking(std::move(work)); }

void resume_in(task_threads& threads, std::coroutine_handle<> who) { threads.resume(who); }

std::exception_ptr no_thread_left() {
  return std::make_exception_ptr(
    std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again), "no thread available for blocking code"});
}

} // namespace ringmaster::executor
