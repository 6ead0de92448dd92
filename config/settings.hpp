#pragma once

// Every setting with its default. `config/ringmaster.example.toml` shows the same values (tested); an actor receives only its
// section. Durations are std::chrono types; the file shows their units.

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
  /// A statement that takes longer is given up.
  milliseconds statement_timeout{5000};
  /// Which setting names the database, for messages: `c.toml:3: database.url`. Set by `load`, no key of its own.
  std::string named_by = "database.url";
};

struct server_settings {
  /// host:port; port 0 takes a free one.
  std::string listen = "127.0.0.1:8080";
  std::string context_path = "/xxl-job-admin";
  /// Of texts that are stored or sent to people: en, zh_CN or zh_TC.
  std::string language = "en";
  std::size_t header_bytes_max = 16 * 1024;
  /// Java executors send everything that queued up in one callback.
  std::size_t body_bytes_max = 16 * 1024 * 1024;
  /// All bodies that are being read or handled, but for the first 16 KiB of each; who finds no room waits.
  std::size_t buffered_bytes_max = 256 * 1024 * 1024;
  /// From the first byte of a request to its last.
  milliseconds read_timeout{10000};
  milliseconds write_timeout{10000};
  /// A connection without a request for this long is closed.
  milliseconds idle_timeout{90000};
  /// From a whole request to its reply.
  milliseconds reply_timeout{10000};
  std::size_t connections_max = 8192;
  /// Of one client address; of IPv6 the network of 64 bits counts as one. This machine and trusted proxies are not limited. 0: no
  /// limit.
  std::size_t connections_per_client = 1024;
  /// PEM files. With both, everything is served over TLS and nothing in the clear.
  std::string tls_certificate;
  std::string tls_key;
  /// Who connects must show a certificate of one of these authorities. Empty: needs none.
  std::string tls_client_ca;
  /// Whose X-Forwarded-… headers are believed.
  std::vector<std::string> trusted_proxies;
};

struct security_settings {
  /// Both directions. Empty: made at the first start and written to `initial-secrets` in data_dir.
  std::string access_token;
  /// The token that `access_token` replaced: still taken from executors and operators, and shown to executors that refuse the new
  /// one. Empty: none.
  std::string former_access_token;
  /// Until then (`parse_utc`); empty: as long as it stands here.
  std::string former_access_token_until;
  /// Without it the token that XXL-JOB ships stops the start.
  bool allow_default_token = false;
  /// Without it, whoever signs in with XXL-JOB's first password must choose another one before anything else.
  bool allow_known_passwords = false;
  /// People may enter scripts (XXL's GLUE jobs), which executors then run.
  bool glue = false;
  /// A session that nobody uses ends after this time.
  milliseconds session_lifetime{std::chrono::hours{12}};
  /// The same for who asked to be remembered.
  milliseconds remember_lifetime{std::chrono::hours{24 * 30}};
  /// A session ends so long after its sign-in, however much it is used.
  milliseconds session_max_age{std::chrono::hours{24 * 30}};
  /// Cookies go over HTTPS alone.
  bool secure_cookies = false;
  /// Who calls from this machine, by no proxy that says so, needs no token for metrics and the reasons of readiness.
  bool trust_loopback = true;
  /// Networks in which executors may be called.
  std::vector<std::string> executor_networks{"127.0.0.0/8",   "::1/128",        "10.0.0.0/8",
                                             "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"};
  /// PEM files for executors at https addresses: whom to trust (empty: whom the system trusts), and what to show them.
  std::string executor_ca;
  std::string executor_certificate;
  std::string executor_key;
};

/// What people's browsers, scripts and tools are answered.
struct gateway_settings {
  /// Like which releases of XXL-JOB: `2.x` (up to 3.2), `3.3+`, or `auto`: as each request shows, else as the schema does.
  std::string dialect = "auto";
  /// Requests of one user on one node, in the long run; twice as many at once. 0: no limit.
  std::size_t requests_per_second = 200;
  /// Who manages jobs under /api/ with an executor's token: `off`, `group_tokens` (the jobs of the token's group) or `all` (also
  /// all jobs with `security.access_token`).
  std::string job_management = "group_tokens";
};

struct schedule_settings {
  /// IANA name; empty: TZ, else /etc/localtime.
  std::string time_zone;
  /// How long before its instant a firing is claimed.
  milliseconds claim_ahead{200};
  /// An instant later than this is decided by the job's misfire policy.
  milliseconds misfire_after{5000};
  /// How often edits made elsewhere are looked for.
  milliseconds edit_poll{500};
  std::size_t claim_rows_max = 500;
};

struct trigger_settings {
  /// Runs on their way at once, by lane; a full lane leaves firings due.
  std::size_t fast_window = 16384;
  std::size_t slow_window = 1024;
  /// A job slower than this more than slow_count times in a minute goes to the slow lane.
  milliseconds slow_after{500};
  std::size_t slow_count = 10;
  milliseconds connect_timeout{3000};
  milliseconds request_timeout{3000};
  /// Opened to one executor address at most, if an instant has so many runs for it.
  std::size_t connections_per_executor = 1024;
  /// Opened for runs that wait; more only ahead of an instant.
  [[nodiscard]] std::size_t connections_on_demand() const noexcept {
    constexpr std::size_t most = 128;
    return connections_per_executor < most ? connections_per_executor : most;
  }
  /// Open at once for calls whose instant is still to come; no setting: follows from the limit of open files.
  std::size_t connections_ahead_max = 65536;
  /// Threads that call executors, each executor by one of them; the first one also serves.
  std::size_t io_threads = 2;
  std::size_t reply_bytes_max = 1024 * 1024;
  /// Of an answer with a log.
  std::size_t log_bytes_max = 4 * 1024 * 1024;
  /// An idle connection to an executor is closed after this.
  milliseconds connection_idle{60000};
  /// Wait after an unknown outcome before the executor is asked.
  milliseconds settle{500};
  /// An unknown run that nobody can tell about is given up after this.
  milliseconds ask_limit{60000};
};

/// Of a script that runs, and of a command.
struct script_limits {
  /// Data of each of its processes; 0: no limit of ours.
  std::size_t memory_bytes_max = 0;
  /// Output of a run; what is beyond it is dropped.
  std::size_t output_bytes_max = 64 * 1024 * 1024;
  /// Between TERM and KILL.
  milliseconds kill_grace{1000};
  /// Soft limit of open files; no setting: as this process had it before it raised its own. 0: as this process.
  std::uint64_t open_files = 0;
};

/// A process that runs jobs: `ringmaster executor`, and what links the SDK.
struct executor_settings {
  /// Base addresses of admins, e.g. `http://10.0.0.1:8080/xxl-job-admin`, asked in this order.
  std::vector<std::string> admins;
  /// host:port of nodes' `link.listen`: each is dialled for a native link, beside HTTP.
  std::vector<std::string> nodes;
  /// The group that it belongs to.
  std::string app_name;
  /// What is registered, verbatim. Empty: made of `ip` and the port.
  std::string address;
  /// Of the registered address. Empty: what `listen` says, else the first address of this machine that others can reach.
  std::string ip;
  /// Host that it listens on; `0.0.0.0` or `::` for all. Empty: no port is opened, and `nodes` are the only way to it.
  std::string listen = "127.0.0.1";
  /// 0: the first free one of 9999, 10000 …
  std::size_t port = 9999;
  /// Folder of the runs' logs, of scripts and of results that no admin has yet; relative to `data_dir`.
  std::string log_path = "joblogs";
  /// Logs of runs are removed after so many days; below 3: never.
  std::size_t log_retention_days = 30;
  /// What a run may write into its log; the rest is dropped.
  std::size_t log_bytes_max = 64 * 1024 * 1024;
  /// Of a call to an admin: to connect, and for its answer.
  milliseconds admin_timeout{3000};
  /// How admins are spoken to: as releases up to `3.4`, as `3.5`, or `auto`: as each one's answers show.
  std::string dialect = "auto";
  /// PEM files for admins at https addresses: whom to trust (empty: whom the system trusts), and what to show them.
  std::string admin_ca;
  std::string admin_certificate;
  std::string admin_key;
  /// Without a token whoever reaches it can run jobs: then it starts on loopback alone, unless this is said.
  bool allow_no_token = false;
  /// Runs of one job that wait.
  std::size_t queue_max = 10000;
  /// A job whose worker had nothing to do for so long loses it.
  milliseconds idle_limit{93000};
  /// A stop waits so long for runs before it stops them.
  milliseconds drain_timeout{5000};
  /// Runs the scripts (XXL's GLUE jobs) that people of an admin wrote.
  bool scripts = false;
  /// What the handler `http` of `ringmaster executor` may call, each with a path that ends with a slash. Empty: it has no such
  /// handler.
  std::vector<std::string> http_allowed;
  script_limits limits;
};

struct registry_settings {
  /// A registration that was not renewed for this long is dead.
  milliseconds dead_after{90000};
  milliseconds flush{10000};
  milliseconds reread{5000};
};

struct cluster_settings {
  /// Identity of this node in `rm_node`; empty: made once and kept in data_dir.
  std::string node;
  /// `native`: this cluster has the schedule to itself. `shared`: Java admins plan on the same database. Empty: as the database
  /// says (`ringmaster takeover`).
  std::string mode;
  milliseconds beat{300};
  milliseconds dead_after{1500};
  /// Longest time from the last check of the deadline to the socket write.
  milliseconds send_margin{300};
  /// A node whose wall clock is further off than this (`core::clock_trust`) claims nothing. 0: never looked at.
  milliseconds clock_tolerance{5000};
  /// After a step of the clock that no other clock confirms or denies, how long it counts as wrong.
  milliseconds clock_settle{60'000};
};

/// Native links: C++ executors dial nodes, over TLS with certificates at both ends.
struct link_settings {
  /// host:port on which a node awaits executors; port 0 takes a free one. Empty: nothing listens.
  std::string listen;
  /// PEM files: what either end shows, and the authority that signed for the other end. Whoever has a certificate of that
  /// authority is asked for the access token and nothing else: it signs for links alone.
  std::string certificate;
  std::string key;
  std::string ca;
};

/// The age limit of the log of runs.
struct retention_settings {
  /// Runs of older local days are removed; 0: never. Not 1 or 2: the day report counts three days.
  std::size_t days = 30;
  /// Changes that are older are removed from the record (`rm_audit`); 0: never.
  std::size_t audit_days = 400;
  /// Of the log of one run of a job with keep_logs.
  std::size_t kept_log_bytes_max = 1024 * 1024;
  /// Of all of these: the oldest go first.
  std::size_t kept_logs_bytes_max = 1024 * 1024 * 1024;
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
  /// What `files` are relative to: the folder of the configuration file. Set by `load`, no key of its own.
  std::string base_dir = ".";
  /// Where `files` was set, for messages: `/etc/ringmaster/ringmaster.toml:12: deploy.files`. Set by `load`, no key of its own.
  std::string files_from = "deploy.files";
  /// Owner of what they declare. Another name is another owner, which may not touch what the former one declared.
  std::string source = "deploy";
  std::int64_t revision = 0;
  bool prune = false;
};

struct mail_settings {
  /// SMTP server; empty: no mail is sent.
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
  /// Certificates to trust instead of the system's; relative to the configuration file. Empty: the system's.
  std::string ca_file;
  milliseconds timeout{30000};
};

struct alarm_settings {
  /// Failures of a job for the same reason are one message in so long; 0: each is told.
  milliseconds dedup{60000};
  /// Messages a minute to one webhook, or to one mail address; what is beyond it is told in one summary.
  std::size_t per_minute = 20;
  /// To send one message to a webhook.
  milliseconds webhook_timeout{10000};
  /// ringmaster: names the job and its run; xxl: XXL-JOB's subject and table.
  std::string form = "ringmaster";
  /// Address of a page of a run, with `{run}` and `{job}` for its numbers. Empty: messages have no link.
  std::string link = {};
  /// Last lines of the failed run's log that a message quotes; 0: none.
  std::size_t log_lines = 10;
};

/// One `[[webhook]]`: a channel by its name.
struct webhook_settings {
  std::string name;
  /// Holds a secret: never shown.
  std::string url;
  /// generic, dingtalk, wecom, feishu or slack.
  std::string preset = "generic";
  /// Signs messages to dingtalk and feishu; empty: unsigned.
  std::string secret;
  /// A body of one's own with {placeholders}; empty: the preset's.
  std::string body_template;
  std::string content_type = "application/json";
  /// Certificates to trust instead of the system's. Empty: the system's.
  std::string ca_file;
  friend bool operator==(const webhook_settings&, const webhook_settings&) = default;
};

/// A handler of `ringmaster executor` that is a program: people of an admin choose its parameter and nothing else.
struct command_settings {
  /// As jobs name it.
  std::string name;
  /// A path, or a name in PATH.
  std::string program;
  std::vector<std::string> arguments;
  /// Working directory. Empty: that of the executor.
  std::string folder;
  /// The parameter is also the last argument; it is in the environment anyhow, JOB_PARAM. One that begins with `-` is refused
  /// unless `arguments` end with `--`.
  bool append_param = false;
};

struct settings {
  std::string data_dir = "/var/lib/ringmaster";
  /// Wait for runs on their way at a graceful stop.
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
  log_settings log;
  deploy_settings deploy;
  mail_settings mail;
  alarm_settings alarm;
  std::vector<webhook_settings> webhooks;
  std::vector<command_settings> commands;
};

} // namespace ringmaster::config
