#include "executor/files/log_reading.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <sys/stat.h>

#include "core/text/text.hpp"
#include "executor/files/line_scanner.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::int32_t line_max = std::numeric_limits<std::int32_t>::max();

/// Returns the bytes of a character of valid UTF-8 in a JSON string, given one of its bytes.
constexpr std::size_t json_bytes(char c) noexcept {
  if (static_cast<unsigned char>(c) < 0x20)
    return c == '\t' ? 2 : 6;
  return c == '"' || c == '\\' ? 2 : 1;
}

/// Returns how many bytes of the text fit into `room`, and reduces it.
std::size_t fitting(std::string_view text, std::size_t& room) noexcept {
  std::size_t taken = 0;
  while (taken < text.size() && json_bytes(text[taken]) <= room)
    room -= json_bytes(text[taken++]);
  return taken;
}

/// Reads one response; single use.
class part_reader {
public:
  part_reader(const file& log, const log_mark& from, const std::function<core::time_point()>& now, const part_limits& limits)
    : log_{log},
      now_{now},
      in_{log, from.offset, !from.inside},
      begin_{from.offset},
      skip_max_{limits.skip_max},
      line_{from.line},
      inside_{from.inside},
      bytes_left_{limits.bytes} {}

  tl::expected<log_part, int> read(std::int32_t from_line) {
    if (skip_to(from_line))
      while (line_ < line_max && take_line()) {
      }
    if (in_.reason() != 0)
      return tl::unexpected(in_.reason());
    return std::move(out_);
  }

private:
  /// Returns false if the file ends before that line, or the line is too far away.
  bool skip_to(std::int32_t from_line) {
    while (line_ < from_line || inside_) {
      const auto end = in_.next(0);
      if (end != line_end::found) {
        out_.next = {in_.offset(), line_, inside_ || in_.length() > 0};
        return false;
      }
      inside_ = false;
      ++line_;
      out_.far = line_ < from_line && in_.offset() - begin_ >= skip_max_;
      if (out_.far)
        break;
    }
    out_.next = {in_.offset(), line_, false};
    return !out_.far;
  }

  /// Returns false if the response has no further line.
  bool take_line() {
    const auto end = in_.next(answer_bytes_max);
    const bool whole = in_.length() == in_.text().size();
    if (end == line_end::unreadable || (end == line_end::none && in_.length() == 0))
      return false;
    if (end == line_end::none && whole && was_written_lately(log_, now_()))
      return false;
    if (!append(whole))
      return false;
    out_.to_line = line_;
    out_.next = {in_.offset(), end == line_end::found ? line_ + 1 : line_, end == line_end::none};
    ++line_;
    return end == line_end::found;
  }

  /// Returns false if the line does not fit after the previous ones.
  bool append(bool whole) {
    constexpr std::size_t end_bytes = 2;
    const auto text = core::valid_utf8(whole ? in_.text() : core::cut_bytes(in_.text(), in_.text().size() - 1));
    auto room = room_ - std::min(room_, end_bytes);
    const auto taken = fitting(std::string_view{text}.substr(0, bytes_left_ - std::min<std::size_t>(bytes_left_, 1)), room);
    whole = whole && taken == text.size() && room_ >= end_bytes && bytes_left_ > 0;
    if (!whole && out_.to_line > 0)
      return false;
    out_.text += core::cut_bytes(text, taken);
    if (!whole)
      out_.text.append(" [cut: this line has ").append(std::to_string(in_.length())).append(" bytes]");
    out_.text += '\n';
    room_ = whole ? room : 0;
    bytes_left_ = whole ? bytes_left_ - taken - 1 : 0;
    return true;
  }

  const file& log_;
  /// Called at the end of the file, because reaching it may take long.
  const std::function<core::time_point()>& now_;
  line_scanner in_;
  const std::uint64_t begin_;
  const std::uint64_t skip_max_;
  std::int32_t line_;
  bool inside_;
  /// Room for JSON, and for bytes of the text.
  std::size_t room_ = answer_bytes_max;
  std::size_t bytes_left_;
  log_part out_;
};

} // namespace

bool was_written_lately(const file& log, core::time_point now) noexcept {
  struct stat status {};
  if (::fstat(log.get(), &status) != 0)
    return false;
  const std::int64_t written_ms = std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1000000;
  // A time far in the future comes from another clock.
  return std::abs(core::to_ms(now) - written_ms) < unfinished_for.count();
}

tl::expected<log_part, int> read_part(const file& log, const log_mark& from, std::int32_t from_line,
                                      const std::function<core::time_point()>& now, const part_limits& limits) {
  return part_reader{log, from, now, limits}.read(from_line);
}

} // namespace ringmaster::executor
