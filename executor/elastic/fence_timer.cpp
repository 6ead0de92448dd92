#include "executor/elastic/fence_timer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "executor/elastic/stop_request.hpp"

namespace ringmaster::executor::elastic {

namespace {

void ring_bell(const file& bell) noexcept {
  const std::uint64_t one = 1;
  (void)!::write(bell.get(), &one, sizeof one);
}

void read_away(const file& from) noexcept {
  std::uint64_t count = 0;
  (void)!::read(from.get(), &count, sizeof count);
}

} // namespace

core::result<std::unique_ptr<fence_timer>>
fence_timer::start(std::shared_ptr<fence_board> board, std::shared_ptr<actors::body_threads> threads,
                   std::function<void(std::vector<core::elastic::item_run_id>)> on_end) {
  file alarm{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)};
  file bell{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!alarm || !bell)
    return core::fail(core::errc::unavailable,
                      "no timer for leases of elastic jobs: " + std::generic_category().message(errno));
  try {
    return std::unique_ptr<fence_timer>{
      new fence_timer{std::move(board), std::move(threads), std::move(on_end), std::move(alarm), std::move(bell)}};
  } catch (const std::system_error& thrown) {
    return core::fail(core::errc::unavailable, std::string{"no thread for leases of elastic jobs: "} + thrown.what());
  }
}

fence_timer::fence_timer(std::shared_ptr<fence_board> board, std::shared_ptr<actors::body_threads> threads,
                         std::function<void(std::vector<core::elastic::item_run_id>)> on_end, file alarm, file bell)
  : board_{std::move(board)},
    threads_{std::move(threads)},
    on_end_{std::move(on_end)},
    alarm_{std::move(alarm)},
    bell_{std::make_shared<const file>(std::move(bell))},
    thread_{[this] { live(); }} {
  board_->set_wake([bell = bell_] { ring_bell(*bell); });
  ring(); // a run may have been opened before
}

fence_timer::~fence_timer() {
  board_->set_wake(nullptr);
  ending_ = true;
  ring();
  thread_.join();
}

void fence_timer::ring() const noexcept { ring_bell(*bell_); }

void fence_timer::live() {
  while (!ending_) {
    enforce();
    arm();
    std::array<pollfd, 2> watched{{{alarm_.get(), POLLIN, 0}, {bell_->get(), POLLIN, 0}}};
    (void)::poll(watched.data(), watched.size(), -1);
    read_away(alarm_);
    read_away(*bell_);
  }
}

void fence_timer::enforce() {
  const auto due = board_->end_due();
  if (due.empty())
    return;
  std::vector<core::elastic::item_run_id> runs;
  for (const auto& control : due)
    runs.push_back(control->run());
  on_end_(std::move(runs));
  // Last: without a thread, the stop callbacks of bodies run here, and may block.
  for (const auto& control : due)
    request_stop(control, stop_way::at_once, *threads_);
}

void fence_timer::arm() {
  using std::chrono::seconds;
  itimerspec when{};
  if (const auto end = board_->next_end()) {
    // An end in the past fires at once; zero would disarm the timer.
    const auto at = std::max(*end, boot_time{1});
    const auto whole = std::chrono::floor<seconds>(at);
    when.it_value.tv_sec = static_cast<time_t>(whole.count());
    when.it_value.tv_nsec = static_cast<long>((at - whole).count());
  }
  ::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

} // namespace ringmaster::executor::elastic
