#pragma once

// A process, or a part of one, that runs jobs for XXL-JOB's admins and Ringmaster's: link it, register handlers, start it.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "executor/handlers.hpp"
#include "executor/program_limits.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::executor {

/// What has to be said is `admins` or `nodes`, and `app_name`, mostly with `access_token`, `listen` and `port`. Paths are
/// relative to `data_dir`, or absolute. Messages name an option as `executor.queue_max`, as the configuration of `ringmaster
/// executor` does.
struct executor_options {
  using milliseconds = std::chrono::milliseconds;

  /// Base addresses of admins, e.g. `http://10.0.0.1:8080/xxl-job-admin`, asked in this order.
  std::vector<std::string> admins = {};
  /// `host:port` where nodes of Ringmaster await executors (`link.listen`): each is dialled for a native link, beside HTTP. Needs
  /// the three files that follow.
  std::vector<std::string> nodes = {};
  /// PEM files of native links: what is shown to nodes, its key, and the authority that signed for both ends.
  std::string link_certificate = {};
  std::string link_key = {};
  std::string link_ca = {};
  /// The group that it belongs to; from 4 to 64 printable characters, as admins ask for.
  std::string app_name = {};
  /// The token of admin and executor, in both directions; empty: none is shown and none is asked for.
  std::string access_token = {};
  /// Without a token whoever reaches it can run jobs: then it starts on loopback alone, unless this is said.
  bool allow_no_token = false;

  /// Host that it listens on; `0.0.0.0` or `::` for all. Empty: no port is opened, and `nodes` are the only way to it.
  std::string listen = "127.0.0.1";
  /// 0: the first free one of 9999, 10000 …
  std::size_t port = 9999;
  /// Of the registered address. Empty: what `listen` says, else the first address of this machine that others can reach.
  std::string ip = {};
  /// What is registered, verbatim. Empty: made of `ip` and the port.
  std::string address = {};
  /// PEM files. With both, everything is served over TLS and nothing in the clear.
  std::string tls_certificate = {};
  std::string tls_key = {};
  /// Who connects must show a certificate of one of these authorities. Empty: needs none.
  std::string tls_client_ca = {};
  std::size_t connections_max = 8192;
  /// All requests that are being read, but for the first 16 KiB of each; who finds no room waits.
  std::size_t buffered_bytes_max = 256 * 1024 * 1024;
  /// From the first byte of a request to its last; from the first byte of a reply to its last; from a whole request to its reply.
  milliseconds read_timeout{10'000};
  milliseconds write_timeout{10'000};
  milliseconds reply_timeout{10'000};
  /// A connection without a request for this long is closed.
  milliseconds idle_timeout{90'000};

  /// Of a call to an admin: to connect, and for its answer.
  milliseconds admin_timeout{3000};
  /// How admins are spoken to: as XXL-JOB's releases up to `3.4`, as `3.5`, or `auto`: as each one's answers show.
  std::string dialect = "auto";
  /// PEM files for admins at https addresses: whom to trust (empty: whom the system trusts), and what to show them.
  std::string admin_ca = {};
  std::string admin_certificate = {};
  std::string admin_key = {};

  std::string data_dir = ".";
  /// Folder of the runs' logs, of scripts and of results that no admin has yet. One executor has it to itself.
  std::string log_path = "joblogs";
  /// Logs of runs are removed after so many days; below 3: never.
  std::size_t log_retention_days = 30;
  /// What a run may write into its log; the rest is dropped.
  std::size_t log_bytes_max = 64 * 1024 * 1024;

  /// Runs of one job that wait.
  std::size_t queue_max = 10'000;
  /// A job whose worker had nothing to do for so long loses it.
  milliseconds idle_limit{93'000};
  /// A stop waits so long for runs before it stops them.
  milliseconds drain_timeout{5000};
  /// Threads for handlers that are coroutines, from 1 to 1000: as many as run at once while the others wait.
  std::size_t coroutine_threads = 4;

  /// Runs the scripts (XXL's GLUE jobs) that people of an admin wrote.
  bool scripts = false;
  program_limits script_limits = {};

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

  /// Reads the files of TLS again, for connections to come. Errors: `invalid_argument` naming what cannot be used; then it goes
  /// on with what it had.
  core::result<void> reload_tls();

  /// Serves no more, takes its registration back, waits for runs up to `drain_timeout`, stops what is left, and hands results to
  /// an admin, or to disk for the next start. Idempotent.
  void stop();

private:
  struct parts;
  explicit executor(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

} // namespace ringmaster::executor
