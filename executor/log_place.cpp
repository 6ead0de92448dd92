#include "executor/log_place.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <limits>

#include <fcntl.h>

namespace ringmaster::executor {

namespace {

using namespace std::chrono;

/// A day away from the ends of what four digits hold, so that every zone's date has four.
constexpr core::time_point earliest = sys_days{year{1} / 1 / 2};
constexpr core::time_point latest = sys_days{year{9999} / 12 / 30};

constexpr milliseconds complaint_every = minutes{1};

void append_digits(std::string& out, unsigned value, unsigned highest) {
  for (; highest > 0; highest /= 10)
    out += static_cast<char>('0' + value / highest % 10);
}

} // namespace

core::time_point system_now() { return floor<milliseconds>(system_clock::now()); }

std::string date_text(year_month_day date) {
  std::string out;
  append_digits(out, static_cast<unsigned>(static_cast<int>(date.year())), 1000);
  out += '-';
  append_digits(out, static_cast<unsigned>(date.month()), 10);
  out += '-';
  append_digits(out, static_cast<unsigned>(date.day()), 10);
  return out;
}

year_month_day local_date(const core::zone& zone, core::time_point t) {
  return year_month_day{floor<days>(zone.to_local(std::clamp(t, earliest, latest)))};
}

std::string log_place::path_of(core::log_id run, core::time_point log_time) const {
  const auto date = date_text(local_date(options_.zone, log_time));
  return options_.folder + '/' + date + '/' + std::to_string(core::number(run)) + ".log";
}

file log_place::open(const std::string& path, int flags) {
  // What is no file must neither be waited for nor become ours.
  flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
  file opened{::open(path.c_str(), flags, 0640)};
  if (opened || errno != ENOENT || (flags & O_CREAT) == 0)
    return opened;
  if (const int reason = make_folders(path.substr(0, path.rfind('/')))) {
    errno = reason;
    return opened;
  }
  return file{::open(path.c_str(), flags, 0640)};
}

std::mutex& log_place::mutex_of(core::log_id run) noexcept {
  return mutexes_[static_cast<std::uint64_t>(core::number(run)) % mutexes_.size()];
}

void log_place::complain(const std::string& what) {
  const auto now = core::to_ms(options_.now());
  auto until = silent_until_ms_.load(std::memory_order_relaxed);
  // A clock that was put back by more than that must not silence us.
  if (now < until && until - now <= complaint_every.count())
    return;
  if (silent_until_ms_.compare_exchange_strong(until, now + complaint_every.count()))
    options_.complain(what);
}

} // namespace ringmaster::executor
