// After a child has ended none of its processes is left, regardless of how they tried to escape and which process was killed.

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/shared_moment.hpp"
#include "tests/executor/process_marks.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using how = child_end::how;

namespace {

/// Scripts that each leave a sleeping process.
const std::string ways_out[] = {
  "sleep 60 &",
  "setsid sleep 60 &",
  "(sleep 60 &)",
  "(setsid sleep 60 &) &",
  "nohup sleep 60 >/dev/null 2>&1 &",
  "(trap '' TERM HUP INT; while :; do sleep 60; done) &",
  "setsid bash -c \"trap '' TERM HUP; while :; do sleep 60; done\" &",
  "set -m; sleep 60 & set +m",
  "python3 -c 'import os, signal\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nos.closerange(0, 99)\n"
  "os.chdir(\"/\")\nsignal.pause()'",
};

/// Another process that runs a child, and its output.
class host {
public:
  host(const std::string& mode, const process_mark& mark, const std::string& script) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return;
    out_ = ::fdopen(ends[0], "r");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("executor_host"); // next to the tests
    std::string texts[] = {program.string(), mode, mark.variable(), "/bin/bash", "-c", script};
    char* argv[std::size(texts) + 1]{};
    std::transform(std::begin(texts), std::end(texts), argv, [](std::string& text) { return text.data(); });
    if (::posix_spawn(&process_, argv[0], &actions, nullptr, argv, environ) != 0)
      process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~host() {
    kill(SIGKILL);
    if (out_)
      std::fclose(out_);
  }
  host(const host&) = delete;
  host& operator=(const host&) = delete;

  [[nodiscard]] std::string line() const {
    char text[256]{};
    return out_ && std::fgets(text, sizeof text, out_) ? text : "";
  }

  void signal(int number) const {
    if (process_ > 0)
      ::kill(process_, number);
  }
  void kill(int number) {
    signal(number);
    (void)wait();
  }

  /// Returns its exit code.
  int wait() {
    int status = -1;
    while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  pid_t process_ = -1;
  std::FILE* out_ = nullptr;
};

/// Makes this process the subreaper: orphans become its children while this object lives.
struct orphanage {
  orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  orphanage(const orphanage&) = delete;
  orphanage& operator=(const orphanage&) = delete;

  [[nodiscard]] bool are_gone() const {
    return becomes([] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return own_child_count() == 0;
    });
  }
};

} // namespace

TEST_CASE("background processes of a child end with it, and its result is kept", "[executor]") {
  for (const auto& way : ways_out) {
    CAPTURE(way);
    shell sh;
    sh.limits.kill_grace = 50ms;
    const auto end = sh.run(way + "\nexit 3");
    CHECK(sh.mark.count() == 0);
    CHECK(end.what == how::exited);
    CHECK(end.number == 3);
    CHECK_FALSE(end.left);
  }
  CHECK(own_child_count() == 0);
}

TEST_CASE("a stop ends all processes of a child", "[executor]") {
  for (const auto& way : ways_out) {
    CAPTURE(way);
    shell sh;
    sh.limits.kill_grace = 50ms;
    sh.seen = [&](const std::string&) {
      CHECK(becomes([&] { return sh.mark.count() >= 2; }));
      sh.stopper.request_stop();
    };
    const auto end = sh.run(way + "\necho ready\nwhile :; do sleep 60; done");
    CHECK(sh.mark.count() == 0);
    CHECK(end.what == how::signalled);
    CHECK(end.number == SIGTERM);
  }
  CHECK(own_child_count() == 0);
}

TEST_CASE("many processes end together: in groups, outside of them, over generations", "[executor]") {
  const std::string many =
    "for i in {1..20}; do sleep 60 & (setsid sleep 60 &); bash -c '(nohup sleep 60 & sleep 60) & wait' & done;"
    "deep() { if (($1)); then setsid bash -c \"$(declare -f deep); deep $(($1 - 1))\"; else sleep 60; fi; };"
    "deep 20 & ";
  shell sh;
  sh.limits.kill_grace = 0ms;
  bool there = false;
  sh.seen = [&](const std::string&) {
    there = there || becomes([&] { return sh.mark.count() > 120; });
    sh.stopper.request_stop();
  };
  CHECK(sh.run(many + "echo ready; wait").number == SIGKILL);
  CHECK(there);
  CHECK(sh.mark.count() == 0);
  CHECK(own_child_count() == 0);
}

TEST_CASE("processes that fork continuously end", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 0ms;
  const auto end = sh.stop_when_ready("hop() { (setsid bash -c \"$(declare -f hop); hop\" &); }; hop; hop;"
                                      "(while :; do sleep 0.01 & done) & echo ready; sleep 60");
  CHECK(end.number == SIGKILL);
  CHECK_FALSE(end.left);
  CHECK(sh.mark.count() == 0);
}

TEST_CASE("a child may clean up after TERM", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 60s;
  const auto end = sh.stop_when_ready("trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
  CHECK(end.what == how::exited);
  CHECK(end.number == 7);
  CHECK(sh.out == "ready\ntidy\n");
}

TEST_CASE("other processes of the child also get the grace period", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 60s;
  (void)sh.stop_when_ready("bash -c 'trap \"sleep 0.3; echo tidy; exit\" TERM; echo ready; while :; do sleep 0.01; done' &"
                           "exec sleep 60");
  CHECK(sh.out == "ready\ntidy\n");
}

TEST_CASE("a stopped (SIGSTOP) child receives TERM", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 60s;
  CHECK(sh.stop_when_ready("echo ready; kill -STOP $$; exit 3").what == how::signalled);
}

TEST_CASE("a child that ignores TERM gets KILL after the grace period", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 300ms;
  std::chrono::steady_clock::time_point asked;
  sh.seen = [&](const std::string& text) {
    if (text.find("ready") != std::string::npos && sh.stopper.request_stop())
      asked = std::chrono::steady_clock::now();
  };
  CHECK(sh.run("trap '' TERM; echo ready; while :; do sleep 60; done").number == SIGKILL);
  CHECK(std::chrono::steady_clock::now() - asked > 250ms);
  CHECK(std::chrono::steady_clock::now() - asked < 5s);
}

TEST_CASE("a child that kills its supervisor ends", "[executor]") {
  shell sh;
  const auto end = sh.run("sleep 60 & echo ready; kill -9 $PPID; sleep 60");
  CHECK(end.what == how::lost);
  CHECK(sh.mark.reaches(0));
  CHECK(own_child_count() == 0);
}

TEST_CASE("a child is killed at the end of its lease, without TERM", "[executor]") {
  const auto from = executor::elastic::make_shared_moment();
  from->store(executor::elastic::boot_now().count());
  shell sh;
  sh.limits.kill_grace = 1h;
  sh.control.lease = {from.get(), 400ms};
  const auto began = executor::elastic::boot_now();
  bool is_extended = false;
  sh.seen = [&](const std::string&) {
    // Once: the supervisor sees the extension.
    if (!std::exchange(is_extended, true))
      from->store(executor::elastic::boot_now().count());
  };
  const auto end = sh.run("trap 'echo tidy' TERM; (setsid sleep 60 &); sleep 0.2; echo ready; while :; do sleep 0.01; done");
  CHECK(end.what == how::signalled);
  CHECK(end.number == SIGKILL);
  CHECK(sh.out == "ready\n");
  CHECK(executor::elastic::boot_now() - began >= 600ms);
  CHECK(sh.mark.reaches(0));
}

TEST_CASE("a lease that is over lets no child run", "[executor]") {
  const auto from = executor::elastic::make_shared_moment();
  shell sh;
  sh.control.lease = {from.get(), 1ms};
  CHECK(sh.run("sleep 60").number == SIGKILL);
  CHECK(sh.mark.reaches(0));
}

TEST_CASE("the end of a lease kills a child whose host is stopped (SIGSTOP)", "[executor]") {
  const process_mark mark;
  host stopped{"leased", mark, "(setsid sleep 60 &); echo ready; sleep 60"};
  CHECK(stopped.line() == "ready\n");
  stopped.signal(SIGSTOP);
  CHECK(mark.count() > 0);
  CHECK(mark.reaches(0));
}

TEST_CASE("a stop kills a child at once if its caller says so", "[executor]") {
  shell sh;
  sh.limits.kill_grace = 1h;
  std::int64_t supervisor = 0;
  sh.control.must_kill = [] { return true; };
  sh.control.on_start = [&](std::int64_t process) { supervisor = process; };
  const auto end = sh.stop_when_ready("trap 'echo tidy' TERM; echo ready; while :; do sleep 0.01; done");
  CHECK(end.number == SIGKILL);
  CHECK(sh.out == "ready\n");
  CHECK(supervisor > 0);
  CHECK(::kill(static_cast<pid_t>(supervisor), 0) != 0);
}

TEST_CASE("a child that stops (SIGSTOP) its supervisor can be ended", "[executor]") {
  shell sh;
  CHECK(sh.stop_when_ready("kill -STOP $PPID; echo ready; sleep 60").what == how::signalled);
  CHECK(sh.mark.count() == 0);
}

TEST_CASE("killing the host ends all processes of its child", "[executor]") {
  for (const auto& way : ways_out) {
    CAPTURE(way);
    process_mark mark;
    host victim{"plain", mark, way + "\necho ready\nwhile :; do sleep 60; done"};
    REQUIRE(victim.line() == "ready\n");
    CHECK(becomes([&] { return mark.count() >= 2; }));
    victim.kill(SIGKILL);
    CHECK(mark.reaches(0));
  }
}

TEST_CASE("a stop at any moment leaves no process", "[executor]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const auto descriptors = open_descriptor_count();
  for (int turn = 0; turn < 100; ++turn) {
    shell sh;
    sh.limits.kill_grace = std::chrono::milliseconds{random() % 2};
    const std::chrono::microseconds delay{random() % 6000};
    std::thread stopping{[&] {
      const auto due = std::chrono::steady_clock::now() + delay;
      while (std::chrono::steady_clock::now() < due) {
      }
      sh.stopper.request_stop();
    }};
    const auto end = sh.run("(setsid sleep 60 &); sleep 60 & sleep 60");
    stopping.join();
    CHECK((end.what == how::signalled || (end.what == how::not_started && end.number == ECANCELED)));
    CHECK(sh.mark.count() == 0);
  }
  CHECK(open_descriptor_count() == descriptors);
  CHECK(own_child_count() == 0);
}

TEST_CASE("killing the host at any moment leaves no process", "[executor]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  const orphanage orphans;
  for (int turn = 0; turn < 40; ++turn) {
    process_mark mark;
    host victim{"plain", mark, "(setsid sleep 60 &); sleep 60 & sleep 60"};
    const auto due = std::chrono::steady_clock::now() + std::chrono::microseconds{random() % 6000};
    while (std::chrono::steady_clock::now() < due) {
    }
    victim.kill(SIGKILL);
    CHECK(orphans.are_gone());
    CHECK(mark.count() == 0);
  }
}

TEST_CASE("a host without stdin, stdout and stderr can run children", "[executor]") {
  process_mark mark;
  host closed{"closed", mark,
              "cat; echo text; echo error >&2; [[ $(ls /proc/$$/fd | head -3 | tr -d '\\n') == 012 ]] && exit 42"};
  CHECK(closed.wait() == 42);
}
