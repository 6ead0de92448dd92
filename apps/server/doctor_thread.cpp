#include "apps/server/doctor_thread.hpp"

#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace ringmaster::apps {

bool doctor_thread::start(taker take) {
  if (stopping_)
    return false; // `stop` holds the lock until the thread has ended
  const std::lock_guard lock{guard_};
  if (stopping_ || busy_)
    return false;
  if (thread_.joinable())
    thread_.join(); // it has ended, or is about to
  busy_ = true;
  try {
    thread_ = std::thread{[this, take = std::move(take)] {
      run(take);
      busy_ = false;
    }};
  } catch (const std::system_error&) { // too many threads
    busy_ = false;
  }
  return busy_ || thread_.joinable();
}

// An exception, for lack of memory, must not end the process: it becomes a finding.
void doctor_thread::run(const taker& take) {
  const auto pass_on = [this, &take](std::vector<core::finding>&& found) { return take(std::move(found), false) && !stopping_; };
  std::vector<core::finding> last;
  try {
    auto what = *what_->present();
    what.settings.server.listen = address_;
    checks_(what, pass_on);
  } catch (const std::exception& failure) {
    last.push_back({core::finding::level::failure, "doctor", std::string{"a check failed: "} + failure.what()});
  }
  take(std::move(last), true);
}

void doctor_thread::stop() {
  stopping_ = true;
  const std::lock_guard lock{guard_};
  if (thread_.joinable())
    thread_.join();
}

} // namespace ringmaster::apps
