#include "executor/files/log_files.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/files/log_reading.hpp"

namespace ringmaster::executor {

namespace {

/// The text that XXL-JOB's admins and their console know.
constexpr std::string_view no_file_text = "readLog fail, logFile not exists";

/// A Java admin asks with a time rounded to a second, which may be on the next day (XXL wire §2.9).
constexpr core::milliseconds rounded_up_by{500};

log_identity place_in(core::log_id run, const struct stat& status) noexcept {
  return {run, static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

} // namespace

core::result<log_location> log_files::find(const core::run_identity& which) const {
  auto found = place_->locate(which);
  if (!found || found->is_there || which.log_time <= core::time_point{})
    return found;
  auto earlier = place_->locate({which.run, which.job, which.log_time - rounded_up_by});
  return earlier && earlier->is_there ? earlier : found;
}

core::result<bool> log_files::has(const core::run_identity& which) {
  auto found = place_->locate(which);
  if (!found)
    return tl::unexpected(std::move(found.error()));
  return found->is_there;
}

core::result<core::log_lines> log_files::read(const core::run_identity& which, std::int32_t from_line) {
  const auto found = find(which);
  if (!found)
    return tl::unexpected(found.error());
  const auto& path = found->path;
  const file log = log_place::open(path, O_RDONLY);
  if (!found->is_there || (!log && (errno == ENOENT || errno == ENOTDIR)))
    return core::log_lines{from_line, 0, std::string{no_file_text}, true};
  struct stat status {};
  if (!log || ::fstat(log.get(), &status) != 0)
    return tl::unexpected(file_error(path, "read", errno));
  if (!S_ISREG(status.st_mode))
    return tl::unexpected(file_error(path, "read", EINVAL));

  const auto first = std::max(from_line, 1);
  const auto id = place_in(which.run, status);
  const auto mark = marks_.before(id, first, static_cast<std::uint64_t>(status.st_size));
  auto part = read_part(log, mark, first, place_->options().now);
  if (!part)
    return tl::unexpected(file_error(path, "read", part.error()));
  marks_.keep(id, part->next);
  return core::log_lines{from_line, part->to_line, std::move(part->text), false};
}

core::result<void> log_files::append(const core::run_identity& which, std::string_view text) {
  log_writer writer{place_, which};
  if (!text.empty())
    writer.note(text);
  return writer.opened();
}

std::unique_ptr<log_writer> log_files::writer(const core::run_identity& which, log_writer::opens when) const {
  return std::make_unique<log_writer>(place_, which, when);
}

} // namespace ringmaster::executor
