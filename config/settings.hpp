#pragma once

// All settings with their defaults. `config/ringmaster.example.toml` shows the same values (tested); an actor receives only its
// section. Durations are std::chrono types; the file shows their units.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringmaster::config {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct database_settings {
  /// `sqlite:PATH` (relative to data_dir) or `mysql://user:password@host:port/name` (`?socket=/path` for a Unix socket).
  std::string url = "sqlite:ringmaster.db";
  /// `auto`: serve migrates at start. `refuse`: serve stops with the command to run. Empty: auto on SQLite, refuse on MySQL.
  std::string migrate;
  /// Zone of DATETIME columns; empty: schedule.time_zone.
  std::string time_zone;
  milliseconds connect_timeout{3000};
  /// Maximum time of a statement.
  milliseconds statement_timeout{5000};
  /// Setting that names the database, for messages: `c.toml:3: database.url`. Set by `load`; it has no key.
  std::string named_by = "database.url";
};

struct server_settings {
  /// host:port; port 0 selects a free one.
  std::string listen = "127.0.0.1:8080";
  std::string context_path = "/xxl-job-admin";
  /// Language of texts that are stored or sent to users: en, zh_CN or zh_TC.
  std::string language = "en";
  std::size_t header_bytes_max = 16 * 1024;
  /// Java executors send all queued results in one callback.
  std::size_t body_bytes_max = 16 * 1024 * 1024;
  /// Maximum size of all bodies that are being read or handled, except the first 16 KiB of each; further requests wait.
  std::size_t buffered_bytes_max = 256 * 1024 * 1024;
  /// Time from the first byte of a request to its last.
  milliseconds read_timeout{10000};
  milliseconds write_timeout{10000};
  /// Time after which a connection without a request is closed.
  milliseconds idle_timeout{90000};
  /// Time from the end of a request to its reply.
  milliseconds reply_timeout{10000};
  std::size_t connections_max = 8192;
  /// Limit per client address; an IPv6 /64 network counts as one address. This machine and trusted proxies are not limited. 0: no
  /// limit.
  std::size_t connections_per_client = 1024;
  /// PEM files. If both are set, all connections use TLS and plain text is refused.
  std::string tls_certificate;
  std::string tls_key;
  /// Clients must present a certificate of one of these authorities. Empty: none is required.
  std::string tls_client_ca;
  /// Proxies whose X-Forwarded-… headers are trusted.
  std::vector<std::string> trusted_proxies;
};

/// Returns the time that a request waits for an actor. Leaves the transport time to see the reply before its own limit.
[[nodiscard]] inline milliseconds ask_limit(const server_settings& server) {
  return server.reply_timeout - std::min(server.reply_timeout / 10, milliseconds{500});
}

struct security_settings {
  /// Token for both directions. Empty: generated at the first start and written to `initial-secrets` in data_dir.
  std::string access_token;
  /// Token that `access_token` replaced: still accepted from executors and operators, and presented to executors that refuse the
  /// new one. Empty: none.
  std::string former_access_token;
  /// Time until which the former token is accepted (`parse_utc`); empty: as long as it is configured.
  std::string former_access_token_until;
  /// If false, XXL-JOB's default token prevents the start.
  bool allow_default_token = false;
  /// If false, a user who signs in with XXL-JOB's default password must choose another one first.
  bool allow_known_passwords = false;
  /// Allows users to enter scripts (XXL's GLUE jobs), which executors then run.
  bool glue = false;
  /// Time after which an unused session expires.
  milliseconds session_lifetime{std::chrono::hours{12}};
  /// Time after which an unused session expires if the user asked to be remembered.
  milliseconds remember_lifetime{std::chrono::hours{24 * 30}};
  /// Maximum time from a sign-in to the end of its session, even if it is in use.
  milliseconds session_max_age{std::chrono::hours{24 * 30}};
  /// Cookies are sent only over HTTPS.
  bool secure_cookies = false;
  /// Requests from this machine that no proxy header marks as forwarded need no token for metrics and the reasons of readiness.
  bool trust_loopback = true;
  /// Networks in which executors may be called.
  std::vector<std::string> executor_networks{"127.0.0.0/8",   "::1/128",        "10.0.0.0/8",
                                             "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"};
  /// PEM files for executors at https addresses: trusted authorities (empty: the system's), and the certificate to present with
  /// its key.
  std::string executor_ca;
  std::string executor_certificate;
  std::string executor_key;
};

/// Answers to users' browsers, scripts and tools.
struct gateway_settings {
  /// Imitated releases of XXL-JOB: `2.x` (up to 3.2), `3.3+`, or `auto`: as each request shows, else as the schema does.
  std::string dialect = "auto";
  /// Long-term rate of one user's requests on one node, with a burst of twice as many. 0: no limit.
  std::size_t requests_per_second = 200;
  /// Tokens of executors that may manage jobs under /api/: `off`, `group_tokens` (the jobs of the token's group) or `all` (also
  /// all jobs with `security.access_token`).
  std::string job_management = "group_tokens";
};

struct schedule_settings {
  /// IANA name; empty: TZ, else /etc/localtime.
  std::string time_zone;
  /// Time before its instant at which a firing is claimed.
  milliseconds claim_ahead{200};
  /// Delay after which the job's misfire policy decides about an instant.
  milliseconds misfire_after{5000};
  /// Interval of polls for edits by other nodes and admins.
  milliseconds edit_poll{500};
  std::size_t claim_rows_max = 500;
};

struct trigger_settings {
  /// Maximum concurrent sends per lane; firings stay due while their lane is full.
  std::size_t fast_window = 16384;
  std::size_t slow_window = 1024;
  /// A job that is slower than this more than slow_count times in a minute is moved to the slow lane.
  milliseconds slow_after{500};
  std::size_t slow_count = 10;
  milliseconds connect_timeout{3000};
  milliseconds request_timeout{3000};
  /// Maximum number of connections to one executor address, if an instant has that many runs for it.
  std::size_t connections_per_executor = 1024;
  /// Returns the number of connections that are opened for waiting runs; more are opened only ahead of an instant.
  [[nodiscard]] std::size_t connections_on_demand() const noexcept {
    constexpr std::size_t most = 128;
    return connections_per_executor < most ? connections_per_executor : most;
  }
  /// Maximum number of connections for calls whose instant is still to come. Not a setting: it follows from the limit of open
  /// files.
  std::size_t connections_ahead_max = 65536;
  /// Threads that call executors; each executor belongs to one of them. The first one also serves HTTP.
  std::size_t io_threads = 2;
  std::size_t reply_bytes_max = 1024 * 1024;
  /// Maximum size of an answer with a log that is read as a whole; logs that users read are streamed into files.
  std::size_t log_bytes_max = 4 * 1024 * 1024;
  /// Time after which an idle connection to an executor is closed.
  milliseconds connection_idle{60000};
  /// Wait after an unknown outcome before the executor is queried.
  milliseconds settle{500};
  /// Time after which an undecided unknown run is given up.
  milliseconds ask_limit{60000};
};

/// Limits of a running script and of a command.
struct script_limits {
  /// Data limit of each of its processes; 0: no limit set by Ringmaster.
  std::size_t memory_bytes_max = 0;
  /// Maximum output of a run; further output is dropped.
  std::size_t output_bytes_max = 64 * 1024 * 1024;
  /// Time between TERM and KILL.
  milliseconds kill_grace{1000};
  /// Soft limit of open files. Not a setting: the limit of this process before it raised its own. 0: the limit of this process.
  std::uint64_t open_files = 0;
};

/// A process that runs jobs: `ringmaster executor`, and programs that link the SDK.
struct executor_settings {
  /// Base addresses of admins, e.g. `http://10.0.0.1:8080/xxl-job-admin`, tried in this order.
  std::vector<std::string> admins;
  /// host:port of nodes' `link.listen`: the executor opens a native link to each, in addition to HTTP.
  std::vector<std::string> nodes;
  /// App name of its group.
  std::string app_name;
  /// Registered address, verbatim. Empty: built from `ip` and the port.
  std::string address;
  /// Host of the registered address. Empty: the host of `listen`, else the first address of this machine that others can reach.
  std::string ip;
  /// Host to listen on; `0.0.0.0` or `::` for all. Empty: no port is opened, and the executor is reachable only through `nodes`.
  std::string listen = "127.0.0.1";
  /// 0: the first free one of 9999, 10000 …
  std::size_t port = 9999;
  /// Folder of the runs' logs, of scripts and of results that were not delivered yet; relative to `data_dir`.
  std::string log_path = "joblogs";
  /// Days after which logs of runs are removed; below 3: never.
  std::size_t log_retention_days = 30;
  /// Maximum size of a run's log; the rest is dropped.
  std::size_t log_bytes_max = 64 * 1024 * 1024;
  /// Time limit of a call to an admin: to connect, and for its answer.
  milliseconds admin_timeout{3000};
  /// Dialect of requests to admins: of releases up to `3.4`, of `3.5`, or `auto`: according to each admin's answers.
  std::string dialect = "auto";
  /// PEM files for admins at https addresses: trusted authorities (empty: the system's), and the certificate to present with its
  /// key.
  std::string admin_ca;
  std::string admin_certificate;
  std::string admin_key;
  /// Allows an executor without a token on other addresses than loopback. Any client that reaches it can then run jobs.
  bool allow_no_token = false;
  /// Maximum number of waiting runs of one job.
  std::size_t queue_max = 10000;
  /// Time after which an idle worker of a job ends.
  milliseconds idle_limit{93000};
  /// Maximum wait of a stop for runs before it stops them.
  milliseconds drain_timeout{5000};
  /// Runs the scripts (XXL's GLUE jobs) that users of an admin wrote.
  bool scripts = false;
  /// URLs that the handler `http` of `ringmaster executor` may call, each with a path that ends with a slash. Empty: the handler
  /// does not exist.
  std::vector<std::string> http_allowed;
  script_limits limits;
  /// Runs items of elastic jobs of the types `script` and `http`.
  bool elastic = false;
  /// Labels: an elastic job with a label runs only on executors that have it.
  std::vector<std::string> labels;
  /// Folders of the programs that elastic jobs of the type `script` may run.
  std::vector<std::string> elastic_scripts;
  /// Maximum number of item runs at the same time; 0: twice the number of processors.
  std::size_t elastic_capacity = 0;
  /// Maximum wait of a stop for item runs before it cancels them.
  milliseconds elastic_drain{5000};
};

struct registry_settings {
  /// Time after which a registration that was not renewed is dead.
  milliseconds dead_after{90000};
  milliseconds flush{10000};
  milliseconds reread{5000};
};

struct cluster_settings {
  /// Identity of this node in `rm_node`; empty: made once and kept in data_dir.
  std::string node;
  /// `native`: only this cluster plans the schedule. `shared`: Java admins plan on the same database. Empty: according to the
  /// database (`ringmaster takeover`).
  std::string mode;
  milliseconds beat{300};
  milliseconds dead_after{1500};
  /// Longest time from the last check of the deadline to the socket write.
  milliseconds send_margin{300};
  /// Maximum error of a node's wall clock (`core::clock_trust`); beyond it the node claims nothing. 0: not checked.
  milliseconds clock_tolerance{5000};
  /// Time for which a step of the clock that no other clock confirms or contradicts counts as wrong.
  milliseconds clock_settle{60'000};
};

/// Native links: C++ executors connect to nodes, over TLS with certificates at both ends.
struct link_settings {
  /// host:port on which a node accepts executors; port 0 selects a free one. Empty: no listener.
  std::string listen;
  /// PEM files: the certificate of this end with its key, and the authority of the other end. An executor with a certificate of
  /// that authority has to present only the access token, so the authority must sign only for links.
  std::string certificate;
  std::string key;
  std::string ca;
};

/// Retention of the log of runs and of the audit log.
struct retention_settings {
  /// Age in local days after which runs are removed; 0: never. Not 1 or 2: the daily report counts three days.
  std::size_t days = 30;
  /// Age in days after which rows of the audit log (`rm_audit`) are removed; 0: never.
  std::size_t audit_days = 400;
  /// Maximum size of the kept log of one run of a job with keep_logs.
  std::size_t kept_log_bytes_max = 1024 * 1024;
  /// Maximum size of all kept logs; the oldest are removed first.
  std::size_t kept_logs_bytes_max = 1024 * 1024 * 1024;
};

/// Elastic jobs.
struct elastic_settings {
  /// Age in days after which runs, fires and plans are removed; 0: never.
  std::size_t history_days = 30;
  /// Hosts that the properties of error handlers may name, with or without a port.
  std::vector<std::string> error_targets{"oapi.dingtalk.com", "qyapi.weixin.qq.com"};
  /// A fire that begins later than this raises the alarm `ej_late`.
  milliseconds late_after{5000};
  /// Number of lost hosts within `takeover_window` from which runs of a job were taken over, that raises the alarm
  /// `ej_takeovers`; 0: never.
  std::size_t takeover_limit = 3;
  milliseconds takeover_window{600'000};
};

struct log_settings {
  /// trace, debug, info, warn, error.
  std::string level = "info";
  /// text or json.
  std::string format = "text";
};

struct deploy_settings {
  /// Job files, applied at start and on SIGHUP; globs; relative to the configuration file.
  std::vector<std::string> files;
  /// Folder to which `files` are relative: that of the configuration file. Set by `load`; it has no key.
  std::string base_dir = ".";
  /// Place where `files` was set, for messages: `/etc/ringmaster/ringmaster.toml:12: deploy.files`. Set by `load`; it has no key.
  std::string files_from = "deploy.files";
  /// Owner of the declarations. Another name is another owner, which may not change the declarations of this one.
  std::string source = "deploy";
  std::int64_t revision = 0;
  bool prune = false;
};

struct mail_settings {
  /// SMTP server; empty: no e-mail is sent.
  std::string host;
  std::size_t port = 587;
  /// none, starttls or tls.
  std::string tls = "starttls";
  /// Empty: without authentication.
  std::string user;
  std::string password;
  /// The sender's address.
  std::string from;
  bool verify_certificate = true;
  /// Trusted certificates instead of the system's; relative to the configuration file. Empty: the system's.
  std::string ca_file;
  milliseconds timeout{30000};
};

struct alarm_settings {
  /// Deduplication window: failures of a job for the same reason within it are one message. 0: each failure is reported.
  milliseconds dedup{60000};
  /// Maximum messages per minute to one webhook or one e-mail address; further ones are reported in one summary.
  std::size_t per_minute = 20;
  /// Time limit for one message to a webhook.
  milliseconds webhook_timeout{10000};
  /// ringmaster: names the job and its run; xxl: XXL-JOB's subject and table.
  std::string form = "ringmaster";
  /// Address of a page about a run, with `{run}` and `{job}` for its ids. Empty: messages have no link.
  std::string link = {};
  /// Address of a page about an elastic job, with `{job}` for its id and `{run}` for that of the item's run. Empty: no link.
  std::string elastic_link = {};
  /// Number of last lines of the failed run's log in a message; 0: none.
  std::size_t log_lines = 10;
};

/// One `[[webhook]]`: a channel by its name.
struct webhook_settings {
  std::string name;
  /// Contains a secret: never shown.
  std::string url;
  /// generic, dingtalk, wecom, feishu or slack.
  std::string preset = "generic";
  /// Signs messages to dingtalk and feishu; empty: unsigned.
  std::string secret;
  /// Custom body with {placeholders}; empty: the preset's.
  std::string body_template;
  std::string content_type = "application/json";
  /// Trusted certificates instead of the system's. Empty: the system's.
  std::string ca_file;
  friend bool operator==(const webhook_settings&, const webhook_settings&) = default;
};

/// A program as a handler of `ringmaster executor`. Users of an admin choose only its parameter.
struct command_settings {
  /// Name of the handler in jobs.
  std::string name;
  /// A path, or a name in PATH.
  std::string program;
  std::vector<std::string> arguments;
  /// Working directory. Empty: that of the executor.
  std::string folder;
  /// Passes the parameter as the last argument, too; it is always in the environment variable JOB_PARAM. A parameter that begins
  /// with `-` is refused unless `arguments` end with `--`.
  bool append_param = false;
};

struct settings {
  std::string data_dir = "/var/lib/ringmaster";
  /// Maximum wait of a graceful stop for runs that are being sent.
  milliseconds drain_timeout{10000};
  server_settings server;
  security_settings security;
  gateway_settings gateway;
  database_settings database;
  schedule_settings schedule;
  trigger_settings trigger;
  registry_settings registry;
  executor_settings executor;
  cluster_settings cluster;
  link_settings link;
  retention_settings retention;
  elastic_settings elastic;
  log_settings log;
  deploy_settings deploy;
  mail_settings mail;
  alarm_settings alarm;
  std::vector<webhook_settings> webhooks;
  std::vector<command_settings> commands;
};

} // namespace ringmaster::config
