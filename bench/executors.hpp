#pragma once

// About ten executors that do no work, in one separate process, so that their CPU time is not the server's.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/callback_sender.hpp"
#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Progress of the load by the second of the instants, shared by both processes.
struct load_progress {
  static constexpr std::size_t seconds_max = 8192;

  std::atomic<bool> stop{false};
  /// Results are held back while true.
  std::atomic<bool> hold{false};
  std::atomic<std::uint64_t> refused{0};
  std::int64_t first_second = 0;
  std::array<std::atomic<std::uint32_t>, seconds_max> received{};
  std::array<std::atomic<std::uint32_t>, seconds_max> acknowledged{};

  /// Returns the index of an instant; the last index for all instants outside.
  [[nodiscard]] std::size_t place(std::int64_t instant_ms) const;

  [[nodiscard]] std::size_t received_in_all() const;
  [[nodiscard]] std::size_t acknowledged_in_all() const;

  /// Returns true if every second of the window has at least the expected number of runs, received and acknowledged. `expected`
  /// is by second from the window's begin.
  [[nodiscard]] bool has_all(const load_window& window, const std::vector<std::uint32_t>& expected) const;
};

/// A forked process with one thread and one epoll; it ends with the process that created it. Create it before any thread exists.
class executors {
public:
  /// Listens on `count` free loopback ports at once. Results are sent to `results.server_port` after the first trigger. The book
  /// is written to `book_file` at the end.
  executors(std::size_t count, const callback_sender::options& results, std::chrono::microseconds answer_work,
            std::filesystem::path book_file);
  ~executors();
  executors(const executors&) = delete;
  executors& operator=(const executors&) = delete;

  /// Returns `http://127.0.0.1:PORT/` of each executor.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] const load_progress& progress() const { return *progress_; }
  /// Sets whether results are held back from now on.
  void hold_results(bool hold) { progress_->hold = hold; }
  [[nodiscard]] pid_t process() const { return process_; }

  /// Ends the process and returns its book. Throws `std::runtime_error` if the process failed.
  run_book finish();

private:
  std::filesystem::path book_file_;
  std::vector<std::uint16_t> ports_;
  load_progress* progress_ = nullptr;
  pid_t process_ = 0;
};

} // namespace ringmaster::bench
