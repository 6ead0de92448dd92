#include "executor/files/log_writer.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/text/text.hpp"

namespace ringmaster::executor {

namespace {

/// Additional size for the process's lines: the end of the run and the delivery of its result.
constexpr std::uint64_t process_bytes_max = 1024 * 1024;

std::string_view base_name(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

/// Returns `[file#function]-[line]-[thread] `.
std::string text_of(const line_origin& from) {
  std::string out = "[";
  out.append(base_name(from.file));
  if (!from.function.empty())
    out.append(1, '#').append(from.function);
  if (from.line != 0)
    out.append("]-[").append(std::to_string(from.line));
  return out.append("]-[").append(from.thread).append("] ");
}

std::string with_ends(std::string_view head, std::string_view text) {
  std::string out;
  out.reserve(head.size() + text.size() + 2);
  out.append(1, '\n').append(head).append(text);
  if (!text.ends_with('\n'))
    out += '\n';
  return out;
}

} // namespace

log_writer::log_writer(std::shared_ptr<log_place> place, const core::run_identity& which, opens when)
  : place_{std::move(place)}, which_{which}, mutex_{place_->mutex_of(which.run)}, when_{when} {
  if (when_ != opens::throughout)
    return;
  const std::lock_guard lock{mutex_};
  open();
}

void log_writer::line(const line_origin& from, std::string_view text) {
  std::string head = place_->options().zone.format(place_->options().now());
  head.append(1, ' ').append(text_of(from));
  put_lines(with_ends(head, text), writes::run);
}

void log_writer::raw(std::string_view bytes) {
  if (bytes.empty())
    return;
  put_and_close(bytes, form::bytes, writes::run);
}

void log_writer::note(std::string_view text) { put_lines(with_ends({}, text), writes::process); }

core::result<void> log_writer::opened() const {
  const std::lock_guard lock{mutex_};
  if (!file_)
    return tl::unexpected{file_error(path_, "written", lost_reason_)};
  return {};
}

void log_writer::put_lines(std::string_view text, writes who) {
  put_and_close(text, form::lines, who);
}

void log_writer::put_and_close(std::string_view text, form how, writes who) {
  const std::lock_guard lock{mutex_};
  put(text, how, who);
  if (when_ == opens::for_each_write)
    file_ = file{};
}

void log_writer::put(std::string_view text, form how, writes who) {
  if (who == writes::run && stopped_)
    return;
  if ((!file_ && !open()) || (lost_ > 0 && !say_what_was_lost())) {
    lose(text.size() - (how == form::lines && !mid_line_ ? 1 : 0), lost_reason_);
    return;
  }
  if (how == form::lines && !mid_line_)
    text.remove_prefix(1);
  const auto bytes_max = place_->options().bytes_max;
  if (who == writes::run && bytes_ + text.size() > bytes_max)
    stop(text);
  else if (bytes_ + text.size() <= bytes_max + process_bytes_max)
    write(text);
}

bool log_writer::open() {
  if (path_.empty()) {
    auto found = place_->locate(which_);
    path_ = found ? std::move(found->path) : place_->path_of(which_.run, which_.log_time);
  }
  file_ = log_place::open(path_, O_RDWR | O_APPEND | O_CREAT);
  struct stat status {};
  if (!file_ || ::fstat(file_.get(), &status) != 0) {
    lose(0, errno);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    file_ = file{};
    lose(0, EINVAL);
    return false;
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  char last = '\n';
  mid_line_ = bytes_ > 0 && ::pread(file_.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
  return true;
}

bool log_writer::say_what_was_lost() {
  const auto text = with_ends({}, "[" + std::to_string(lost_) + " bytes of this log could not be written: "
                                    + std::generic_category().message(lost_reason_) + "]");
  // Losing a part of this line itself is not counted.
  const auto lost = std::exchange(lost_, 0);
  if (write(std::string_view{text}.substr(mid_line_ ? 0 : 1)))
    return true;
  lost_ = lost;
  return false;
}

void log_writer::stop(std::string_view last) {
  const auto bytes_max = place_->options().bytes_max;
  if (bytes_ < bytes_max)
    write(core::cut_bytes(last, bytes_max - bytes_));
  const auto text = with_ends(
    {}, "[The log ends here: the limit is " + std::to_string(bytes_max) + " bytes. Further output of this run is dropped.]");
  stopped_ = write(std::string_view{text}.substr(mid_line_ ? 0 : 1)) || stopped_;
}

bool log_writer::write(std::string_view text) {
  const auto done = write_all(file_, text);
  bytes_ += done.bytes;
  if (done.bytes > 0)
    mid_line_ = text[done.bytes - 1] != '\n';
  if (done.reason != 0)
    lose(text.size() - done.bytes, done.reason);
  return done.reason == 0;
}

void log_writer::lose(std::size_t bytes, int reason) {
  lost_ += bytes;
  lost_reason_ = reason;
  place_->complain(file_error(path_, "written", reason).context + "; log lines of runs are lost");
}

} // namespace ringmaster::executor
