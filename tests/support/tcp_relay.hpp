#pragma once

// A network between two ends on this machine that can be cut, or drop all data.

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ringmaster::test {

/// Forwards connections to a port of 127.0.0.1.
class tcp_relay {
public:
  explicit tcp_relay(std::uint16_t to) : to_{to}, wake_{::eventfd(0, EFD_CLOEXEC)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto at = loopback(0);
    socklen_t size = sizeof at;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(listener_, 16) != 0
        || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      throw std::runtime_error{"no relay"};
    port_ = ntohs(at.sin_port);
    thread_ = std::thread{[this] { work(); }};
  }
  tcp_relay(const tcp_relay&) = delete;
  tcp_relay& operator=(const tcp_relay&) = delete;
  ~tcp_relay() {
    tell(order::stop);
    thread_.join();
    ::close(listener_);
    ::close(wake_);
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Closes all connections; new ones are forwarded.
  void cut() { tell(order::cut); }
  /// Drops the data of existing connections, without notice to either end; new connections are forwarded.
  void swallow() { tell(order::swallow); }

  /// Holds the data of all connections, old and new, until `go_on`.
  void hold() { tell(order::hold); }
  void go_on() { tell(order::go_on); }

private:
  enum class order { none, cut, swallow, hold, go_on, stop };
  struct pair {
    std::array<int, 2> ends;
    bool swallowed = false;
  };

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    return at;
  }

  void tell(order what) {
    order_ = what;
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }

  void work() {
    for (;;) {
      std::vector<pollfd> waits{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& each : pairs_)
        for (const int end : each.ends)
          waits.push_back({end, static_cast<short>(each.swallowed || held_ ? 0 : POLLIN), 0});
      ::poll(waits.data(), waits.size(), -1);
      if (waits[0].revents != 0 && !obey())
        return;
      if (waits[0].revents != 0)
        continue;
      for (std::size_t i = 2; i < waits.size(); ++i)
        if (waits[i].revents != 0)
          pass(pairs_[(i - 2) / 2], (i - 2) % 2);
      std::erase_if(pairs_, [](const pair& each) { return each.ends[0] < 0; });
      if (waits[1].revents != 0)
        accept();
    }
  }

  bool obey() {
    std::uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof count);
    const auto what = order_.exchange(order::none);
    if (what == order::hold || what == order::go_on) {
      held_ = what == order::hold;
      return true;
    }
    for (auto& each : pairs_) {
      if (what == order::swallow)
        each.swallowed = true;
      else if (what != order::none)
        close(each);
    }
    std::erase_if(pairs_, [](const pair& each) { return each.ends[0] < 0; });
    return what != order::stop;
  }

  void accept() {
    const int from = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto at = loopback(to_);
    if (from >= 0 && ::connect(to, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) {
      pairs_.push_back({{from, to}});
      return;
    }
    ::close(from);
    ::close(to);
  }

  void pass(pair& which, std::size_t from) {
    if (which.swallowed || held_ || which.ends[0] < 0)
      return;
    std::array<char, 65536> room;
    const auto size = ::read(which.ends[from], room.data(), room.size());
    if (size <= 0)
      return close(which);
    for (ssize_t done = 0; done < size;) {
      const auto sent = ::send(which.ends[1 - from], room.data() + done, static_cast<std::size_t>(size - done), MSG_NOSIGNAL);
      if (sent <= 0)
        return close(which);
      done += sent;
    }
  }

  static void close(pair& which) {
    for (int& end : which.ends)
      ::close(std::exchange(end, -1));
  }

  std::uint16_t to_;
  int wake_ = -1;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<order> order_{order::none};
  std::vector<pair> pairs_;
  bool held_ = false;
  std::thread thread_;
};

} // namespace ringmaster::test
