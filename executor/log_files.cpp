#include "executor/log_files.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/log_reading.hpp"

namespace ringmaster::executor {

namespace {

/// What XXL's admins and their console know.
constexpr std::string_view no_file_text = "readLog fail, logFile not exists";

/// A Java admin asks with a time that it rounded to a second, which may be tomorrow (XXL wire §2.9).
constexpr core::milliseconds rounded_up_by{500};

log_identity identity_of(core::log_id run, const struct stat& status) noexcept {
  return {run, static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

} // namespace

file log_files::open_log(core::log_id run, core::time_point log_time) const {
  auto log = log_place::open(place_->path_of(run, log_time), O_RDONLY);
  if (!log && errno == ENOENT && log_time > core::time_point{})
    log = log_place::open(place_->path_of(run, log_time - rounded_up_by), O_RDONLY);
  return log;
}

core::result<bool> log_files::has(core::log_id run, core::time_point log_time) {
  const auto path = place_->path_of(run, log_time);
  if (::access(path.c_str(), F_OK) == 0)
    return true;
  if (errno != ENOENT && errno != ENOTDIR)
    return tl::unexpected(file_error(path, "looked for", errno));
  return false;
}

core::result<core::log_lines> log_files::read(core::log_id run, core::time_point log_time, std::int32_t from_line) {
  const auto path = place_->path_of(run, log_time);
  const file log = open_log(run, log_time);
  if (!log && (errno == ENOENT || errno == ENOTDIR))
    return core::log_lines{from_line, 0, std::string{no_file_text}, true};
  struct stat status {};
  if (!log || ::fstat(log.get(), &status) != 0)
    return tl::unexpected(file_error(path, "read", errno));
  if (!S_ISREG(status.st_mode))
    return tl::unexpected(file_error(path, "read", EINVAL));

  const auto first = std::max(from_line, 1);
  const auto id = identity_of(run, status);
  const auto mark = marks_.before(id, first, static_cast<std::uint64_t>(status.st_size));
  auto part = read_part(log, mark, first, place_->options().now);
  if (!part)
    return tl::unexpected(file_error(path, "read", part.error()));
  marks_.keep(id, part->next);
  return core::log_lines{from_line, part->to_line, std::move(part->text), false};
}

core::result<void> log_files::append(core::log_id run, core::time_point log_time, std::string_view text) {
  log_writer writer{place_, run, log_time};
  if (!text.empty())
    writer.note(text);
  return writer.opened();
}

std::unique_ptr<log_writer> log_files::writer(core::log_id run, core::time_point log_time, log_writer::opens when) const {
  return std::make_unique<log_writer>(place_, run, log_time, when);
}

} // namespace ringmaster::executor
