#pragma once

// What the service manager (systemd) is told of the process: the protocol of sd_notify(3), without its library.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::apps {

/// Messages to the service manager that started this process; without one every call does nothing. One thread at a time.
class service_notice {
public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the environment. Call before the first thread.
  [[nodiscard]] static service_notice from_environment();

  /// Reports that the process serves; `status` is shown by `systemctl status`.
  void ready(std::string_view status) const;
  /// Reports that the configuration is read again. `ready` follows.
  void reloading() const;
  /// Reports that the process ends.
  void stopping() const;
  /// Reports that the process works. Without a report in time the service manager kills and restarts it.
  void alive() const;

  /// Returns how often `alive` is due: a quarter of the manager's limit. Nothing: it has no limit.
  [[nodiscard]] std::optional<std::chrono::milliseconds> interval() const noexcept { return interval_; }

private:
  void send(const std::string& message) const;

  std::string socket_;
  std::optional<std::chrono::milliseconds> interval_;
};

} // namespace ringmaster::apps
