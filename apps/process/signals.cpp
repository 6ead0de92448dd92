#include "apps/process/signals.hpp"

#include <csignal>
#include <ctime>

#include <pthread.h>
#include <unistd.h>

namespace ringmaster::apps {

namespace {

sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&set, number);
  return set;
}

} // namespace

void block_signals() {
  auto set = awaited();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

std::optional<signal_event> wait_for_signal(std::chrono::milliseconds limit) {
  auto set = awaited();
  timespec wait{static_cast<time_t>(limit.count() / 1000), static_cast<long>(limit.count() % 1000) * 1'000'000};
  int number = sigtimedwait(&set, nullptr, &wait);
  if (number < 0)
    return std::nullopt;
  return number == SIGHUP ? signal_event::reload : signal_event::stop;
}

void ask_to_stop() { kill(getpid(), SIGTERM); }

} // namespace ringmaster::apps
