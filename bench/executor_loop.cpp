#include "bench/executor_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http_text.hpp"

namespace ringmaster::bench {

namespace {

// Tags of epoll events: callback connections start here, lower tags are sockets by their number.
constexpr std::uint64_t results_tag = std::uint64_t{1} << 32;

constexpr std::string_view known_log =
  R"({"code":200,"content":{"fromLineNum":1,"toLineNum":1,"logContent":"job execute start<br>","isEnd":true}})";
constexpr std::string_view unknown_log =
  R"({"code":200,"content":{"fromLineNum":1,"toLineNum":0,"logContent":"readLog fail, logFile not exists","isEnd":true}})";

std::int64_t in_us(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000; }

std::int64_t now_us() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return in_us(now);
}

/// Returns the time at which the bytes of a message arrived; now, if the kernel does not report it.
std::int64_t arrival_us(msghdr& message) {
  for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part))
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
      return in_us(stamp);
    }
  return now_us();
}

void watch(int epoll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(socket);
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

void append_reply(std::string& out, std::string_view body) {
  out += "HTTP/1.1 200 OK\r\ncontent-type: application/json;charset=UTF-8\r\ncontent-length: ";
  out += std::to_string(body.size());
  out += "\r\nconnection: keep-alive\r\n\r\n";
  out += body;
}

} // namespace

executor_loop::executor_loop(std::vector<int> listeners, const callback_sender::options& results,
                             std::chrono::microseconds answer_work, load_progress& progress)
  : epoll_{::epoll_create1(EPOLL_CLOEXEC)},
    listeners_{std::move(listeners)},
    progress_{progress},
    answer_work_{answer_work},
    results_{epoll_, results_tag, results, *this} {
  for (const auto socket : listeners_)
    watch(epoll_, socket);
}

executor_loop::~executor_loop() {
  for (const auto socket : listeners_)
    ::close(socket);
  for (const auto& [socket, ignored] : peers_)
    ::close(socket);
  ::close(epoll_);
}

run_book executor_loop::run() {
  std::array<epoll_event, 256> events;
  while (!progress_.stop.load(std::memory_order_relaxed)) {
    const auto count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 20);
    for (int i = 0; i < count; ++i) {
      const auto tag = events[static_cast<std::size_t>(i)].data.u64;
      if (tag >= results_tag)
        results_.on_event(tag);
      else if (const auto socket = static_cast<int>(tag);
               std::find(listeners_.begin(), listeners_.end(), socket) != listeners_.end())
        accept_all(socket);
      else
        on_peer(socket);
    }
    if (!progress_.hold.load(std::memory_order_relaxed))
      results_.send_waiting(now_us());
  }
  return std::move(book_);
}

void executor_loop::on_acknowledged(const pending_result& result) {
  book_.acknowledged.push_back({result.log_id, now_us()});
  progress_.acknowledged[progress_.place(result.instant_ms)].fetch_add(1, std::memory_order_relaxed);
}

void executor_loop::on_refused(std::size_t results) { progress_.refused.fetch_add(results, std::memory_order_relaxed); }

void executor_loop::accept_all(int listener) {
  for (;;) {
    const auto socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0)
      return;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    peers_[socket] = {};
    watch(epoll_, socket);
  }
}

void executor_loop::on_peer(int socket) {
  const auto found = peers_.find(socket);
  if (found == peers_.end())
    return;
  auto& one = found->second;
  if (!read(socket, one))
    return drop(socket);
  std::size_t used = 0;
  while (const auto request = first_message(std::string_view{one.in}.substr(used))) {
    answer(*request, one);
    used += request->size;
  }
  one.in.erase(0, used);
  if (!write(socket, one))
    drop(socket);
}

bool executor_loop::read(int socket, peer& from) {
  std::array<char, 16384> chunk;
  alignas(cmsghdr) std::array<char, 128> control;
  iovec part{chunk.data(), chunk.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto got = ::recvmsg(socket, &message, 0);
  if (got < 0)
    return errno == EAGAIN || errno == EINTR;
  from.arrived_us = arrival_us(message);
  from.in.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void executor_loop::answer(const http_message& request, peer& from) {
  auto& out = from.out;
  const auto line = request.first_line;
  if (line.starts_with("POST /run ") || line.starts_with("POST /trigger ")) {
    const auto instant =
      number_after(request.body, "\"logDateTime\":") + number_after(request.body, "\"executorParams\":\"");
    const received_run run{number_after(request.body, "\"logId\":"), instant, from.arrived_us, now_us(),
                           number_after(request.body, "\"jobId\":")};
    work();
    append_reply(out, R"({"code":200})");
    book_.received.push_back(run);
    progress_.received[progress_.place(run.instant_ms)].fetch_add(1, std::memory_order_relaxed);
    results_.enqueue({run.log_id, run.instant_ms});
  } else if (line.starts_with("POST /beat ") || line.starts_with("POST /idleBeat ") || line.starts_with("POST /kill ")) {
    append_reply(out, R"({"code":200})");
  } else if (line.starts_with("POST /log ")) {
    append_reply(out, has_started(number_after(request.body, "\"logId\":")) ? known_log : unknown_log);
  } else {
    append_reply(out, R"({"code":500,"msg":"invalid request, uri-mapping not found."})");
  }
}

void executor_loop::work() const {
  const auto end = std::chrono::steady_clock::now() + answer_work_;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Called only after a crash, so no index is kept before.
bool executor_loop::has_started(std::int64_t log_id) {
  for (; started_known_ < book_.received.size(); ++started_known_)
    started_.insert(book_.received[started_known_].log_id);
  return started_.contains(log_id);
}

bool executor_loop::write(int socket, peer& to) {
  while (!to.out.empty()) {
    const auto sent = ::send(socket, to.out.data(), to.out.size(), MSG_NOSIGNAL);
    // Clients do not pipeline, so a reply of a hundred bytes always fits into the socket's buffer.
    if (sent <= 0)
      return false;
    to.out.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

void executor_loop::drop(int socket) {
  ::close(socket);
  peers_.erase(socket);
}

} // namespace ringmaster::bench
