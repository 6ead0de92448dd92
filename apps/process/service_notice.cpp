#include "apps/process/service_notice.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ringmaster::apps {

namespace {

/// Returns and removes the variable, so that no child process sends messages in its name.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string taken = value ? value : "";
  unsetenv(name);
  return taken;
}

std::optional<std::int64_t> microseconds_in(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end || number <= 0)
    return std::nullopt;
  return number;
}

/// Returns CLOCK_MONOTONIC in microseconds, which systemd compares with its own clock.
std::int64_t monotonic_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1'000;
}

} // namespace

service_notice service_notice::from_environment() {
  service_notice found;
  found.socket_ = take_variable("NOTIFY_SOCKET");
  const auto limit_us = microseconds_in(take_variable("WATCHDOG_USEC"));
  const auto watched = take_variable("WATCHDOG_PID");
  if (limit_us && !found.socket_.empty() && (watched.empty() || microseconds_in(watched) == getpid()))
    found.interval_ = std::max(std::chrono::milliseconds{*limit_us / 4'000}, std::chrono::milliseconds{1});
  return found;
}

void service_notice::ready(std::string_view status) const {
  send(std::string{"READY=1\nSTATUS="}.append(status));
}

void service_notice::reloading() const {
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()));
}

void service_notice::stopping() const { send("STOPPING=1\nSTATUS=stopping"); }

void service_notice::alive() const { send("WATCHDOG=1"); }

// A name that begins with "@" is in the abstract namespace, where the first byte is zero. An unreachable manager is no reason to
// exit: it notices the missing messages.
void service_notice::send(const std::string& message) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path)
    return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@')
    address.sun_path[0] = '\0';
  const int file = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0)
    return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(file, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&address),
                 length);
  ::close(file);
}

} // namespace ringmaster::apps
