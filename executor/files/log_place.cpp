#include "executor/files/log_place.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace ringmaster::executor {

namespace {

using namespace std::chrono;

/// One day inside the years 1 to 9999, so that the date has a four-digit year in every zone.
constexpr core::time_point earliest = sys_days{year{1} / 1 / 2};
constexpr core::time_point latest = sys_days{year{9999} / 12 / 30};

constexpr milliseconds complaint_every = minutes{1};

/// After the time: for job 7, whose run has `logDateTime` 1700000000: ` [executor]-[job-7]-[1700000000] `.
constexpr std::string_view head_begin = " [executor]-[job-";
constexpr std::size_t head_bytes_max = 96;
constexpr std::string_view extension = ".log";
/// Maximum number of runs with the same id and date.
constexpr int same_ids_max = 100;

/// The run that a log names.
struct log_name {
  core::job_id job{};
  std::int64_t second = 0;
};

bool fits(const log_name& name, const core::run_identity& which) noexcept {
  const bool same_job = name.job == which.job || name.job == core::job_id{} || which.job == core::job_id{};
  return same_job && name.second == core::log_second(which);
}

/// Returns the run named in the first line; nullopt when there is none, or the log cannot be read.
std::optional<log_name> name_in(const std::string& path) {
  const file log = log_place::open(path, O_RDONLY);
  std::array<char, head_bytes_max> read{};
  const auto count = log ? ::pread(log.get(), read.data(), read.size(), 0) : -1;
  if (count <= 0)
    return std::nullopt;
  const std::string_view text{read.data(), static_cast<std::size_t>(count)};
  const auto at = text.substr(0, text.find('\n')).find(head_begin);
  std::int32_t job = 0;
  std::int64_t second = 0;
  if (at == std::string_view::npos)
    return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto after_job = std::from_chars(text.data() + at + head_begin.size(), end, job);
  if (after_job.ec != std::errc{} || !std::string_view{after_job.ptr, end}.starts_with("]-["))
    return std::nullopt;
  const auto after_second = std::from_chars(after_job.ptr + 3, end, second);
  if (after_second.ec != std::errc{} || !std::string_view{after_second.ptr, end}.starts_with("] "))
    return std::nullopt;
  return log_name{core::job_id{job}, second};
}

void append_digits(std::string& out, unsigned value, unsigned highest) {
  for (; highest > 0; highest /= 10)
    out += static_cast<char>('0' + value / highest % 10);
}

} // namespace

core::time_point system_now() { return floor<milliseconds>(system_clock::now()); }

std::string head_of(const log_options& options, const core::run_identity& which) {
  return options.zone.format(options.now()) + std::string{head_begin} + std::to_string(core::number(which.job)) + "]-["
         + std::to_string(core::log_second(which)) + "] ";
}

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
  return options_.folder + '/' + date + '/' + std::to_string(core::number(run)) + std::string{extension};
}

core::result<log_location> log_place::locate(const core::run_identity& which) const {
  const auto first = path_of(which.run, which.log_time);
  auto path = first;
  for (int before = 0;;) {
    if (::access(path.c_str(), F_OK) != 0) {
      if (errno != ENOENT && errno != ENOTDIR)
        return tl::unexpected{file_error(path, "looked for", errno)};
      return log_location{std::move(path), false};
    }
    const auto name = name_in(path);
    if (!name || fits(*name, which) || ++before >= same_ids_max)
      return log_location{std::move(path), true};
    path = first.substr(0, first.size() - extension.size()) + '.' + std::to_string(before) + std::string{extension};
  }
}

file log_place::open(const std::string& path, int flags) {
  // Other file types must not block the open or become the controlling terminal.
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
  // After a clock was set back by more than this, messages must not stay suppressed.
  if (now < until && until - now <= complaint_every.count())
    return;
  if (silent_until_ms_.compare_exchange_strong(until, now + complaint_every.count()))
    options_.complain(what);
}

} // namespace ringmaster::executor
