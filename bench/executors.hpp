#pragma once

// Ten or so executors that do nothing, in one process of their own, so that their CPU time is not the server's.

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

/// Seen by both processes: how far the load is, by the second of the instants.
struct load_progress {
  static constexpr std::size_t seconds_max = 8192;

  std::atomic<bool> stop{false};
  /// Results are kept back for now.
  std::atomic<bool> hold{false};
  std::atomic<std::uint64_t> refused{0};
  std::int64_t first_second = 0;
  std::array<std::atomic<std::uint32_t>, seconds_max> received{};
  std::array<std::atomic<std::uint32_t>, seconds_max> acknowledged{};

  /// The place of an instant; the last one for all that lie outside.
  [[nodiscard]] std::size_t place(std::int64_t instant_ms) const;

  [[nodiscard]] std::size_t received_in_all() const;
  [[nodiscard]] std::size_t acknowledged_in_all() const;

  /// Every second of the window has at least what it must have, received and acknowledged. `expected` by second from its begin.
  [[nodiscard]] bool has_all(const load_window& window, const std::vector<std::uint32_t>& expected) const;
};

/// A forked process with one thread and one epoll; dies with the process that made it. Make it before any thread exists.
class executors {
public:
  /// Listens on `count` free loopback ports at once. Results go to `results.server_port` once triggers come. The book is written
  /// to `book_file` at the end.
  executors(std::size_t count, const callback_sender::options& results, std::chrono::microseconds answer_work,
            std::filesystem::path book_file);
  ~executors();
  executors(const executors&) = delete;
  executors& operator=(const executors&) = delete;

  /// `http://127.0.0.1:PORT/`, one for each.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] const load_progress& progress() const { return *progress_; }
  /// Whether results are kept back from now on.
  void hold_results(bool hold) { progress_->hold = hold; }
  [[nodiscard]] pid_t process() const { return process_; }

  /// Ends the process; what it saw. Throws `std::runtime_error` when it did not end well.
  run_book finish();

private:
  std::filesystem::path book_file_;
  std::vector<std::uint16_t> ports_;
  load_progress* progress_ = nullptr;
  pid_t process_ = 0;
};

} // namespace ringmaster::bench
