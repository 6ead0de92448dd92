#pragma once

// Receiver of alarms in a separate process (tests/support/alarm_receivers.py).

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/source_folder.hpp"

namespace ringmaster::test {

/// Debian's Python, which has the SMTP server's package.
inline constexpr const char* receiver_python = "/usr/bin/python3";

class alarm_receiver {
public:
  /// Throws std::runtime_error when it does not start.
  explicit alarm_receiver(std::vector<std::string> arguments) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
      throw std::runtime_error{"no pipe"};
    arguments.insert(arguments.begin(), {receiver_python, source_path("tests/support/alarm_receivers.py")});
    std::vector<char*> argv;
    for (auto& each : arguments)
      argv.push_back(each.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    const int failed = ::posix_spawn(&pid_, receiver_python, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    stop_ = in[1];
    lines_ = out[0];
    if (failed != 0)
      throw std::runtime_error{"no python"};
    const auto port = line();
    if (!port)
      throw std::runtime_error{"the receiver did not start"};
    port_ = std::stoi(*port);
  }
  ~alarm_receiver() {
    ::close(stop_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(lines_);
  }
  alarm_receiver(const alarm_receiver&) = delete;
  alarm_receiver& operator=(const alarm_receiver&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }

  /// Returns the next message or request; times out without failing the test.
  [[nodiscard]] nlohmann::json next() {
    const auto text = line();
    return text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json{};
  }

  /// Returns true when a message has arrived that the test has not read.
  [[nodiscard]] bool has_more() {
    pollfd waiting{lines_, POLLIN, 0};
    return rest_.find('\n') != std::string::npos || ::poll(&waiting, 1, 0) > 0;
  }

private:
  std::optional<std::string> line() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    for (;;) {
      if (const auto end = rest_.find('\n'); end != std::string::npos) {
        auto out = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        return out;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd waiting{lines_, POLLIN, 0};
      char part[4096];
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
        return std::nullopt;
      const auto count = ::read(lines_, part, sizeof part);
      if (count <= 0)
        return std::nullopt;
      rest_.append(part, static_cast<std::size_t>(count));
    }
  }

  pid_t pid_ = -1;
  int stop_ = -1;
  int lines_ = -1;
  int port_ = 0;
  std::string rest_;
};

} // namespace ringmaster::test
