#include "executor/files/line_counter.hpp"

#include <deque>
#include <limits>

#include "executor/files/line_scanner.hpp"
#include "executor/files/log_reading.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::int32_t number_max = std::numeric_limits<std::int32_t>::max();

/// Starts of the last lines, the earliest first.
class last_lines {
public:
  explicit last_lines(const wanted_tail& wanted) : wanted_{wanted} {}

  void add(const log_mark& start) {
    if (wanted_.lines == 0)
      return;
    if (starts_.size() == wanted_.lines)
      starts_.pop_front();
    starts_.push_back(start);
  }

  /// Fills in the tail of a log that ends at `end`.
  void put(counted_lines& out, std::uint64_t end) {
    if (wanted_.lines == 0 || out.lines == 0)
      return;
    const auto first = std::int64_t{out.lines} - static_cast<std::int64_t>(wanted_.lines) + 1;
    out.has_tail = !starts_.empty() && (starts_.front().line <= first || starts_.front().line == 1);
    while (starts_.size() > 1 && end - starts_.front().offset > wanted_.bytes) {
      starts_.pop_front();
      out.has_tail = true;
    }
    if (out.has_tail)
      out.tail = starts_.front();
  }

private:
  wanted_tail wanted_;
  std::deque<log_mark> starts_;
};

} // namespace

tl::expected<counted_lines, int> count_lines(const file& log, const log_mark& from, std::uint64_t bytes,
                                             const wanted_tail& wanted, const std::function<core::time_point()>& now) {
  line_scanner in{log, from.offset, !from.inside};
  last_lines tail{wanted};
  auto line = from.line;
  bool inside = from.inside;
  counted_lines out{line - 1, from, {}, from.offset, true};
  auto end_offset = from.offset;
  while (line < number_max && (inside || in.offset() < bytes)) {
    const log_mark start{in.offset(), line, false};
    const auto end = in.next(0);
    if (end == line_end::unreadable)
      return tl::unexpected(in.reason());
    const bool is_open = end == line_end::none;
    if (is_open && ((!inside && in.length() == 0) || was_written_lately(log, now())))
      break;
    if (!inside)
      tail.add(start);
    out.lines = line;
    end_offset = in.offset();
    if (is_open)
      break;
    inside = false;
    out.end = {end_offset, ++line, false};
  }
  out.reached = line < number_max ? in.offset() : std::numeric_limits<std::uint64_t>::max();
  tail.put(out, end_offset);
  return out;
}

} // namespace ringmaster::executor
