#pragma once

// Requests at fixed times, whatever the answers take.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "bench/report.hpp"

namespace ringmaster::bench {

/// Threads that send requests one after the other. They start on construction.
class timed_requests {
public:
  using steady = std::chrono::steady_clock;
  /// Returns the time of a thread's request, counted from the start.
  using due_of = std::function<steady::duration(std::size_t thread, std::size_t turn)>;
  /// Sends that request and returns whether the answer was right. Called on the thread; `std::runtime_error` ends it.
  using send = std::function<bool(std::size_t thread, std::size_t turn)>;

  timed_requests(std::size_t threads, due_of due, send ask);
  ~timed_requests();
  timed_requests(const timed_requests&) = delete;
  timed_requests& operator=(const timed_requests&) = delete;

  /// Ends the threads and returns their account. Call it once.
  read_account finish();

private:
  struct room {
    std::vector<double> took_ms;
    std::size_t failed = 0;
    std::thread thread;
  };

  void work(std::size_t index);
  void join();

  due_of due_;
  send ask_;
  steady::time_point began_ = steady::now();
  std::atomic<bool> over_{false};
  std::vector<room> rooms_;
};

} // namespace ringmaster::bench
