// Programs start with the right environment, and their results are reported.

#include <atomic>
#include <csignal>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/executor/process_marks.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::executor;
using namespace ringmaster::test;
using how = child_end::how;

namespace {

child_end run_program(const std::string& program, std::vector<std::string> arguments = {}, const std::string& folder = {}) {
  const child_command command{program, std::move(arguments), {"PATH=/usr/bin:/bin"}, folder};
  return run_child(command, {}, {}, [](output_stream, std::string_view) {});
}

} // namespace

TEST_CASE("reports the exit code of a child", "[executor]") {
  for (const int code : {0, 1, 3, 127, 255}) {
    shell sh;
    const auto end = sh.run("exit " + std::to_string(code));
    CHECK(end.what == how::exited);
    CHECK(end.number == code);
    CHECK_FALSE(end.left);
  }
}

TEST_CASE("reports the signal that ended a child, for every signal", "[executor]") {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (number == SIGCHLD || number == SIGCONT || number == SIGSTOP || number == SIGTSTP || number == SIGTTIN ||
        number == SIGTTOU || number == SIGURG || number == SIGWINCH || (number >= 32 && number < SIGRTMIN))
      continue;
    CAPTURE(number);
    shell sh;
    const auto text = std::to_string(number);
    const auto usual = number == SIGKILL ? "" : "signal.signal(" + text + ", signal.SIG_DFL); ";
    const auto end = sh.run("ulimit -c 0; exec python3 -c 'import os, signal; " + usual + "os.kill(os.getpid(), " + text + ")'");
    CHECK(end.what == how::signalled);
    CHECK(end.number == number);
  }
}

TEST_CASE("passes arguments byte for byte", "[executor]") {
  const std::vector<std::string> arguments{
    "a b", "", "it's \"quoted\"", "two\nlines", "$HOME `id` $(id) ; rm -rf *", "-n", "--", "\\", "\t tab ", "\xff\xfe\x80",
    "中文 🎉", std::string(100'000, 'x')};
  shell sh;
  const auto end = sh.run(R"(for each; do printf '%s\0' "$each"; done)", arguments);
  REQUIRE(end.number == 0);
  std::vector<std::string> got;
  std::istringstream in{sh.out};
  for (std::string each; std::getline(in, each, '\0');)
    got.push_back(each);
  CHECK(got == arguments);
}

TEST_CASE("sets exactly the given environment and folder", "[executor]") {
  temp_folder folder;
  std::string out;
  const auto end = run_child({"/usr/bin/env", {}, {"A=1", "B=two words"}, folder.path()}, {}, {},
                             [&out](output_stream, std::string_view bytes) { out += bytes; });
  CHECK(end.number == 0);
  CHECK(out == "A=1\nB=two words\n");
  out.clear();
  (void)run_child({"/bin/pwd", {}, {}, folder.path()}, {}, {}, [&out](output_stream, std::string_view bytes) { out += bytes; });
  CHECK(out == folder.path() + "\n");
}

TEST_CASE("reports why a program cannot be started", "[executor]") {
  temp_folder folder;
  const auto text = folder.write("text", "no program\n");
  CHECK(run_program(folder.path() + "/none").number == ENOENT);
  CHECK(run_program(text).number == EACCES);
  CHECK(run_program(folder.path()).number == EACCES);
  REQUIRE(::chmod(text.c_str(), 0700) == 0);
  CHECK(run_program(text).number == ENOEXEC);
  CHECK(run_program("/bin/true", {std::string(200'000, 'x')}).number == E2BIG);
  CHECK(run_program("/bin/true", {std::string{"a\0b", 3}}).number == EINVAL);
  CHECK(run_program("/bin/true", {}, folder.path() + "/none").number == ENOENT);
  CHECK(run_program("").number == ENOENT);
  for (const auto& end : {run_program(text), run_program(""), run_program("/bin/true", {std::string(200'000, 'x')})})
    CHECK(end.what == how::not_started);
  CHECK(own_child_count() == 0);
}

TEST_CASE("does not start a child that was stopped before", "[executor]") {
  shell sh;
  sh.stopper.request_stop();
  const auto end = sh.run("echo ran");
  CHECK(end.what == how::not_started);
  CHECK(end.number == ECANCELED);
  CHECK(sh.out.empty());
}

TEST_CASE("a child has no stdin and no descriptors of its host", "[executor]") {
  int open[2];
  REQUIRE(::pipe(open) == 0);
  shell sh;
  CHECK(sh.run("cat; read line; echo end:$?; ls /proc/$$/fd; :").number == 0);
  CHECK(sh.out == "end:1\n0\n1\n2\n");
  ::close(open[0]);
  ::close(open[1]);
}

TEST_CASE("a child has default signal settings, regardless of its host", "[executor]") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  std::string out;
  const auto end = run_child({"/bin/cat", {"/proc/self/status"}, {}}, {}, {},
                             [&out](output_stream, std::string_view bytes) { out += bytes; });
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  std::signal(SIGPIPE, before);
  CHECK(end.number == 0);
  for (const auto* set : {"SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"})
    CHECK(out.find(std::string{set} + ":\t0000000000000000\n") != std::string::npos);
}

TEST_CASE("a child leads its own session", "[executor]") {
  shell sh;
  (void)sh.run("read -r pid name state parent group session rest < /proc/$$/stat; echo $((pid == group && pid == session))");
  CHECK(sh.out == "1\n");
}

TEST_CASE("files of a child are writable only by their owner, regardless of the host's umask", "[executor]") {
  const auto before = ::umask(0);
  shell loose;
  (void)loose.run("umask");
  ::umask(077);
  shell strict;
  (void)strict.run("umask");
  ::umask(before);
  CHECK(loose.out == "0022\n");
  CHECK(strict.out == "0077\n");
}

TEST_CASE("applies the limits of a child", "[executor]") {
  temp_folder folder;
  shell memory;
  memory.limits.memory_bytes_max = 256 * 1024 * 1024;
  CHECK(memory.run("python3 -c 'x = bytearray(1 << 30)'").number == 1);
  CHECK(memory.err.find("MemoryError") != std::string::npos);
  shell cpu;
  cpu.limits.cpu_seconds_max = 1;
  CHECK(cpu.run("while :; do :; done").what == how::signalled);
  shell file;
  file.limits.file_bytes_max = 4096;
  CHECK(file.run("exec head -c 10000 /dev/zero > " + folder.path() + "/big").number == SIGXFSZ);
}

TEST_CASE("sets the soft limit of open files, which the child may raise", "[executor]") {
  shell plain;
  (void)plain.run("ulimit -Hn");
  shell limited;
  limited.limits.open_files = 64;
  (void)limited.run("ulimit -Sn; ulimit -Hn");
  CHECK(limited.out == "64\n" + plain.out);
}

TEST_CASE("children of concurrent threads do not interfere", "[executor]") {
  const auto descriptors = open_descriptor_count();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([thread, &right] {
      for (int turn = 0; turn < 10; ++turn) {
        shell sh;
        const auto text = std::to_string(thread) + "." + std::to_string(turn);
        const auto end = sh.run("echo " + text + "; echo e" + text + " >&2; exit " + std::to_string(thread));
        right += end.what == how::exited && end.number == thread && sh.out == text + "\n" && sh.err == "e" + text + "\n" ? 1 : 0;
      }
    });
  for (auto& each : threads)
    each.join();
  CHECK(right == 80);
  CHECK(open_descriptor_count() == descriptors);
  CHECK(own_child_count() == 0);
}

TEST_CASE("reports a child's result also if the host ignores SIGCHLD or reaps all children", "[executor]") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  shell sh;
  const auto end = sh.run("exit 5");
  std::signal(SIGCHLD, before);
  CHECK(end.what == how::exited);
  CHECK(end.number == 5);
}
