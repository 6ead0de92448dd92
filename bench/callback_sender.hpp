#pragma once

// Reports results as Java executors do: all queued results in one request, over a few kept connections.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::bench {

struct pending_result {
  std::int64_t log_id = 0;
  std::int64_t instant_ms = 0;
};

/// Non-blocking sender, driven by the event loop that owns it, on its thread. Results of a failed connection return to the queue.
class callback_sender {
public:
  struct options {
    std::uint16_t server_port = 0;
    std::string token;
    std::size_t batch_max = 50;
    std::size_t connections = 16;
  };

  /// Receiver of the outcome of each result.
  class listener {
  public:
    virtual ~listener() = default;
    virtual void on_acknowledged(const pending_result& result) = 0;
    virtual void on_refused(std::size_t results) = 0;
  };

  /// Creates the sender. Events of the sockets carry `first_tag` + the connection's index. `told` outlives this.
  callback_sender(int epoll, std::uint64_t first_tag, options chosen, listener& told);
  ~callback_sender();
  callback_sender(const callback_sender&) = delete;
  callback_sender& operator=(const callback_sender&) = delete;

  void enqueue(const pending_result& result) { waiting_.push_back(result); }

  /// Gives every idle connection its share of the queue. `now_us` decides which connections may be opened again.
  void send_waiting(std::int64_t now_us);

  void on_event(std::uint64_t tag);

  /// Returns true if no result is waiting or being sent.
  [[nodiscard]] bool is_done() const { return waiting_.empty() && busy_ == 0; }

private:
  struct connection {
    int socket = -1;
    bool ready = false;
    std::int64_t not_before_us = 0;
    std::string out;
    std::string in;
    std::vector<pending_result> carried;
  };

  void connect(std::size_t index, std::int64_t now_us);
  void load(connection& one);
  void write(std::size_t index);
  void read(std::size_t index);
  void finish(connection& one, std::string_view body);
  void drop(connection& one);

  int epoll_;
  std::uint64_t first_tag_;
  options options_;
  listener& told_;
  std::deque<pending_result> waiting_;
  std::vector<connection> connections_;
  std::size_t busy_ = 0;
};

} // namespace ringmaster::bench
