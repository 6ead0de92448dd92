#include "executor/files/log_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

core::result<core::log_lines> log_files::read(const core::run_identity& which, std::int32_t from_line,
                                              const std::optional<core::log_bounds>& bounds) {
  const auto found = find(which);
  if (!found)
    return tl::unexpected(found.error());
  const auto& path = found->path;
  const file log = log_place::open(path, O_RDONLY);
  if (!found->is_there || (!log && (errno == ENOENT || errno == ENOTDIR)))
    return core::log_lines{from_line, 0, std::string{no_file_text}, true,
                           bounds ? std::optional{core::log_size{}} : std::nullopt};
  struct stat status {};
  if (!log || ::fstat(log.get(), &status) != 0)
    return tl::unexpected(file_error(path, "read", errno));
  if (!S_ISREG(status.st_mode))
    return tl::unexpected(file_error(path, "read", EINVAL));

  const auto first = std::max(from_line, 1);
  const auto id = place_in(which.run, status);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bounds) {
    auto lines = read_bounded(log, id, bytes, from_line, *bounds);
    return lines ? core::result<core::log_lines>{std::move(*lines)} : tl::unexpected(file_error(path, "read", lines.error()));
  }
  auto part = read_lines(log, id, marks_.before(id, first, bytes), first);
  if (!part)
    return tl::unexpected(file_error(path, "read", part.error()));
  return core::log_lines{from_line, part->to_line, std::move(part->text), false};
}

tl::expected<core::log_lines, int> log_files::read_bounded(const file& log, const log_identity& id, std::uint64_t bytes,
                                                           std::int32_t from_line, const core::log_bounds& bounds) {
  const auto bytes_max = static_cast<std::uint64_t>(std::max(bounds.bytes, 1));
  const wanted_tail wanted{static_cast<std::size_t>(std::max(bounds.tail.value_or(0), 0)), bytes_max};
  const auto counted = count(log, id, bytes, wanted);
  if (!counted)
    return tl::unexpected(counted.error());
  const bool is_counted = counted->reached >= bytes;
  if (wanted.lines > 0 && !is_counted)
    return core::log_lines{from_line, 0, {}, false, core::log_size{counted->lines, static_cast<std::int64_t>(bytes), false}};
  const bool has_tail = wanted.lines > 0 && counted->lines > 0;
  const auto first = has_tail ? counted->tail.line : std::max(from_line, 1);
  auto part = read_lines(log, id, has_tail ? counted->tail : marks_.before(id, first, bytes), first, bytes_max);
  if (!part)
    return tl::unexpected(part.error());
  // The file may have grown since its lines were counted.
  const core::log_size size{std::max(counted->lines, part->to_line),
                            static_cast<std::int64_t>(std::max(bytes, part->next.offset)), is_counted};
  return core::log_lines{has_tail ? first : from_line, part->to_line, std::move(part->text), false, size};
}

// A reader that has given up asks again: the next search for the same line begins at the last mark.
tl::expected<log_part, int> log_files::read_lines(const file& log, const log_identity& id, log_mark from, std::int32_t first,
                                                  std::size_t bytes_max) {
  for (;;) {
    auto part = read_part(log, from, first, place_->options().now, {bytes_max, scan_max_});
    if (!part)
      return part;
    marks_.keep(id, part->next);
    if (!part->far)
      return part;
    from = part->next;
  }
}

tl::expected<counted_lines, int> log_files::count(const file& log, const log_identity& id, std::uint64_t bytes,
                                                  const wanted_tail& wanted) {
  constexpr auto last_number = std::numeric_limits<std::int32_t>::max();
  const auto& now = place_->options().now;
  const auto from = marks_.before(id, last_number, bytes);
  auto counted = count_lines(log, from, from.offset + std::min(scan_max_, bytes - from.offset), wanted, now);
  if (!counted)
    return counted;
  const bool is_all = counted->reached >= bytes;
  marks_.keep(id, counted->end, is_all ? mark_use::end : mark_use::reading);
  if (is_all && !counted->has_tail) {
    const auto first = std::max<std::int64_t>(std::int64_t{counted->lines} - static_cast<std::int64_t>(wanted.lines) + 1, 1);
    counted = count_lines(log, marks_.before(id, static_cast<std::int32_t>(first), bytes), bytes, wanted, now);
    if (!counted)
      return counted;
    marks_.keep(id, counted->end, mark_use::end);
  }
  if (is_all)
    marks_.keep(id, counted->tail, mark_use::tail);
  return counted;
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
