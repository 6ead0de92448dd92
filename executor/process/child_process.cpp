#include "executor/process/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "executor/process/child_supervisor.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
/// Maximum number of bytes read after the end: an outside process may still write to the pipe.
constexpr std::size_t rest_bytes_max = 1024 * 1024;

class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_{fd} {}
  descriptor(descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }

  void close() noexcept {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

  /// Moves the descriptor above those of stdin, stdout and stderr, which a host may have closed. Returns false if none was free.
  bool lift() noexcept {
    if (fd_ >= 0 && fd_ <= STDERR_FILENO)
      *this = descriptor{::fcntl(fd_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
    return fd_ >= 0;
  }

private:
  int fd_ = -1;
};

struct both_ends {
  /// One end for this process, one for the supervisor.
  descriptor ours;
  descriptor theirs;

  bool lift() noexcept { return ours.lift() && theirs.lift(); }
};

bool open_pipe(both_ends& to) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  to = {descriptor{ends[0]}, descriptor{ends[1]}};
  return to.lift() && ::fcntl(to.ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

/// Opens a packet socket: packets are never split, and each side sees the other's end.
bool open_control(both_ends& to) noexcept {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  to = {descriptor{ends[0]}, descriptor{ends[1]}};
  return to.lift();
}

std::vector<char*> pointers(const std::vector<std::string>& texts, const std::string* first = nullptr) {
  std::vector<char*> out;
  if (first)
    out.push_back(const_cast<char*>(first->c_str()));
  for (const auto& each : texts)
    out.push_back(const_cast<char*>(each.c_str()));
  out.push_back(nullptr);
  return out;
}

bool has_nul(const child_command& command) {
  const auto bad = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  return bad(command.program) || bad(command.folder) || std::any_of(command.arguments.begin(), command.arguments.end(), bad) ||
         std::any_of(command.environment.begin(), command.environment.end(), bad);
}

/// Passes output up to the limit, then a marker, then drops the rest.
class limited_sink {
public:
  limited_sink(const output_sink& to, std::uint64_t bytes_max) : to_{to}, max_{bytes_max} {}

  void put(output_stream stream, std::string_view bytes) {
    const auto passed = max_ == 0 ? bytes.size() : std::min<std::uint64_t>(bytes.size(), max_ - taken_);
    taken_ += passed;
    if (passed > 0)
      to_(stream, bytes.substr(0, passed));
    if (passed == bytes.size())
      return;
    if (std::exchange(dropped_, dropped_ + bytes.size() - passed) == 0)
      to_(stream, "\n----------- output beyond " + std::to_string(max_) + " bytes is dropped -----------\n");
  }

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  const output_sink& to_;
  std::uint64_t max_;
  std::uint64_t taken_ = 0;
  std::uint64_t dropped_ = 0;
};

class child {
public:
  child(const child_limits& limits, const output_sink& sink)
      : sink_{sink, limits.output_bytes_max}, buffer_{std::make_unique<char[]>(read_bytes)} {}
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  /// Closes the socket, so that the supervisor kills all remaining processes.
  ~child() { forget(); }

  /// Starts the program. Returns 0 or errno.
  int start(const child_command& command, const child_limits& limits, const child_lease& lease) {
    null_ = descriptor{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    if (!null_.lift() || !open_pipe(out_) || !open_pipe(err_) || !open_control(control_))
      return errno;
    const auto arguments = pointers(command.arguments, &command.program);
    const auto environment = pointers(command.environment);
    supervision what;
    what.program = command.program.c_str();
    what.arguments = arguments.data();
    what.environment = environment.data();
    what.folder = command.folder.empty() ? nullptr : command.folder.c_str();
    what.control = control_.theirs.get();
    what.in = null_.get();
    what.out = out_.theirs.get();
    what.err = err_.theirs.get();
    what.host = ::getpid();
    what.grace_ms = limits.kill_grace.count();
    what.memory_bytes_max = limits.memory_bytes_max;
    what.cpu_seconds_max = limits.cpu_seconds_max;
    what.file_bytes_max = limits.file_bytes_max;
    what.open_files = limits.open_files;
    what.lease_from = lease.from;
    what.lease_ns = lease.length.count();
    return fork_supervisor(what);
  }

  /// Process of the supervisor.
  [[nodiscard]] pid_t supervisor() const noexcept { return supervisor_; }

  /// Orders a stop. Any thread, before the supervisor was waited for; never blocks.
  void order(const char& what) const noexcept {
    ::send(control_.ours.get(), &what, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    // The program may have stopped it with SIGSTOP.
    ::kill(supervisor_, SIGCONT);
  }

  child_end watch() {
    std::array<pollfd, 3> events{};
    while (!end_) {
      events = {pollfd{control_.ours.get(), POLLIN, 0}, pollfd{out_.ours.get(), POLLIN, 0}, pollfd{err_.ours.get(), POLLIN, 0}};
      if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
        break;
      if (events[1].revents)
        read_once(out_.ours, output_stream::out);
      if (events[2].revents)
        read_once(err_.ours, output_stream::err);
      if (events[0].revents)
        read_report();
    }
    read_rest(out_.ours, output_stream::out);
    read_rest(err_.ours, output_stream::err);
    auto end = end_.value_or(child_end{});
    end.dropped_bytes = sink_.dropped();
    return end;
  }

private:
  int fork_supervisor(const supervision& what) {
    // Signal handlers of this process must not run in the fork, which has a copy of its memory.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    supervisor_ = ::fork();
    if (supervisor_ == 0)
      supervise(what);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    out_.theirs.close();
    err_.theirs.close();
    control_.theirs.close();
    null_.close();
    return supervisor_ < 0 ? error : 0;
  }

  /// Returns the bytes that were read; 0: none are available now.
  std::size_t read_once(descriptor& from, output_stream stream) {
    const auto got = ::read(from.get(), buffer_.get(), read_bytes);
    if (got > 0)
      sink_.put(stream, {buffer_.get(), static_cast<std::size_t>(got)});
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      from.close();
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  void read_rest(descriptor& from, output_stream stream) {
    for (std::size_t all = 0; from.get() >= 0 && all < rest_bytes_max;) {
      const auto got = read_once(from, stream);
      if (got == 0)
        return;
      all += got;
    }
  }

  void read_report() {
    using kind = supervisor_report::kind;
    supervisor_report report;
    const auto got = ::recv(control_.ours.get(), &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      return;
    if (got != sizeof report)
      return lose();
    if (report.what == kind::started) {
      program_ = report.number;
      return;
    }
    const auto how = report.what == kind::exited      ? child_end::how::exited
                     : report.what == kind::signalled ? child_end::how::signalled
                                                      : child_end::how::not_started;
    end_ = child_end{how, report.number, 0, report.left != 0};
  }

  /// Handles a killed supervisor. The program died with it; the rest of its process group is killed here, and processes that left
  /// the group are not found.
  void lose() {
    if (program_ > 0)
      ::kill(-program_, SIGKILL);
    end_ = child_end{};
  }

  void forget() noexcept {
    control_.ours.close();
    if (supervisor_ > 0)
      ::kill(supervisor_, SIGCONT);
    while (supervisor_ > 0 && ::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
    }
    supervisor_ = -1;
  }

  limited_sink sink_;
  std::unique_ptr<char[]> buffer_;
  descriptor null_;
  both_ends out_, err_, control_;
  pid_t supervisor_ = -1;
  pid_t program_ = -1;
  std::optional<child_end> end_;
};

child_end not_started(int number) { return {child_end::how::not_started, number, 0, false}; }

} // namespace

child_end run_child(const child_command& command, const child_limits& limits, const std::stop_token& stop,
                    const output_sink& sink, const child_control& control) {
  if (has_nul(command))
    return not_started(EINVAL);
  if (stop.stop_requested())
    return not_started(ECANCELED);
  child process{limits, sink};
  if (const int error = process.start(command, limits, control.lease); error != 0)
    return not_started(error);
  if (control.on_start)
    control.on_start(process.supervisor());
  const std::stop_callback on_stop{stop, [&process, &control] {
                                     const bool at_once = control.must_kill && control.must_kill();
                                     process.order(at_once ? kill_order : stop_order);
                                   }};
  const std::stop_callback on_kill{control.kill, [&process] { process.order(kill_order); }};
  return process.watch();
}

} // namespace ringmaster::executor
