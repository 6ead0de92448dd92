#include "actors/console/spool_file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace ringmaster::actors {

namespace {

constexpr std::int32_t lines_between_marks = 1000;
/// Lines may be long.
constexpr std::uint64_t bytes_between_marks = 256 * 1024;
/// With more marks every second one is removed: half a MiB for a log of any length.
constexpr std::size_t marks_max = 32 * 1024;
constexpr std::size_t scanned_bytes = 64 * 1024;

} // namespace

core::result<std::unique_ptr<spool_file>> spool_file::create(std::string path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const int reason = errno;
  std::unique_ptr<spool_file> made{new spool_file{std::move(path), descriptor}};
  if (descriptor < 0)
    return tl::unexpected{made->failed("created", reason)};
  return made;
}

spool_file::~spool_file() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

core::error spool_file::failed(std::string_view what, int reason) const {
  return {core::errc::unavailable, path_ + " cannot be " + std::string{what} + ": " + std::generic_category().message(reason)};
}

core::result<void> spool_file::append(std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(end_.bytes + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      const int reason = n < 0 ? errno : ENOSPC;
      // The bytes after the end do not count, whether this succeeds or not.
      [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, static_cast<off_t>(end_.bytes));
      return tl::unexpected{failed("written", reason)};
    }
    done += static_cast<std::size_t>(n);
  }
  count_lines(text);
  return {};
}

void spool_file::count_lines(std::string_view text) {
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    end_.whole_bytes = end_.bytes + at + 1;
    ++end_.whole_lines;
    const auto& last = marks_.back();
    if (end_.whole_lines + 1 - last.line < lines_between_marks && end_.whole_bytes - last.offset < bytes_between_marks)
      continue;
    if (marks_.size() == marks_max) {
      std::size_t at_mark = 0;
      std::erase_if(marks_, [&at_mark](const mark&) { return at_mark++ % 2 != 0; });
    }
    marks_.push_back({end_.whole_lines + 1, end_.whole_bytes});
  }
  end_.bytes += text.size();
}

core::result<void> spool_file::return_to(const position& place) {
  end_ = place;
  while (marks_.back().offset > place.whole_bytes)
    marks_.pop_back();
  if (::ftruncate(descriptor_, static_cast<off_t>(place.bytes)) != 0)
    return tl::unexpected{failed("cut", errno)};
  return {};
}

core::result<std::string> spool_file::read(std::uint64_t from, std::size_t bytes) const {
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, end_.bytes - std::min(from, end_.bytes))), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(from + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return tl::unexpected{failed("read", n < 0 ? errno : EIO)};
    done += static_cast<std::size_t>(n);
  }
  return text;
}

core::result<std::uint64_t> spool_file::offset_of(std::int32_t line) const {
  if (line > end_.whole_lines)
    return line == end_.whole_lines + 1 ? end_.whole_bytes : end_.bytes;
  auto mark_at = std::upper_bound(marks_.begin(), marks_.end(), line, [](std::int32_t wanted, const mark& each) {
    return wanted < each.line;
  });
  if (mark_at != marks_.begin())
    --mark_at;
  auto offset = mark_at->offset;
  for (auto left = line - mark_at->line; left > 0;) {
    const auto block = read(offset, scanned_bytes);
    if (!block)
      return tl::unexpected{block.error()};
    std::size_t at = 0;
    for (auto end = block->find('\n'); end != std::string::npos && left > 0; end = block->find('\n', at), --left)
      at = end + 1;
    if (block->empty())
      break;
    offset += left > 0 ? block->size() : at;
  }
  return offset;
}

core::result<spooled_piece> spool_file::piece(std::int32_t from_line, const core::piece_limits& limits, bool whole_lines) const {
  const auto lines_shown = whole_lines ? end_.whole_lines : lines();
  const auto bytes = whole_lines ? end_.whole_bytes : end_.bytes;
  from_line = std::max(from_line, 1);
  if (limits.tail && lines_shown > 0)
    return tail(limits, lines_shown, bytes);
  if (limits.tail || from_line > lines_shown)
    return spooled_piece{.from_line = limits.tail ? 1 : from_line, .to_line = lines_shown};
  return offset_of(from_line).and_then(
    [&](std::uint64_t offset) { return piece_at(offset, from_line, limits, lines_shown, bytes); });
}

core::result<spooled_piece> spool_file::piece_at(std::uint64_t offset, std::int32_t from_line, const core::piece_limits& limits,
                                                 std::int32_t lines_shown, std::uint64_t bytes) const {
  // A byte more shows that a last line is longer than the limit.
  auto text = read(offset, static_cast<std::size_t>(std::min<std::uint64_t>(limits.bytes + 1, bytes - offset)));
  if (!text)
    return tl::unexpected{text.error()};
  const auto piece = core::piece_of(*text, from_line, from_line, {limits.lines, limits.bytes, {}});
  return spooled_piece{from_line, piece.to_line, std::string{piece.content}, piece.to_line < lines_shown, piece.cut};
}

core::result<spooled_piece> spool_file::tail(const core::piece_limits& limits, std::int32_t lines_shown,
                                             std::uint64_t bytes) const {
  const auto from_line = std::max(1, lines_shown - std::min(*limits.tail, limits.lines) + 1);
  const auto offset = offset_of(from_line);
  if (!offset)
    return tl::unexpected{offset.error()};
  if (bytes - *offset <= limits.bytes)
    return piece_at(*offset, from_line, limits, lines_shown, bytes);
  auto text = read(bytes - limits.bytes, limits.bytes);
  if (!text)
    return tl::unexpected{text.error()};
  // The text begins inside a line, which is left out.
  text->erase(0, std::min(text->find('\n'), text->size() - 1) + 1);
  if (!text->empty())
    return spooled_piece{lines_shown - core::count_lines(*text) + 1, lines_shown, std::move(*text)};
  return offset_of(lines_shown).and_then([&](std::uint64_t last) {
    return piece_at(last, lines_shown, limits, lines_shown, bytes);
  });
}

} // namespace ringmaster::actors
