#include "tests/executor/process_marks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <unistd.h>

#include "executor/process/own_children.hpp"

namespace ringmaster::test {

namespace {

std::string whole_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

process_mark::process_mark() {
  static std::atomic<int> number{0};
  variable_ = "EXECUTOR_TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(++number) + ".";
}

std::vector<std::string> process_mark::environment() const {
  return {variable_, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
}

int process_mark::count() const {
  int found = 0;
  std::error_code gone;
  for (std::filesystem::directory_iterator each{"/proc", gone}, end; each != end; each.increment(gone))
    if (const auto name = each->path().filename().string(); std::all_of(name.begin(), name.end(), ::isdigit))
      found += whole_file(each->path() / "environ").find(variable_) != std::string::npos ? 1 : 0;
  return found;
}

bool process_mark::reaches(int processes) const {
  return becomes([this, processes] { return count() == processes; });
}

bool becomes(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

int own_child_count() {
  int found = 0;
  executor::visit_own_children("/proc", &found, [](void* counter, pid_t) { ++*static_cast<int*>(counter); });
  return found;
}

int open_descriptor_count() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}));
}

executor::child_end shell::run(const std::string& script, std::vector<std::string> arguments) {
  std::vector<std::string> all{"-c", script, "bash"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const executor::child_command command{"/bin/bash", std::move(all), mark.environment()};
  const auto sink = [this](executor::output_stream stream, std::string_view bytes) {
    (stream == executor::output_stream::out ? out : err).append(bytes);
    if (seen)
      seen(out);
  };
  return executor::run_child(command, limits, stopper.get_token(), sink, control);
}

executor::child_end shell::stop_when_ready(const std::string& script) {
  seen = [this](const std::string& text) {
    if (text.find("ready") != std::string::npos)
      stopper.request_stop();
  };
  return run(script);
}

} // namespace ringmaster::test
