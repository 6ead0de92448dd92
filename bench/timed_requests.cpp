#include "bench/timed_requests.hpp"

#include <stdexcept>
#include <utility>

namespace ringmaster::bench {

timed_requests::timed_requests(std::size_t threads, due_of due, send ask)
  : due_{std::move(due)}, ask_{std::move(ask)}, rooms_(threads) {
  for (std::size_t i = 0; i < rooms_.size(); ++i)
    rooms_[i].thread = std::thread{[this, i] { work(i); }};
}

timed_requests::~timed_requests() { join(); }

void timed_requests::join() {
  over_ = true;
  for (auto& one : rooms_)
    if (one.thread.joinable())
      one.thread.join();
}

void timed_requests::work(std::size_t index) {
  auto& one = rooms_[index];
  try {
    for (std::size_t turn = 0; !over_; ++turn) {
      const auto due = began_ + due_(index, turn);
      std::this_thread::sleep_until(due);
      if (over_)
        return;
      const bool well = ask_(index, turn);
      // The wait of a delayed request counts, too.
      one.took_ms.push_back(std::chrono::duration<double, std::milli>{steady::now() - due}.count());
      one.failed += well ? 0 : 1;
    }
  } catch (const std::runtime_error&) {
    ++one.failed;
  }
}

read_account timed_requests::finish() {
  join();
  read_account account;
  std::vector<double> all;
  for (const auto& one : rooms_) {
    account.failed += one.failed;
    all.insert(all.end(), one.took_ms.begin(), one.took_ms.end());
  }
  const std::chrono::duration<double> lasted = steady::now() - began_;
  account.per_second = static_cast<double>(all.size()) / lasted.count();
  account.ms = spread_of(all);
  return account;
}

} // namespace ringmaster::bench
