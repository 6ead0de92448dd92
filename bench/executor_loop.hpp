#pragma once

// The event loop of the executors' process.

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/callback_sender.hpp"
#include "bench/executors.hpp"
#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Event loop that answers `/run` at once and passes the result to the callback sender; one thread.
class executor_loop : callback_sender::listener {
public:
  /// Takes ownership of the listening sockets; `progress` outlives this.
  executor_loop(std::vector<int> listeners, const callback_sender::options& results, std::chrono::microseconds answer_work,
                load_progress& progress);
  ~executor_loop() override;

  /// Runs until `progress.stop` and returns the book of events.
  run_book run();

private:
  struct peer {
    std::string in;
    std::string out;
    std::int64_t arrived_us = 0; ///< the end of `in`
  };

  void on_acknowledged(const pending_result& result) override;
  void on_refused(std::size_t results) override;
  void accept_all(int listener);
  void on_peer(int socket);
  bool read(int socket, peer& from);
  void work() const;
  void answer(const struct http_message& request, peer& from);
  [[nodiscard]] bool has_started(std::int64_t log_id);
  bool write(int socket, peer& to);
  void drop(int socket);

  int epoll_;
  std::vector<int> listeners_;
  load_progress& progress_;
  std::chrono::microseconds answer_work_;
  callback_sender results_;
  std::unordered_map<int, peer> peers_;
  run_book book_;
  /// Log ids of the first `started_known_` runs of the book.
  std::unordered_set<std::int64_t> started_;
  std::size_t started_known_ = 0;
};

} // namespace ringmaster::bench
