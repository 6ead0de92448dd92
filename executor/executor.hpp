#pragma once

// An executor that runs jobs for XXL-JOB's and Ringmaster's admins: link this library, register handlers, start it.

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

namespace elastic {
class elastic_handlers;
} // namespace elastic

/// Required: `admins` or `nodes`, and `app_name`; usually also `access_token`, `listen` and `port`. Paths are relative to
/// `data_dir`, or absolute. Messages name an option like the configuration of `ringmaster executor`, e.g. `executor.queue_max`.
struct executor_options {
  using milliseconds = std::chrono::milliseconds;

  /// Base addresses of admins, e.g. `http://10.0.0.1:8080/xxl-job-admin`, tried in this order.
  std::vector<std::string> admins = {};
  /// `host:port` where Ringmaster nodes accept native links (`link.listen`). The executor dials each of them, in addition to
  /// HTTP. Needs the three files that follow.
  std::vector<std::string> nodes = {};
  /// PEM files of native links: the certificate for nodes, its key, and the authority that signed for both ends.
  std::string link_certificate = {};
  std::string link_key = {};
  std::string link_ca = {};
  /// The group of this executor; 4 to 64 printable characters, as admins require.
  std::string app_name = {};
  /// The token of admin and executor, in both directions; empty: no token is sent or required.
  std::string access_token = {};
  /// Permits to start without a token on addresses other than loopback. Without a token every client that can connect can run
  /// jobs.
  bool allow_no_token = false;

  /// Host to listen on; `0.0.0.0` or `::` for all. Empty: no port is opened, and the executor is reachable only through `nodes`.
  std::string listen = "127.0.0.1";
  /// 0: the first free port of 9999, 10000 …
  std::size_t port = 9999;
  /// IP of the registered address. Empty: that of `listen`, else the first address of this machine that others can reach.
  std::string ip = {};
  /// The registered address, verbatim. Empty: made from `ip` and the port.
  std::string address = {};
  /// PEM files. If both are set, the executor serves only TLS.
  std::string tls_certificate = {};
  std::string tls_key = {};
  /// Clients must present a certificate of one of these authorities. Empty: not required.
  std::string tls_client_ca = {};
  std::size_t connections_max = 8192;
  /// Limit for all requests that are being read, except the first 16 KiB of each; further requests wait for room.
  std::size_t buffered_bytes_max = 256 * 1024 * 1024;
  /// Time from the first byte of a request to its last; from the first byte of a reply to its last; from a whole request to its
  /// reply.
  milliseconds read_timeout{10'000};
  milliseconds write_timeout{10'000};
  milliseconds reply_timeout{10'000};
  /// An idle connection is closed after this time.
  milliseconds idle_timeout{90'000};

  /// Time limit of a call to an admin: to connect, and for the response.
  milliseconds admin_timeout{3000};
  /// Protocol of the admins: that of XXL-JOB up to `3.4`, that of `3.5`, or `auto`: detected from the responses of each.
  std::string dialect = "auto";
  /// PEM files for admins at https addresses: trusted authorities (empty: those of the system), and the client certificate.
  std::string admin_ca = {};
  std::string admin_certificate = {};
  std::string admin_key = {};

  std::string data_dir = ".";
  /// Folder for the runs' logs, for scripts and for unreported results. Used by one executor only.
  std::string log_path = "joblogs";
  /// Run logs are removed after this many days; below 3: never.
  std::size_t log_retention_days = 30;
  /// Maximum log size of a run; the rest is dropped.
  std::size_t log_bytes_max = 64 * 1024 * 1024;

  /// Maximum number of waiting runs of one job.
  std::size_t queue_max = 10'000;
  /// A job's worker ends after being idle for this time.
  milliseconds idle_limit{93'000};
  /// A stop waits this long for runs before it stops them.
  milliseconds drain_timeout{5000};
  /// Number of threads for coroutine handlers, 1 to 1000: this many execute at once while the others wait.
  std::size_t coroutine_threads = 4;

  /// Labels of this executor; an elastic job with a label runs only on executors that have it.
  std::vector<std::string> labels = {};
  /// Maximum number of item runs of elastic jobs at the same time; 0: twice the number of processors.
  std::size_t elastic_capacity = 0;
  /// A stop waits this long for item runs before it cancels them.
  milliseconds elastic_drain{5000};
  /// Hosts that this executor sends messages to for jobs with the property `error.notify = host`: host or host:port.
  std::vector<std::string> elastic_error_targets{"oapi.dingtalk.com", "qyapi.weixin.qq.com"};

  /// Runs the scripts (XXL-JOB's GLUE jobs) that users of an admin wrote.
  bool scripts = false;
  program_limits script_limits = {};

  /// The log of the executor itself; null: none.
  protocol::logger log = nullptr;
};

struct executor_counts {
  /// Active runs, and runs that wait for an earlier one of their job.
  std::size_t running = 0;
  std::size_t waiting = 0;
  /// Results that no admin has yet.
  std::size_t unreported = 0;
};

/// An executor. From `start` to `stop` it serves admins, is registered with them, and runs the jobs they request. Owns its
/// threads. Any thread may call. A defect that ends one of its parts ends the process with status 70, because runs would be lost
/// otherwise.
class executor {
public:
  /// Starts an executor. It serves when this returns, and registers right after. Errors: `invalid_argument` with the invalid
  /// option, `unavailable` when the port is taken or a folder cannot be created.
  [[nodiscard]] static core::result<std::unique_ptr<executor>> start(executor_options options, handlers known);
  /// Also runs items of elastic jobs: it is a host for the nodes in `nodes`. Include executor/sdk/elastic/elastic_handlers.hpp.
  /// Errors: in addition, `invalid_argument` for handlers without `nodes`.
  [[nodiscard]] static core::result<std::unique_ptr<executor>> start(executor_options options, handlers known,
                                                                     elastic::elastic_handlers items);

  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  /// Calls `stop`.
  ~executor();

  /// Returns the registered address, e.g. `http://10.0.0.5:9999/`, or `ringmaster://app/instance` without a port.
  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] executor_counts counts() const;

  /// Reloads the TLS files for new connections. Errors: `invalid_argument` with the unusable file; then the previous files stay
  /// in use.
  core::result<void> reload_tls();

  /// Stops serving, withdraws the registration, waits for runs up to `drain_timeout`, stops the remaining ones, and delivers
  /// results to an admin, or to disk for the next start. Idempotent.
  void stop();

private:
  struct parts;
  explicit executor(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

} // namespace ringmaster::executor
