#include "bench/callback_sender.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http_text.hpp"

namespace ringmaster::bench {

namespace {

constexpr std::int64_t reconnect_after_us = 50'000;

} // namespace

callback_sender::callback_sender(int epoll, std::uint64_t first_tag, options chosen, listener& told)
  : epoll_{epoll}, first_tag_{first_tag}, options_{std::move(chosen)}, told_{told}, connections_{options_.connections} {}

callback_sender::~callback_sender() {
  for (auto& one : connections_)
    if (one.socket >= 0)
      ::close(one.socket);
}

void callback_sender::send_waiting(std::int64_t now_us) {
  for (std::size_t i = 0; i < connections_.size() && !waiting_.empty(); ++i) {
    auto& one = connections_[i];
    if (one.socket < 0 && now_us >= one.not_before_us)
      connect(i, now_us);
    if (!one.ready || !one.carried.empty())
      continue;
    load(one);
    write(i);
  }
}

void callback_sender::connect(std::size_t index, std::int64_t now_us) {
  auto& one = connections_[index];
  one.not_before_us = now_us + reconnect_after_us;
  one.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(one.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(options_.server_port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(one.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)
    return drop(one);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLET;
  event.data.u64 = first_tag_ + index;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.socket, &event);
}

void callback_sender::load(connection& one) {
  const auto count = std::min(options_.batch_max, waiting_.size());
  one.carried.assign(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  ++busy_;
  std::string body = "[";
  for (const auto& result : one.carried) {
    body += body.size() > 1 ? ",{\"logId\":" : "{\"logId\":";
    body += std::to_string(result.log_id);
    body += ",\"logDateTim\":";
    body += std::to_string(result.instant_ms);
    body += ",\"handleCode\":200,\"handleMsg\":\"\"}";
  }
  body += ']';
  one.out = "POST /api/callback HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(options_.server_port) +
            "\r\nContent-Type: application/json;charset=UTF-8\r\nXXL-JOB-ACCESS-TOKEN: " + options_.token +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void callback_sender::on_event(std::uint64_t tag) {
  const auto index = static_cast<std::size_t>(tag - first_tag_);
  auto& one = connections_[index];
  if (one.socket < 0)
    return;
  if (!one.ready) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(one.socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0)
      return drop(one);
    one.ready = true;
  }
  read(index);
  if (one.socket >= 0 && !one.out.empty())
    write(index);
}

void callback_sender::write(std::size_t index) {
  auto& one = connections_[index];
  while (!one.out.empty()) {
    const auto sent = ::send(one.socket, one.out.data(), one.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN)
      return;
    if (sent < 0)
      return drop(one);
    one.out.erase(0, static_cast<std::size_t>(sent));
  }
}

void callback_sender::read(std::size_t index) {
  auto& one = connections_[index];
  std::array<char, 8192> chunk;
  for (;;) {
    const auto got = ::recv(one.socket, chunk.data(), chunk.size(), 0);
    if (got < 0 && errno == EAGAIN)
      break;
    if (got <= 0)
      return drop(one);
    one.in.append(chunk.data(), static_cast<std::size_t>(got));
  }
  if (one.in.empty())
    return;
  if (const auto reply = first_message(one.in)) {
    finish(one, reply->body);
    one.in.clear();
  }
}

void callback_sender::finish(connection& one, std::string_view body) {
  if (one.carried.empty())
    return;
  if (number_after(body, "\"code\":") == 200) {
    for (const auto& result : one.carried)
      told_.on_acknowledged(result);
  } else {
    told_.on_refused(one.carried.size());
    return drop(one);
  }
  one.carried.clear();
  --busy_;
}

void callback_sender::drop(connection& one) {
  ::close(one.socket);
  one.socket = -1;
  one.ready = false;
  one.in.clear();
  one.out.clear();
  if (one.carried.empty())
    return;
  waiting_.insert(waiting_.begin(), one.carried.begin(), one.carried.end());
  one.carried.clear();
  --busy_;
}

} // namespace ringmaster::bench
