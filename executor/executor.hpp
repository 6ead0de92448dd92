#pragma once

// A process, or a part of one, that runs jobs for XXL-JOB's admins and Ringmaster's: link it, register handlers, start it.

#include <cstddef>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "executor/handlers.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::executor {

struct executor_options {
  config::executor_settings settings;
  /// Limits and TLS of its own server; `listen` is not used.
  config::server_settings server;
  /// Certificate, key and authority of native links to `settings.nodes`; its `listen` is not used.
  config::link_settings link;
  /// The token of admin and executor, in both directions; empty: none is shown and none is asked for.
  std::string access_token;
  /// Folder for what is relative in the settings.
  std::string data_dir = ".";
  /// What it says of itself; null: nothing.
  protocol::logger log = nullptr;
};

struct executor_counts {
  /// Runs that run now; that wait for an earlier one of their job.
  std::size_t running = 0;
  std::size_t waiting = 0;
  /// Results that no admin has yet.
  std::size_t unreported = 0;
};

/// A defect that ends one of its parts ends the process, with status 70: runs would be lost in it. From `start` to `stop` it
/// serves admins, is registered with them, and runs what they ask for. Owns its threads. Any thread may call.
class executor {
public:
  /// Serves before it returns; registers right after. Errors: `invalid_argument` naming what is wrong with the options,
  /// `unavailable` when the port is taken or a folder cannot be made.
  [[nodiscard]] static core::result<std::unique_ptr<executor>> start(executor_options options, handlers known);

  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  /// As `stop`.
  ~executor();

  /// As it is registered, e.g. `http://10.0.0.5:9999/`, or `ringmaster://app/instance` without a port.
  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] executor_counts counts() const;

  /// Serves no more, takes its registration back, waits for runs up to `drain_timeout`, stops what is left, and hands results to
  /// an admin, or to disk for the next start. Idempotent.
  void stop();

private:
  class actor_config;
  struct parts;
  explicit executor(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

} // namespace ringmaster::executor
