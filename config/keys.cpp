#include "config/keys.hpp"

#include <limits>

namespace ringmaster::config {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace std::chrono_literals;

template <auto Member>
auto& top(settings& values) {
  return values.*Member;
}

template <auto Section, auto Member>
auto& in(settings& values) {
  return values.*Section.*Member;
}

using text_place = std::string& (*)(settings&);
using count_place = std::size_t& (*)(settings&);
using time_place = milliseconds& (*)(settings&);

setting text(std::string_view name, text_place where, std::string_view doc, form how = form::text) {
  return {.name = name, .how = how, .where = where, .min = 0, .max = 0, .choices = {}, .doc = doc};
}

setting choice(std::string_view name, text_place where, std::vector<std::string_view> choices, std::string_view doc) {
  return {.name = name, .how = form::choice, .where = where, .min = 0, .max = 0, .choices = std::move(choices), .doc = doc};
}

setting flag(std::string_view name, bool& (*where)(settings&), std::string_view doc) {
  return {.name = name, .how = form::flag, .where = where, .min = 0, .max = 0, .choices = {}, .doc = doc};
}

setting count(std::string_view name, count_place where, std::int64_t min, std::int64_t max, std::string_view doc) {
  return {.name = name, .how = form::count, .where = where, .min = min, .max = max, .choices = {}, .doc = doc};
}

setting size(std::string_view name, count_place where, std::int64_t min, std::int64_t max, std::string_view doc) {
  return {.name = name, .how = form::size, .where = where, .min = min, .max = max, .choices = {}, .doc = doc};
}

setting time(std::string_view name, time_place where, milliseconds min, milliseconds max, std::string_view doc) {
  return {.name = name, .how = form::duration, .where = where, .min = min.count(), .max = max.count(), .choices = {}, .doc = doc};
}

setting list(std::string_view name, std::vector<std::string>& (*where)(settings&), std::string_view doc) {
  return {.name = name, .how = form::list, .where = where, .min = 0, .max = 0, .choices = {}, .doc = doc};
}

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

void add_top(std::vector<setting>& to) {
  to.push_back(
      text("data_dir", &top<&settings::data_dir>,
           "Folder of the embedded database, the node's identity and generated secrets; relative to this file."));
  to.push_back(
      time("drain_timeout", &top<&settings::drain_timeout>, 0ms, 10min,
           "Maximum wait of a graceful stop for runs that are being sent."));
}

template <auto Member>
constexpr auto server = &in<&settings::server, Member>;

void add_server(std::vector<setting>& to) {
  using s = server_settings;
  to.push_back(text("server.listen", server<&s::listen>,
                    "host:port to listen on; port 0 selects a free one. Loopback only by default."));
  to.push_back(text("server.context_path", server<&s::context_path>, "Prefix of every path. Paths without it are served, too."));
  to.push_back(choice("server.language", server<&s::language>, {"en", "zh_CN", "zh_TC"},
                      "Language of texts that are stored or sent to users: en, zh_CN or zh_TC."));
  to.push_back(size("server.header_bytes_max", server<&s::header_bytes_max>, 4 * kib, mib, "Maximum size of a request's head."));
  to.push_back(size("server.body_bytes_max", server<&s::body_bytes_max>, 64 * kib, gib,
                    "Maximum size of a request's body. Java executors send all queued results in one callback."));
  to.push_back(size("server.buffered_bytes_max", server<&s::buffered_bytes_max>, 64 * kib, 64 * gib,
                    "Maximum size of all request bodies in memory, except the first 16KiB of each. Further requests wait, at\n"
                    "most read_timeout."));
  to.push_back(
      time("server.read_timeout", server<&s::read_timeout>, 100ms, 10min,
           "Time limit from the first byte of a request to its last."));
  to.push_back(time("server.write_timeout", server<&s::write_timeout>, 100ms, 10min, "Time limit for writing one reply."));
  to.push_back(
      time("server.idle_timeout", server<&s::idle_timeout>, 1s, 1h,
           "Time after which a connection without a request is closed."));
  to.push_back(time("server.reply_timeout", server<&s::reply_timeout>, 100ms, 10min,
                    "Time limit from the end of a request to its reply."));
  to.push_back(count("server.connections_max", server<&s::connections_max>, 1, 1'000'000,
                     "Maximum number of concurrent connections; more are refused."));
  to.push_back(count("server.connections_per_client", server<&s::connections_per_client>, 0, 1'000'000,
                     "Maximum number of connections per client address; an IPv6 /64 network counts as one address. This machine\n"
                     "and trusted proxies are not limited. 0: no limit."));
  to.push_back(text("server.tls_certificate", server<&s::tls_certificate>,
                    "Certificate and the chain below its authority, a PEM file; relative to this file. With tls_key all\n"
                    "connections use TLS. Reloaded on SIGHUP."));
  to.push_back(text("server.tls_key", server<&s::tls_key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(text("server.tls_client_ca", server<&s::tls_client_ca>,
                    "Authorities, a PEM file: clients must present a certificate of one of them. Empty: none is required."));
  to.push_back(list("server.trusted_proxies", server<&s::trusted_proxies>,
                    "Networks, or single addresses, of proxies whose X-Forwarded-For, -Proto and -Host are trusted."));
}

template <auto Member>
constexpr auto security = &in<&settings::security, Member>;

void add_security(std::vector<setting>& to) {
  using s = security_settings;
  to.push_back(
      text("security.access_token", security<&s::access_token>,
           "Token between server and executors, in both directions. Empty: generated at the first start and written to the\n"
           "file initial-secrets in data_dir. May be { env = \"NAME\" } or { file = \"PATH\" }.",
           form::secret));
  to.push_back(
      text("security.former_access_token", security<&s::former_access_token>,
           "Token that access_token replaced. Executors may present either token; an executor that refuses the new token is\n"
           "sent this one. Empty: none.",
           form::secret));
  to.push_back(text("security.former_access_token_until", security<&s::former_access_token_until>,
                    "End of the former token: a day (2026-12-01) or a time (2026-12-01T06:00:00Z), UTC. Empty: as long as it\n"
                    "is configured."));
  to.push_back(flag("security.allow_default_token", security<&s::allow_default_token>,
                    "Allow XXL-JOB's default token (default_token). If false, it prevents the start."));
  to.push_back(flag("security.allow_known_passwords", security<&s::allow_known_passwords>,
                    "Allow XXL-JOB's default password, 123456. If false, a user who signs in with it must choose another one."));
  to.push_back(flag("security.glue", security<&s::glue>,
                    "Allow entering scripts (GLUE jobs), which executors run. Existing scripts run in either case."));
  to.push_back(time("security.session_lifetime", security<&s::session_lifetime>, 1min, hours{24 * 365},
                    "Time after which an unused session of the console expires."));
  to.push_back(time("security.remember_lifetime", security<&s::remember_lifetime>, 1min, hours{24 * 365},
                    "The same time for users who asked to be remembered."));
  to.push_back(time("security.session_max_age", security<&s::session_max_age>, 1min, hours{24 * 365},
                    "Maximum time from a sign-in to the end of its session, even if it is in use."));
  to.push_back(flag("security.secure_cookies", security<&s::secure_cookies>,
                    "Send the session cookie only over HTTPS: for a server behind a proxy that terminates TLS."));
  to.push_back(flag("security.trust_loopback", security<&s::trust_loopback>,
                    "Requests from this machine need no token for /metrics and the reasons in /readyz."));
  to.push_back(list("security.executor_networks", security<&s::executor_networks>,
                    "Networks, or single addresses, in which executors may be called."));
  to.push_back(text("security.executor_ca", security<&s::executor_ca>,
                    "Trusted authorities of executors at https addresses, a PEM file; relative to this file. Empty: the\n"
                    "system's."));
  to.push_back(text("security.executor_certificate", security<&s::executor_certificate>,
                    "Certificate to present to executors at https addresses, a PEM file; with executor_key. Empty: none."));
  to.push_back(text("security.executor_key", security<&s::executor_key>, "Its private key, a PEM file without a passphrase."));
}

template <auto Member>
constexpr auto gateway = &in<&settings::gateway, Member>;

void add_gateway(std::vector<setting>& to) {
  to.push_back(choice("gateway.dialect", gateway<&gateway_settings::dialect>, {"auto", "2.x", "3.3+"},
                      "Imitated releases of XXL-JOB's web endpoints: 2.x up to 3.2, 3.3+ from 3.3 on. auto: the one of\n"
                      "the request's path, else of its session cookie, else of the release that created the database's tables."));
  to.push_back(count("gateway.requests_per_second", gateway<&gateway_settings::requests_per_second>, 0, 1'000'000,
                     "Long-term rate of one user's requests on one node, with a burst of twice as many. 0: no limit."));
  to.push_back(choice("gateway.job_management", gateway<&gateway_settings::job_management>, {"off", "group_tokens", "all"},
                      "Executors' tokens that may manage jobs under /api/ (addJob, triggerJob and so on): none, those of\n"
                      "groups for the jobs of their group, or also security.access_token for all jobs."));
}

template <auto Member>
constexpr auto database = &in<&settings::database, Member>;

void add_database(std::vector<setting>& to) {
  using s = database_settings;
  to.push_back(
      text("database.url", database<&s::url>,
           "sqlite:PATH (relative to data_dir) or mysql://user:password@host:port/name (?socket=/path for a Unix socket).\n"
           "May be { env = \"NAME\" } or { file = \"PATH\" }.",
           form::url));
  to.push_back(choice("database.migrate", database<&s::migrate>, {"", "auto", "refuse"},
                      "auto: serve updates the schema. refuse: serve stops and names the command to run. Empty: auto on\n"
                      "SQLite, refuse on MySQL."));
  to.push_back(
      text("database.time_zone", database<&s::time_zone>, "Zone of DATETIME columns, an IANA name. Empty: schedule.time_zone."));
  to.push_back(time("database.connect_timeout", database<&s::connect_timeout>, 100ms, 1min,
                    "Time limit for opening one connection."));
  to.push_back(time("database.statement_timeout", database<&s::statement_timeout>, 100ms, 10min,
                    "Time limit for one statement."));
}

template <auto Member>
constexpr auto schedule = &in<&settings::schedule, Member>;

void add_schedule(std::vector<setting>& to) {
  using s = schedule_settings;
  to.push_back(text("schedule.time_zone", schedule<&s::time_zone>,
                    "Zone of cron expressions, an IANA name. Empty: TZ, else /etc/localtime."));
  to.push_back(
      time("schedule.claim_ahead", schedule<&s::claim_ahead>, 1ms, 5s, "Time before its instant at which a firing is claimed."));
  to.push_back(time("schedule.misfire_after", schedule<&s::misfire_after>, 100ms, 1h,
                    "Delay after which the job's misfire policy decides about an instant."));
  to.push_back(
      time("schedule.edit_poll", schedule<&s::edit_poll>, 50ms, 1min,
           "Interval of polls for edits by other nodes; a look every 500 ms finds them, too."));
  to.push_back(count("schedule.claim_rows_max", schedule<&s::claim_rows_max>, 1, 5000,
                     "Maximum number of firings in one claim transaction."));
}

template <auto Member>
constexpr auto trigger = &in<&settings::trigger, Member>;

void add_trigger(std::vector<setting>& to) {
  using s = trigger_settings;
  to.push_back(count("trigger.fast_window", trigger<&s::fast_window>, 1, 1'000'000,
                     "Maximum concurrent sends in the fast lane; firings stay due while it is full."));
  to.push_back(count("trigger.slow_window", trigger<&s::slow_window>, 1, 1'000'000,
                     "Maximum concurrent sends in the slow lane."));
  to.push_back(time("trigger.slow_after", trigger<&s::slow_after>, 1ms, 1min, "A trigger that takes longer is slow."));
  to.push_back(count("trigger.slow_count", trigger<&s::slow_count>, 1, 10'000,
                     "A job with more slow triggers in a minute is moved to the slow lane."));
  to.push_back(time("trigger.connect_timeout", trigger<&s::connect_timeout>, 100ms, 10s,
                    "Time limit for connecting to an executor."));
  to.push_back(time("trigger.request_timeout", trigger<&s::request_timeout>, 100ms, 10s,
                    "Time limit from the first byte sent to an executor to its whole answer."));
  to.push_back(count("trigger.connections_per_executor", trigger<&s::connections_per_executor>, 1, 1024,
                     "Maximum number of connections to one executor address; more than 128 only ahead of an instant."));
  to.push_back(count("trigger.io_threads", trigger<&s::io_threads>, 1, 64,
                     "Threads that call executors; each executor belongs to one of them. The first one also serves HTTP."));
  to.push_back(size("trigger.reply_bytes_max", trigger<&s::reply_bytes_max>, 4 * kib, 64 * mib,
                    "Maximum size of an executor's answer; larger ones are refused."));
  to.push_back(size("trigger.log_bytes_max", trigger<&s::log_bytes_max>, 4 * kib, 64 * mib,
                    "Maximum size of an answer with a log that is read as a whole: to keep it, to merge it, for an alarm."));
  to.push_back(time("trigger.connection_idle", trigger<&s::connection_idle>, 1s, 1h,
                    "Time after which an idle connection to an executor is closed."));
  to.push_back(
      time("trigger.settle", trigger<&s::settle>, 0ms, 10s, "Wait after an unknown outcome before the executor is queried."));
  to.push_back(
      time("trigger.ask_limit", trigger<&s::ask_limit>, 1s, 1h, "Time after which a run of unknown outcome is given up."));
}

template <auto Member>
constexpr auto registry = &in<&settings::registry, Member>;

void add_registry(std::vector<setting>& to) {
  using s = registry_settings;
  to.push_back(time("registry.dead_after", registry<&s::dead_after>, 1s, 1h,
                    "An executor that did not register again for this long is dead. Java executors register every 30s, some\n"
                    "others every 60s."));
  to.push_back(time("registry.flush", registry<&s::flush>, 100ms, 1min,
                    "Interval at which renewals are written to the database."));
  to.push_back(
      time("registry.reread", registry<&s::reread>, 100ms, 1min, "Interval at which the registrations of other nodes are read."));
}

template <auto Member>
constexpr auto executor = &in<&settings::executor, Member>;

void add_executor(std::vector<setting>& to) {
  using s = executor_settings;
  to.push_back(list("executor.admins", executor<&s::admins>, "Base addresses of admins, tried in this order."));
  to.push_back(list("executor.nodes", executor<&s::nodes>,
                    "host:port of nodes' link.listen; the executor opens a native link to each. Needs the three files of\n"
                    "[link]."));
  to.push_back(text("executor.app_name", executor<&s::app_name>, "App name of the executor's group."));
  to.push_back(text("executor.address", executor<&s::address>,
                    "Registered address, verbatim. Empty: built from ip and port."));
  to.push_back(text("executor.ip", executor<&s::ip>,
                    "Host of the registered address. Empty: the host of listen, or if that means all addresses the first one\n"
                    "of this machine that others can reach."));
  to.push_back(text("executor.listen", executor<&s::listen>,
                    "Host to listen on: 0.0.0.0 or [::] for all. Loopback only by default. Empty, with nodes: no port is\n"
                    "opened, and the executor is reachable only through native links."));
  to.push_back(count("executor.port", executor<&s::port>, 0, 65535, "0: the first free one of 9999, 10000 and so on."));
  to.push_back(text("executor.log_path", executor<&s::log_path>,
                    "Folder of the runs' logs, of scripts, and of results that were not delivered yet. Relative to data_dir."));
  to.push_back(count("executor.log_retention_days", executor<&s::log_retention_days>, 0, 36'500,
                     "Days after which logs of runs are removed; below 3: never."));
  to.push_back(size("executor.log_bytes_max", executor<&s::log_bytes_max>, 64 * kib, 1024 * gib,
                    "Maximum size of a run's log; the rest is dropped."));
  to.push_back(time("executor.admin_timeout", executor<&s::admin_timeout>, 100ms, 1min,
                    "Time limit for connecting to an admin, and for its answer."));
  to.push_back(choice("executor.dialect", executor<&s::dialect>, {"auto", "3.4", "3.5"},
                      "Dialect of requests to admins: of XXL-JOB's releases up to 3.4, of 3.5, or according to each admin's\n"
                      "answers."));
  to.push_back(text("executor.admin_ca", executor<&s::admin_ca>,
                    "Trusted authorities of admins at https addresses, a PEM file. Empty: the system's."));
  to.push_back(text("executor.admin_certificate", executor<&s::admin_certificate>,
                    "Certificate to present to admins that request one, a PEM file; with admin_key."));
  to.push_back(text("executor.admin_key", executor<&s::admin_key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(flag("executor.allow_no_token", executor<&s::allow_no_token>,
                    "Allow an executor without security.access_token on other addresses than loopback."));
  to.push_back(
      count("executor.queue_max", executor<&s::queue_max>, 1, 1'000'000,
            "Maximum number of waiting runs of one job; more are refused."));
  to.push_back(time("executor.idle_limit", executor<&s::idle_limit>, 1s, 24h,
                    "Time after which an idle worker of a job ends."));
  to.push_back(time("executor.drain_timeout", executor<&s::drain_timeout>, 0ms, 1h,
                    "Maximum wait of a graceful stop for runs before it stops them."));
  to.push_back(flag("executor.scripts", executor<&s::scripts>,
                    "Run the scripts (XXL's GLUE jobs) that users of an admin wrote, with the permissions of this process."));
  to.push_back(list("executor.http_allowed", executor<&s::http_allowed>,
                    "URLs that the handler http may call, each with a path that ends with a slash. Empty: the handler does not\n"
                    "exist."));
}

void add_elastic_host(std::vector<setting>& to) {
  using s = executor_settings;
  to.push_back(
    flag("executor.elastic", executor<&s::elastic>,
         "Run items of elastic jobs: of type script with elastic_scripts, of type http with http_allowed. Needs nodes."));
  to.push_back(list("executor.labels", executor<&s::labels>,
                    "Labels of this executor: an elastic job with a label runs only on executors that have it."));
  to.push_back(list("executor.elastic_scripts", executor<&s::elastic_scripts>,
                    "Folders of the programs that elastic jobs of type script may run; relative to this file. Empty: none."));
  to.push_back(count("executor.elastic_capacity", executor<&s::elastic_capacity>, 0, 5000,
                     "Maximum number of item runs at the same time. 0: twice the number of processors."));
  to.push_back(time("executor.elastic_drain", executor<&s::elastic_drain>, 0ms, 24h,
                    "Maximum wait of a graceful stop for item runs before it cancels them."));
}

template <auto Member>
auto& of_script(settings& values) {
  return values.executor.limits.*Member;
}

void add_scripts(std::vector<setting>& to) {
  using s = script_limits;
  to.push_back(size("executor.script_memory_bytes_max", &of_script<&s::memory_bytes_max>, 0, 1024 * gib,
                    "Data limit of each process of a script. 0B: the system's limit."));
  to.push_back(size("executor.script_output_bytes_max", &of_script<&s::output_bytes_max>, kib, 1024 * gib,
                    "Maximum output of one run of a script in its log. The rest is dropped, and the script continues."));
  to.push_back(time("executor.script_kill_grace", &of_script<&s::kill_grace>, 0ms, 1min,
                    "A stopped script gets TERM; processes that still run after this time get KILL."));
}

template <auto Member>
constexpr auto cluster = &in<&settings::cluster, Member>;

void add_cluster(std::vector<setting>& to) {
  using s = cluster_settings;
  to.push_back(
      text("cluster.node", cluster<&s::node>, "Name of this node in the cluster. Empty: generated once and kept in data_dir."));
  to.push_back(choice("cluster.mode", cluster<&s::mode>, {"", "shared", "native"},
                      "native: only this cluster plans the schedule. shared: Java admins plan on the same MySQL database.\n"
                      "Empty: according to the database, which `ringmaster takeover` changes."));
  to.push_back(time("cluster.beat", cluster<&s::beat>, 10ms, 10s, "Interval of a node's heartbeats."));
  to.push_back(time("cluster.dead_after", cluster<&s::dead_after>, 100ms, 1min,
                    "A node without a heartbeat for this long is dead, and other nodes take over its firings. Equal on every\n"
                    "node."));
  to.push_back(time("cluster.send_margin", cluster<&s::send_margin>, 10ms, 10s,
                    "Longest time from a node's last check of its own deadline to the write on the socket."));
  to.push_back(time("cluster.clock_tolerance", cluster<&s::clock_tolerance>, 0ms, 1h,
                    "Maximum difference of a node's clock from most of the clocks that it knows: the database's, those of the\n"
                    "other nodes and, after a step, its own steady clock. Beyond it the node plans nothing. \"0s\" disables\n"
                    "the check."));
  to.push_back(time("cluster.clock_settle", cluster<&s::clock_settle>, 0ms, 1h,
                    "Time after which a step of the clock beyond the tolerance is trusted if no other clock confirms it."));
}

void add_retention(std::vector<setting>& to) {
  to.push_back(count("retention.days", &in<&settings::retention, &retention_settings::days>, 0, 36'500,
                     "Age in local days after which runs are removed from the log, at least 3. 0: never."));
  to.push_back(count("retention.audit_days", &in<&settings::retention, &retention_settings::audit_days>, 0, 36'500,
                     "Age in days after which changes are removed from the audit log. 0: never."));
  to.push_back(size("retention.kept_log_bytes_max", &in<&settings::retention, &retention_settings::kept_log_bytes_max>, 4 * kib,
                    16 * mib, "Maximum size of the kept log of one run, for jobs with keep_logs; the rest is cut."));
  to.push_back(size("retention.kept_logs_bytes_max", &in<&settings::retention, &retention_settings::kept_logs_bytes_max>, mib,
                    1024 * gib, "Maximum size of all kept logs; the oldest are removed first."));
}

void add_elastic(std::vector<setting>& to) {
  to.push_back(count("elastic.history_days", &in<&settings::elastic, &elastic_settings::history_days>, 0, 36'500,
                     "Age in days after which runs, fires and plans of elastic jobs are removed. 0: never."));
  to.push_back(list("elastic.error_targets", &in<&settings::elastic, &elastic_settings::error_targets>,
                    "Hosts that this node sends messages to if the properties of a job's error handler name them: host or\n"
                    "host:port. Messages to other hosts go to [mail] or the first [[webhook]] of the same kind."));
  to.push_back(time("elastic.late_after", &in<&settings::elastic, &elastic_settings::late_after>, 100ms, 24h,
                    "A fire of an elastic job that begins later than this raises the alarm ej_late."));
  to.push_back(count("elastic.takeover_limit", &in<&settings::elastic, &elastic_settings::takeover_limit>, 0, 1'000,
                     "Number of lost hosts within takeover_window from which runs of an elastic job were taken over, that\n"
                     "raises the alarm ej_takeovers. 0: never."));
  to.push_back(time("elastic.takeover_window", &in<&settings::elastic, &elastic_settings::takeover_window>, 1s, 24h,
                    "Window in which takeover_limit counts."));
}

void add_link(std::vector<setting>& to) {
  using s = link_settings;
  to.push_back(text("link.listen", &in<&settings::link, &s::listen>,
                    "For nodes: host:port on which C++ executors are accepted. Needs the three files. Empty: no listener."));
  to.push_back(text("link.certificate", &in<&settings::link, &s::certificate>,
                    "Certificate of this node or executor for links, a PEM file; relative to this file. Reloaded on SIGHUP."));
  to.push_back(text("link.key", &in<&settings::link, &s::key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(text("link.ca", &in<&settings::link, &s::ca>,
                    "Authority of both ends, a PEM file. It should sign only for links, because names are not compared."));
}

template <auto Member>
constexpr auto logging = &in<&settings::log, Member>;
template <auto Member>
constexpr auto deploy = &in<&settings::deploy, Member>;

void add_log_and_deploy(std::vector<setting>& to) {
  to.push_back(choice("log.level", logging<&log_settings::level>, {"trace", "debug", "info", "warn", "error"},
                      "trace, debug, info, warn or error."));
  to.push_back(choice("log.format", logging<&log_settings::format>, {"text", "json"}, "text or json."));
  to.push_back(
    list("deploy.files", deploy<&deploy_settings::files>,
         "Files that declare groups and jobs, applied at start and on SIGHUP. Globs, each of which must match a file; relative\n"
         "to this file."));
  to.push_back(
    text("deploy.source", deploy<&deploy_settings::source>,
         "Owner of the declarations in these files. Another name is another owner: it may not change the declarations of this\n"
         "one."));
  to.push_back({.name = "deploy.revision", .how = form::integer, .where = deploy<&deploy_settings::revision>, .min = 0,
                .max = std::numeric_limits<std::int64_t>::max(), .choices = {},
                .doc = "Number of the declared state. A number lower than the database's is refused. 0: not numbered."});
  to.push_back(
      flag("deploy.prune", deploy<&deploy_settings::prune>,
           "Remove objects that these files declared before and no longer declare."));
}

template <auto Member>
constexpr auto mail = &in<&settings::mail, Member>;
template <auto Member>
constexpr auto alarm = &in<&settings::alarm, Member>;

void add_mail_and_alarm(std::vector<setting>& to) {
  using m = mail_settings;
  to.push_back(text("mail.host", mail<&m::host>, "SMTP server for alarms. Empty: no e-mail is sent."));
  to.push_back(count("mail.port", mail<&m::port>, 1, 65535, "Its port: usually 587 with starttls, 465 with tls, 25 with none."));
  to.push_back(choice("mail.tls", mail<&m::tls>, {"none", "starttls", "tls"},
                      "none, starttls (required, not opportunistic) or tls from the first byte."));
  to.push_back(text("mail.user", mail<&m::user>, "User name for authentication. Empty: no authentication."));
  to.push_back(text("mail.password", mail<&m::password>,
                    "Its password. May be { env = \"NAME\" } or { file = \"PATH\" }.", form::secret));
  to.push_back(text("mail.from", mail<&m::from>, "Address of the sender. Required with mail.host."));
  to.push_back(flag("mail.verify_certificate", mail<&m::verify_certificate>, "Verify the server's certificate."));
  to.push_back(text("mail.ca_file", mail<&m::ca_file>,
                    "Trusted certificates, a PEM file; relative to this file. Empty: the system's."));
  to.push_back(time("mail.timeout", mail<&m::timeout>, 1s, 10min, "Time limit for sending one e-mail."));
  using a = alarm_settings;
  to.push_back(time("alarm.dedup", alarm<&a::dedup>, 0ms, 24h,
                    "Deduplication window: identical failures of a job within it are sent as one message with a count. 0s:\n"
                    "off."));
  to.push_back(count("alarm.per_minute", alarm<&a::per_minute>, 1, 10'000,
                     "Maximum messages per minute to one webhook or one e-mail address; further ones are reported in one\n"
                     "summary."));
  to.push_back(
      time("alarm.webhook_timeout", alarm<&a::webhook_timeout>, 1s, 10min, "Time limit for sending one message to a webhook."));
  to.push_back(choice("alarm.form", alarm<&a::form>, {"ringmaster", "xxl"},
                      "Text of the messages. ringmaster: names the job, the run, the number of failures with the time of the\n"
                      "first, and the reason. xxl: subject and table of XXL-JOB, in the language of server.language."));
  to.push_back(text("alarm.link", alarm<&a::link>,
                    "Address of a page about a run, put into the messages; {run} and {job} are replaced by their ids. Empty:\n"
                    "no link."));
  to.push_back(text("alarm.elastic_link", alarm<&a::elastic_link>,
                    "The same for elastic jobs; {run} is the run of the item. Empty: no link."));
  to.push_back(count("alarm.log_lines", alarm<&a::log_lines>, 0, 100,
                     "Number of last lines of the failed run's log in a message of the form ringmaster; 0: none."));
}

} // namespace

std::span<const setting> all_settings() {
  static const std::vector<setting> table = [] {
    std::vector<setting> out;
    for (auto* add : {add_top, add_server, add_security, add_gateway, add_database, add_schedule, add_trigger, add_registry,
                      add_executor, add_elastic_host, add_scripts, add_cluster, add_link, add_retention, add_elastic,
                      add_log_and_deploy, add_mail_and_alarm})
      add(out);
    return out;
  }();
  return table;
}

const setting* find_setting(std::string_view name) {
  for (const setting& each : all_settings())
    if (each.name == name)
      return &each;
  return nullptr;
}

} // namespace ringmaster::config
