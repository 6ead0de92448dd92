#include "executor/files/line_scanner.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace ringmaster::executor {

namespace {

constexpr std::size_t buffer_bytes = 128 * 1024;

} // namespace

line_scanner::line_scanner(const file& from, std::uint64_t offset, bool at_begin)
  : from_{from}, buffer_{std::make_unique_for_overwrite<char[]>(buffer_bytes)}, buffer_at_{offset} {
  char before = 0;
  if (at_begin && offset > 0 && ::pread(from.get(), &before, 1, static_cast<off_t>(offset - 1)) == 1)
    after_return_ = before == '\r';
}

line_end line_scanner::next(std::size_t keep) {
  text_.clear();
  length_ = 0;
  for (;;) {
    if (begin_ == end_ && !fill())
      return reason_ == 0 ? line_end::none : line_end::unreadable;
    if (after_return_) {
      after_return_ = false;
      if (buffer_[begin_] == '\n') {
        ++begin_;
        continue;
      }
    }
    const auto stop = find_end();
    text_.append(buffer_.get() + begin_, std::min(stop - begin_, keep - std::min(keep, text_.size())));
    length_ += stop - begin_;
    begin_ = stop;
    if (stop == end_)
      continue;
    after_return_ = buffer_[begin_++] == '\r';
    return line_end::found;
  }
}

bool line_scanner::fill() {
  buffer_at_ += end_;
  begin_ = end_ = next_feed_ = 0;
  ssize_t count = 0;
  do
    count = ::pread(from_.get(), buffer_.get(), buffer_bytes, static_cast<off_t>(buffer_at_));
  while (count < 0 && errno == EINTR);
  reason_ = count < 0 ? errno : 0;
  end_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  return end_ > 0;
}

std::size_t line_scanner::find_end() noexcept {
  const char* data = buffer_.get();
  if (next_feed_ < begin_ || next_feed_ == 0) {
    const void* feed = std::memchr(data + begin_, '\n', end_ - begin_);
    next_feed_ = feed ? static_cast<std::size_t>(static_cast<const char*>(feed) - data) : end_;
  }
  const void* back = std::memchr(data + begin_, '\r', next_feed_ - begin_);
  return back ? static_cast<std::size_t>(static_cast<const char*>(back) - data) : next_feed_;
}

} // namespace ringmaster::executor
