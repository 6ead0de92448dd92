// executor_host MODE ENVIRONMENT PROGRAM [ARGUMENT …]: runs the program as an executor does, with one variable, and exits with
// its exit code. Its output is passed on to stdout. Mode `closed` closes stdin, stdout and stderr first; then no output is passed
// on. Mode `leased` gives the program a lease of a second.

#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "executor/process/child_process.hpp"

using namespace ringmaster::executor;

int main(int argc, char** argv) {
  if (argc < 4)
    return 99;
  const bool closed = std::string_view{argv[1]} == "closed";
  for (int fd = 0; closed && fd < 3; ++fd)
    ::close(fd);
  const child_command command{argv[3], {argv + 4, argv + argc}, {argv[2], "PATH=/usr/local/bin:/usr/bin:/bin"}};
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const std::atomic<std::int64_t> from{std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
  child_control control;
  if (std::string_view{argv[1]} == "leased")
    control.lease = {&from, std::chrono::seconds{1}};
  const auto pass_on = [closed](output_stream, std::string_view bytes) {
    if (!closed && ::write(STDOUT_FILENO, bytes.data(), bytes.size()) < 0)
      ::_exit(98);
  };
  const auto end = run_child(command, {}, {}, pass_on, control);
  return end.what == child_end::how::exited ? end.number : 97;
}
