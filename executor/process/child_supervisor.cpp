#include "executor/process/child_supervisor.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/process/own_children.hpp"

namespace ringmaster::executor {

namespace {

/// Time for background processes of the program, e.g. a `tee` with pending output, to end before they get TERM.
constexpr std::int64_t linger_ms = 200;
/// Delay between two rounds of KILL, and the time after which the rest is given up: a process may hang in the kernel, or belong
/// to another user.
constexpr std::int64_t kill_round_ms = 10;
constexpr std::int64_t kill_limit_ms = 5000;

/// The host thread that forked this process has ended.
constexpr int host_gone_signal = SIGUSR1;

std::int64_t now_ms() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t boot_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void close_between(int first, int last) noexcept {
  if (first > last)
    return;
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), static_cast<unsigned>(last), 0U) == 0)
    return;
  // For kernels before 5.9.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const auto end = files.rlim_cur > INT_MAX ? INT_MAX : static_cast<int>(files.rlim_cur);
  for (int fd = first; fd <= last && fd < end; ++fd)
    ::close(fd);
}

/// Closes all descriptors except these four.
void close_all_but(int a, int b, int c, int d) noexcept {
  int kept[] = {a, b, c, d};
  for (int& each : kept)
    for (int& other : kept)
      if (each < other) {
        const int swapped = each;
        each = other;
        other = swapped;
      }
  int next = 0;
  for (const int each : kept) {
    close_between(next, each - 1);
    next = each + 1;
  }
  close_between(next, INT_MAX);
}

using limited = decltype(RLIMIT_DATA);

void limit(limited resource, std::uint64_t most) noexcept {
  rlimit now{};
  if (most == 0 || ::getrlimit(resource, &now) != 0)
    return;
  if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)
    now.rlim_max = most;
  now.rlim_cur = now.rlim_max;
  ::setrlimit(resource, &now);
}

/// Sets the soft limit; the program may raise it again.
void limit_open_files(std::uint64_t most) noexcept {
  rlimit now{};
  if (most == 0 || ::getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur <= most)
    return;
  now.rlim_cur = most;
  ::setrlimit(RLIMIT_NOFILE, &now);
}

void forget_handlers() noexcept {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    ::sigaction(number, &usual, nullptr);
}

class supervisor {
public:
  explicit supervisor(const supervision& what) noexcept : what_{what} {}

  void run() noexcept {
    leave_host();
    start();
    for (;;) {
      reap();
      if (childless_)
        finish(false);
      advance();
      wait();
    }
  }

private:
  enum class phase : std::uint8_t { running, lingering, ending, killing };

  void leave_host() noexcept {
    // When the host dies, this signal arrives and the socket closes, in either order.
    ::prctl(PR_SET_PDEATHSIG, host_gone_signal);
    if (::getppid() != what_.host)
      ::_exit(1);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "ringmaster-job");
    // A new session: terminal signals to the host must not reach this process.
    ::setsid();
    close_all_but(what_.control, what_.in, what_.out, what_.err);
    // Occupies 0 to 2, so that no later descriptor becomes stdin, stdout or stderr.
    for (int fd = 0; fd < 3; ++fd)
      ::dup2(what_.in, fd);
    forget_handlers();
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, host_gone_signal);
    signals_ = ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0)
      fail_to_start(errno);
  }

  void start() noexcept {
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0)
      fail_to_start(errno);
    program_ = spawn(failure[1]);
    const int spawn_error = errno;
    ::close(failure[1]);
    if (program_ < 0)
      fail_to_start(spawn_error);
    int number = 0;
    ssize_t got = 0;
    do
      got = ::read(failure[0], &number, sizeof number);
    while (got < 0 && errno == EINTR);
    ::close(failure[0]);
    if (got == sizeof number) {
      while (::waitpid(program_, nullptr, __WALL) < 0 && errno == EINTR) {
      }
      fail_to_start(number);
    }
    ::close(what_.out);
    ::close(what_.err);
  }

  /// Uses vfork: the memory is shared until the program is executed, so no page tables of a large host are copied.
  [[gnu::noinline]] pid_t spawn(int failure) noexcept {
    const auto self = ::getpid();
    const auto made = ::vfork();
    if (made == 0)
      become_program(self, failure);
    return made;
  }

  [[noreturn, gnu::noinline]] void become_program(pid_t parent, int failure) const noexcept {
    ::setsid();
    // If the supervisor is killed, at least the program ends too.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent && enter_folder()) {
      ::dup2(what_.in, STDIN_FILENO);
      ::dup2(what_.out, STDOUT_FILENO);
      ::dup2(what_.err, STDERR_FILENO);
      limit(RLIMIT_DATA, what_.memory_bytes_max);
      limit(RLIMIT_CPU, what_.cpu_seconds_max);
      limit(RLIMIT_FSIZE, what_.file_bytes_max);
      limit_open_files(what_.open_files);
      ::umask(::umask(0) | 022);
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      // Sent from here, so that the host knows the process before the program can act, e.g. kill the supervisor.
      say({supervisor_report::kind::started, ::getpid(), 0});
      ::execve(what_.program, what_.arguments, what_.environment);
    }
    const int number = errno;
    [[maybe_unused]] const auto told = ::write(failure, &number, sizeof number);
    ::_exit(127);
  }

  [[nodiscard]] bool enter_folder() const noexcept { return !what_.folder || ::chdir(what_.folder) == 0; }

  void say(supervisor_report report) const noexcept {
    while (::send(what_.control, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }

  [[noreturn]] void fail_to_start(int number) const noexcept {
    say({supervisor_report::kind::not_started, number, 0});
    ::_exit(0);
  }

  [[noreturn]] void finish(bool left) noexcept {
    auto report = end_;
    report.left = left ? 1 : 0;
    say(report);
    ::_exit(0);
  }

  void reap() noexcept {
    for (;;) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) != 0) {
        childless_ = errno == ECHILD;
        if (errno == EINTR)
          continue;
        return;
      }
      if (info.si_pid == 0)
        return;
      if (info.si_pid != program_ || ended_)
        continue;
      ended_ = true;
      end_.what = info.si_code == CLD_EXITED ? supervisor_report::kind::exited : supervisor_report::kind::signalled;
      end_.number = info.si_status;
      if (phase_ == phase::running)
        enter(phase::lingering, linger_ms);
      else if (phase_ == phase::ending)
        signal_detached(SIGTERM);
    }
  }

  void enter(phase next, std::int64_t time_ms) noexcept {
    phase_ = next;
    deadline_ms_ = now_ms() + time_ms;
  }

  /// Performs the steps that are due.
  void advance() noexcept {
    // Another machine may run the work from now on, so the program gets no time to end by itself.
    if (phase_ != phase::killing && lease_left_ms() == 0)
      enter(phase::killing, kill_limit_ms);
    if (phase_ == phase::lingering && now_ms() >= deadline_ms_)
      ask_to_end();
    if (phase_ == phase::ending && now_ms() >= deadline_ms_)
      enter(phase::killing, kill_limit_ms);
    if (phase_ != phase::killing)
      return;
    signal_all(SIGKILL);
    if (now_ms() >= deadline_ms_)
      finish(true);
  }

  /// Returns the rest of the lease, rounded up; -1 without a lease.
  [[nodiscard]] std::int64_t lease_left_ms() const noexcept {
    if (!what_.lease_from)
      return -1;
    const auto left = what_.lease_from->load(std::memory_order_acquire) + what_.lease_ns - boot_ns();
    return left <= 0 ? 0 : (left + 999'999) / 1'000'000;
  }

  void ask_to_end() noexcept {
    enter(phase::ending, what_.grace_ms);
    if (what_.grace_ms <= 0)
      return;
    signal_all(SIGTERM);
    // A stopped process handles no other signal.
    signal_all(SIGCONT);
  }

  void signal_all(int number) noexcept {
    siginfo_t info{};
    if (::waitid(P_PGID, static_cast<id_t>(program_), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
      ::kill(-program_, number);
    signal_detached(number);
  }

  /// Signals children outside the program's group whose parents have ended.
  void signal_detached(int number) noexcept {
    signal_ = number;
    visit_own_children("/proc", this, [](void* self, pid_t child) { static_cast<supervisor*>(self)->signal_other(child); });
  }

  void signal_other(pid_t child) noexcept {
    if (::getpgid(child) != program_)
      ::kill(child, signal_);
  }

  void wait() noexcept {
    pollfd events[] = {{signals_, POLLIN, 0}, {host_gone_ ? -1 : what_.control, POLLIN, 0}};
    int limit = -1;
    if (phase_ == phase::killing)
      limit = kill_round_ms;
    else if (phase_ != phase::running)
      limit = static_cast<int>(deadline_ms_ > now_ms() ? deadline_ms_ - now_ms() : 0);
    if (const auto left = phase_ == phase::killing ? -1 : lease_left_ms(); left >= 0 && (limit < 0 || left < limit))
      limit = static_cast<int>(left < INT_MAX ? left : INT_MAX);
    if (::poll(events, 2, limit) <= 0)
      return;
    if (events[0].revents)
      read_signals();
    if (events[1].revents)
      read_order();
  }

  void read_signals() noexcept {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof info) == sizeof info)
      if (info.ssi_signo == static_cast<std::uint32_t>(host_gone_signal) && ::getppid() != what_.host)
        lose_host();
  }

  void read_order() noexcept {
    char order = 0;
    const auto got = ::recv(what_.control, &order, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      return;
    if (got <= 0)
      lose_host();
    else if (order == kill_order && phase_ != phase::killing)
      enter(phase::killing, kill_limit_ms);
    else if (order == stop_order && (phase_ == phase::running || phase_ == phase::lingering))
      ask_to_end();
  }

  /// The host is gone: the output and the result are no longer needed.
  void lose_host() noexcept {
    if (host_gone_)
      return;
    host_gone_ = true;
    if (phase_ != phase::killing)
      enter(phase::killing, kill_limit_ms);
  }

  const supervision& what_;
  int signals_ = -1;
  pid_t program_ = -1;
  phase phase_ = phase::running;
  std::int64_t deadline_ms_ = 0;
  supervisor_report end_{supervisor_report::kind::signalled, SIGKILL, 0};
  int signal_ = 0;
  bool ended_ = false;
  bool childless_ = false;
  bool host_gone_ = false;
};

} // namespace

void supervise(const supervision& what) noexcept {
  supervisor self{what};
  self.run();
  ::_exit(0);
}

} // namespace ringmaster::executor
