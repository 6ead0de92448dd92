#pragma once

// Messages to the service manager (systemd): the protocol of sd_notify(3), without its library.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::apps {

/// Sends messages to the service manager that started this process. Without one, every call does nothing. Used by one thread at a
/// time.
class service_notice {
public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the environment. Call before the first thread.
  [[nodiscard]] static service_notice from_environment();

  /// Reports that the process serves; `status` is shown by `systemctl status`.
  void ready(std::string_view status) const;
  /// Reports that the configuration is being reloaded. `ready` follows.
  void reloading() const;
  /// Reports that the process ends.
  void stopping() const;
  /// Reports that the process works. Without a timely report the service manager kills and restarts it.
  void alive() const;

  /// Returns the interval of `alive` calls: a quarter of the manager's limit. Nullopt: no limit.
  [[nodiscard]] std::optional<std::chrono::milliseconds> interval() const noexcept { return interval_; }

private:
  void send(const std::string& message) const;

  std::string socket_;
  std::optional<std::chrono::milliseconds> interval_;
};

} // namespace ringmaster::apps
