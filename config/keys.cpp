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
      time("drain_timeout", &top<&settings::drain_timeout>, 0ms, 10min, "How long a graceful stop waits for runs on their way."));
}

template <auto Member>
constexpr auto server = &in<&settings::server, Member>;

void add_server(std::vector<setting>& to) {
  using s = server_settings;
  to.push_back(text("server.listen", server<&s::listen>,
                    "host:port to listen on; port 0 takes a free one. Loopback only until you say otherwise."));
  to.push_back(text("server.context_path", server<&s::context_path>, "Prefix of every path. Paths without it are served, too."));
  to.push_back(choice("server.language", server<&s::language>, {"en", "zh_CN", "zh_TC"},
                      "Of texts that are stored or sent to people: en, zh_CN or zh_TC."));
  to.push_back(size("server.header_bytes_max", server<&s::header_bytes_max>, 4 * kib, mib, "Largest head of a request."));
  to.push_back(size("server.body_bytes_max", server<&s::body_bytes_max>, 64 * kib, gib,
                    "Largest body of a request. Java executors send everything that queued up in one callback."));
  to.push_back(size("server.buffered_bytes_max", server<&s::buffered_bytes_max>, 64 * kib, 64 * gib,
                    "Bodies of all requests together, but for the first 16KiB of each. Who finds no room waits, at most\n"
                    "read_timeout."));
  to.push_back(
      time("server.read_timeout", server<&s::read_timeout>, 100ms, 10min, "From the first byte of a request to its last."));
  to.push_back(time("server.write_timeout", server<&s::write_timeout>, 100ms, 10min, "To write one reply."));
  to.push_back(
      time("server.idle_timeout", server<&s::idle_timeout>, 1s, 1h, "A connection without a request for this long is closed."));
  to.push_back(time("server.reply_timeout", server<&s::reply_timeout>, 100ms, 10min, "From a whole request to its reply."));
  to.push_back(count("server.connections_max", server<&s::connections_max>, 1, 1'000'000,
                     "Connections at the same time; more are refused."));
  to.push_back(count("server.connections_per_client", server<&s::connections_per_client>, 0, 1'000'000,
                     "Of them, of one client address; of IPv6 the network of 64 bits counts as one. This machine and trusted\n"
                     "proxies are not limited. 0: no limit."));
  to.push_back(text("server.tls_certificate", server<&s::tls_certificate>,
                    "Certificate and the chain below its authority, a PEM file; relative to this file. With tls_key\n"
                    "everything is served over TLS. Read again on SIGHUP."));
  to.push_back(text("server.tls_key", server<&s::tls_key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(text("server.tls_client_ca", server<&s::tls_client_ca>,
                    "Authorities, a PEM file: whoever connects must show a certificate of one of them. Empty: none is needed."));
  to.push_back(list("server.trusted_proxies", server<&s::trusted_proxies>,
                    "Networks, or single addresses, of proxies whose X-Forwarded-For, -Proto and -Host are believed."));
}

template <auto Member>
constexpr auto security = &in<&settings::security, Member>;

void add_security(std::vector<setting>& to) {
  using s = security_settings;
  to.push_back(
      text("security.access_token", security<&s::access_token>,
           "Token between server and executors, in both directions. Empty: made at the first start and written to the file\n"
           "initial-secrets in data_dir. May be { env = \"NAME\" } or { file = \"PATH\" }.",
           form::secret));
  to.push_back(
      text("security.former_access_token", security<&s::former_access_token>,
           "The token that access_token replaced. Executors may show either of them, and one that refuses the new token is\n"
           "shown this one. Empty: none.",
           form::secret));
  to.push_back(text("security.former_access_token_until", security<&s::former_access_token_until>,
                    "Until then the former token counts: a day (2026-12-01) or a time (2026-12-01T06:00:00Z), UTC. Empty: as\n"
                    "long as it stands here."));
  to.push_back(flag("security.allow_default_token", security<&s::allow_default_token>,
                    "Without this, the token that XXL-JOB ships, default_token, stops the start."));
  to.push_back(flag("security.allow_known_passwords", security<&s::allow_known_passwords>,
                    "Without this, whoever signs in with XXL-JOB's first password, 123456, must choose another one."));
  to.push_back(flag("security.glue", security<&s::glue>,
                    "Without this, nobody enters scripts (GLUE jobs), which executors run.\n"
                    "Those that are there are run all the same."));
  to.push_back(time("security.session_lifetime", security<&s::session_lifetime>, 1min, hours{24 * 365},
                    "A session of the console that nobody uses ends after this time."));
  to.push_back(time("security.remember_lifetime", security<&s::remember_lifetime>, 1min, hours{24 * 365},
                    "The same for who asked to be remembered."));
  to.push_back(time("security.session_max_age", security<&s::session_max_age>, 1min, hours{24 * 365},
                    "Every session ends so long after its sign-in, however much it is used."));
  to.push_back(flag("security.secure_cookies", security<&s::secure_cookies>,
                    "Browsers send the session's cookie over HTTPS alone: for a server behind a proxy that does TLS."));
  to.push_back(flag("security.trust_loopback", security<&s::trust_loopback>,
                    "Who calls from this machine needs no token for /metrics and the reasons in /readyz."));
  to.push_back(list("security.executor_networks", security<&s::executor_networks>,
                    "Networks, or single addresses, at which executors may be called."));
  to.push_back(text("security.executor_ca", security<&s::executor_ca>,
                    "Authorities of executors at https addresses, a PEM file; relative to this file. Empty: the system's."));
  to.push_back(text("security.executor_certificate", security<&s::executor_certificate>,
                    "Certificate to show to executors at https addresses, a PEM file; with executor_key. Empty: none."));
  to.push_back(text("security.executor_key", security<&s::executor_key>, "Its private key, a PEM file without a passphrase."));
}

template <auto Member>
constexpr auto gateway = &in<&settings::gateway, Member>;

void add_gateway(std::vector<setting>& to) {
  to.push_back(choice("gateway.dialect", gateway<&gateway_settings::dialect>, {"auto", "2.x", "3.3+"},
                      "How XXL-JOB's web endpoints answer: as its releases up to 3.2, or as those from 3.3 on. auto: as the\n"
                      "release that made the database's tables."));
  to.push_back(count("gateway.requests_per_second", gateway<&gateway_settings::requests_per_second>, 0, 1'000'000,
                     "Requests of one user on one node, in the long run; twice as many at once. 0: no limit."));
  to.push_back(choice("gateway.job_management", gateway<&gateway_settings::job_management>, {"off", "group_tokens", "all"},
                      "Which tokens of executors manage jobs under /api/ (addJob, triggerJob and so on): none, those of groups\n"
                      "for the jobs of their group, or also security.access_token for all jobs."));
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
                      "auto: serve brings the schema up to date. refuse: serve stops with the command to run. Empty: auto on "
                      "SQLite, refuse on MySQL."));
  to.push_back(
      text("database.time_zone", database<&s::time_zone>, "Zone of DATETIME columns, an IANA name. Empty: schedule.time_zone."));
  to.push_back(time("database.connect_timeout", database<&s::connect_timeout>, 100ms, 1min, "To open one connection."));
  to.push_back(time("database.statement_timeout", database<&s::statement_timeout>, 100ms, 10min,
                    "A statement that takes longer is given up."));
}

template <auto Member>
constexpr auto schedule = &in<&settings::schedule, Member>;

void add_schedule(std::vector<setting>& to) {
  using s = schedule_settings;
  to.push_back(text("schedule.time_zone", schedule<&s::time_zone>,
                    "Zone of cron expressions, an IANA name. Empty: TZ, else /etc/localtime."));
  to.push_back(
      time("schedule.claim_ahead", schedule<&s::claim_ahead>, 1ms, 5s, "How long before its instant a firing is claimed."));
  to.push_back(time("schedule.misfire_after", schedule<&s::misfire_after>, 100ms, 1h,
                    "An instant later than this is decided by the job's misfire policy."));
  to.push_back(
      time("schedule.edit_poll", schedule<&s::edit_poll>, 50ms, 1min, "How often edits made by other nodes are looked for."));
  to.push_back(count("schedule.claim_rows_max", schedule<&s::claim_rows_max>, 1, 5000, "Firings in one claim transaction."));
}

template <auto Member>
constexpr auto trigger = &in<&settings::trigger, Member>;

void add_trigger(std::vector<setting>& to) {
  using s = trigger_settings;
  to.push_back(count("trigger.fast_window", trigger<&s::fast_window>, 1, 1'000'000,
                     "Runs on their way at once in the fast lane; when it is full, firings stay due."));
  to.push_back(count("trigger.slow_window", trigger<&s::slow_window>, 1, 1'000'000, "The same for the slow lane."));
  to.push_back(time("trigger.slow_after", trigger<&s::slow_after>, 1ms, 1min, "A trigger that takes longer is slow."));
  to.push_back(count("trigger.slow_count", trigger<&s::slow_count>, 1, 10'000,
                     "A job that is slow more often in a minute goes to the slow lane."));
  to.push_back(time("trigger.connect_timeout", trigger<&s::connect_timeout>, 100ms, 10s, "To connect to an executor."));
  to.push_back(time("trigger.request_timeout", trigger<&s::request_timeout>, 100ms, 10s,
                    "From the first byte sent to an executor to its whole answer."));
  to.push_back(count("trigger.connections_per_executor", trigger<&s::connections_per_executor>, 1, 1024,
                     "Connections to one executor address; more than 128 only ahead of an instant."));
  to.push_back(count("trigger.io_threads", trigger<&s::io_threads>, 1, 64,
                     "Threads that call executors, each executor by one of them; the first one also serves."));
  to.push_back(size("trigger.reply_bytes_max", trigger<&s::reply_bytes_max>, 4 * kib, 64 * mib,
                    "Larger answers of an executor are refused."));
  to.push_back(size("trigger.log_bytes_max", trigger<&s::log_bytes_max>, 4 * kib, 64 * mib,
                    "The same for answers with a log: a longer one cannot be read from line 1."));
  to.push_back(time("trigger.connection_idle", trigger<&s::connection_idle>, 1s, 1h,
                    "An idle connection to an executor is closed after this."));
  to.push_back(
      time("trigger.settle", trigger<&s::settle>, 0ms, 10s, "Wait after an unknown outcome before the executor is asked."));
  to.push_back(
      time("trigger.ask_limit", trigger<&s::ask_limit>, 1s, 1h, "A run that nobody can tell about is given up after this."));
}

template <auto Member>
constexpr auto registry = &in<&settings::registry, Member>;

void add_registry(std::vector<setting>& to) {
  using s = registry_settings;
  to.push_back(time("registry.dead_after", registry<&s::dead_after>, 1s, 1h,
                    "An executor that did not register again for this long is dead. Java executors register every 30s, some "
                    "others every 60s."));
  to.push_back(time("registry.flush", registry<&s::flush>, 100ms, 1min, "How often renewals are written to the database."));
  to.push_back(
      time("registry.reread", registry<&s::reread>, 100ms, 1min, "How often the registrations of other nodes are read."));
}

template <auto Member>
constexpr auto executor = &in<&settings::executor, Member>;

void add_executor(std::vector<setting>& to) {
  using s = executor_settings;
  to.push_back(list("executor.admins", executor<&s::admins>, "Base addresses of admins, asked in this order."));
  to.push_back(list("executor.nodes", executor<&s::nodes>,
                    "host:port of nodes' link.listen, each dialled for a native link. Needs the three files of [link]."));
  to.push_back(text("executor.app_name", executor<&s::app_name>, "App name of the group that this executor belongs to."));
  to.push_back(text("executor.address", executor<&s::address>,
                    "Address that is registered, verbatim. Empty: made of ip and port."));
  to.push_back(text("executor.ip", executor<&s::ip>,
                    "Host of the registered address. Empty: listen, or where that is all addresses the first one of this\n"
                    "machine that others can reach."));
  to.push_back(text("executor.listen", executor<&s::listen>,
                    "Host to listen on: 0.0.0.0 or [::] for all. Loopback only until you say otherwise. Empty,\n"
                    "beside nodes: no port at all, native links are the only way to this executor."));
  to.push_back(count("executor.port", executor<&s::port>, 0, 65535, "0: the first free one of 9999, 10000 and so on."));
  to.push_back(text("executor.log_path", executor<&s::log_path>,
                    "Folder of the runs' logs, of scripts, and of results that no admin has yet. Relative to data_dir."));
  to.push_back(count("executor.log_retention_days", executor<&s::log_retention_days>, 0, 36'500,
                     "Logs of runs are removed after so many days; below 3: never."));
  to.push_back(size("executor.log_bytes_max", executor<&s::log_bytes_max>, 64 * kib, 1024 * gib,
                    "What a run may write into its log; the rest is dropped."));
  to.push_back(time("executor.admin_timeout", executor<&s::admin_timeout>, 100ms, 1min,
                    "To connect to an admin, and for its answer."));
  to.push_back(choice("executor.dialect", executor<&s::dialect>, {"auto", "3.4", "3.5"},
                      "How admins are spoken to: as XXL-JOB's releases up to 3.4, as 3.5, or as each one's answers show."));
  to.push_back(text("executor.admin_ca", executor<&s::admin_ca>,
                    "Authorities of admins at https addresses, a PEM file. Empty: those that the system trusts."));
  to.push_back(text("executor.admin_certificate", executor<&s::admin_certificate>,
                    "Certificate that is shown to admins which ask for one, a PEM file, and its key."));
  to.push_back(text("executor.admin_key", executor<&s::admin_key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(flag("executor.allow_no_token", executor<&s::allow_no_token>,
                    "Without this, an executor without security.access_token starts on loopback alone."));
  to.push_back(
      count("executor.queue_max", executor<&s::queue_max>, 1, 1'000'000, "Runs of one job that wait; more are refused."));
  to.push_back(time("executor.idle_limit", executor<&s::idle_limit>, 1s, 24h,
                    "A job's worker that had nothing to do for so long ends."));
  to.push_back(time("executor.drain_timeout", executor<&s::drain_timeout>, 0ms, 1h,
                    "How long a graceful stop waits for runs before it stops them."));
  to.push_back(flag("executor.scripts", executor<&s::scripts>,
                    "Run the scripts (XXL's GLUE jobs) that people of an admin wrote, with the rights of this process."));
  to.push_back(list("executor.http_allowed", executor<&s::http_allowed>,
                    "What the handler http may call, each with a path that ends with a slash. Empty: there is no such handler."));
}

template <auto Member>
auto& of_script(settings& values) {
  return values.executor.limits.*Member;
}

void add_scripts(std::vector<setting>& to) {
  using s = script_limits;
  to.push_back(size("executor.script_memory_bytes_max", &of_script<&s::memory_bytes_max>, 0, 1024 * gib,
                    "Data of each process of a script. 0B: as the system has it."));
  to.push_back(size("executor.script_output_bytes_max", &of_script<&s::output_bytes_max>, kib, 1024 * gib,
                    "Output of one run of a script that is kept in its log. The script runs on."));
  to.push_back(time("executor.script_kill_grace", &of_script<&s::kill_grace>, 0ms, 1min,
                    "A script that is stopped gets TERM, and what is left of it KILL after this time."));
}

template <auto Member>
constexpr auto cluster = &in<&settings::cluster, Member>;

void add_cluster(std::vector<setting>& to) {
  using s = cluster_settings;
  to.push_back(
      text("cluster.node", cluster<&s::node>, "Name of this node in the cluster. Empty: made once and kept in data_dir."));
  to.push_back(choice("cluster.mode", cluster<&s::mode>, {"", "shared", "native"},
                      "native: this cluster has the schedule to itself. shared: Java admins plan on the same MySQL database.\n"
                      "Empty: as the database says, which `ringmaster takeover` changes."));
  to.push_back(time("cluster.beat", cluster<&s::beat>, 10ms, 10s, "How often a node shows that it lives."));
  to.push_back(time("cluster.dead_after", cluster<&s::dead_after>, 100ms, 1min,
                    "A node without a beat for this long is dead and its firings are taken over. The same on every node."));
  to.push_back(time("cluster.send_margin", cluster<&s::send_margin>, 10ms, 10s,
                    "Longest time from a node's last look at its own deadline to the write on the socket."));
  to.push_back(time("cluster.clock_tolerance", cluster<&s::clock_tolerance>, 0ms, 1h,
                    "A node whose clock differs by more from most of the clocks that it knows plans nothing: the database's,\n"
                    "those of the other nodes and, after a step, its own steady clock. \"0s\" disables the check."));
  to.push_back(time("cluster.clock_settle", cluster<&s::clock_settle>, 0ms, 1h,
                    "A step of the clock beyond the tolerance that no other clock confirms is believed after this time."));
}

void add_retention(std::vector<setting>& to) {
  to.push_back(count("retention.days", &in<&settings::retention, &retention_settings::days>, 0, 36'500,
                     "Runs that are more local days old than this are removed from the log, 3 at least. 0: they stay for ever."));
  to.push_back(count("retention.audit_days", &in<&settings::retention, &retention_settings::audit_days>, 0, 36'500,
                     "Changes that are older are removed from the record. 0: they stay for ever."));
  to.push_back(size("retention.kept_log_bytes_max", &in<&settings::retention, &retention_settings::kept_log_bytes_max>, 4 * kib,
                    16 * mib, "Largest kept log of one run, of jobs with keep_logs; the rest is cut."));
  to.push_back(size("retention.kept_logs_bytes_max", &in<&settings::retention, &retention_settings::kept_logs_bytes_max>, mib,
                    1024 * gib, "Largest sum of all kept logs; the oldest go first."));
}

void add_link(std::vector<setting>& to) {
  using s = link_settings;
  to.push_back(text("link.listen", &in<&settings::link, &s::listen>,
                    "Of a node: host:port on which C++ executors are awaited. Needs the three files. Empty: nothing listens."));
  to.push_back(text("link.certificate", &in<&settings::link, &s::certificate>,
                    "Certificate of this node or executor for links, a PEM file; relative to this file. Read again on SIGHUP."));
  to.push_back(text("link.key", &in<&settings::link, &s::key>, "Its private key, a PEM file without a passphrase."));
  to.push_back(text("link.ca", &in<&settings::link, &s::ca>,
                    "Authority of both ends, a PEM file. It should sign for links alone: names are not compared."));
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
         "Owner of what these files declare. Another name is another owner: it may not touch what the former one declared."));
  to.push_back({.name = "deploy.revision", .how = form::integer, .where = deploy<&deploy_settings::revision>, .min = 0,
                .max = std::numeric_limits<std::int64_t>::max(), .choices = {},
                .doc = "Number of the declared state. A lower one than the database has seen is refused. 0: not numbered."});
  to.push_back(
      flag("deploy.prune", deploy<&deploy_settings::prune>, "Remove what these files declared before and no longer do."));
}

template <auto Member>
constexpr auto mail = &in<&settings::mail, Member>;
template <auto Member>
constexpr auto alarm = &in<&settings::alarm, Member>;

void add_mail_and_alarm(std::vector<setting>& to) {
  using m = mail_settings;
  to.push_back(text("mail.host", mail<&m::host>, "SMTP server for alarms. Empty: no mail is sent."));
  to.push_back(count("mail.port", mail<&m::port>, 1, 65535, "Its port: mostly 587 with starttls, 465 with tls, 25 with none."));
  to.push_back(choice("mail.tls", mail<&m::tls>, {"none", "starttls", "tls"},
                      "none, starttls (required, not only tried) or tls from the first byte."));
  to.push_back(text("mail.user", mail<&m::user>, "Name to sign in with. Empty: without authentication."));
  to.push_back(text("mail.password", mail<&m::password>,
                    "Its password. May be { env = \"NAME\" } or { file = \"PATH\" }.", form::secret));
  to.push_back(text("mail.from", mail<&m::from>, "Address of the sender. Required with mail.host."));
  to.push_back(flag("mail.verify_certificate", mail<&m::verify_certificate>, "Whether the server must prove who it is."));
  to.push_back(text("mail.ca_file", mail<&m::ca_file>,
                    "Certificates to trust, a PEM file; relative to this file. Empty: the system's."));
  to.push_back(time("mail.timeout", mail<&m::timeout>, 1s, 10min, "To send one mail."));
  using a = alarm_settings;
  to.push_back(time("alarm.dedup", alarm<&a::dedup>, 0ms, 24h,
                    "Failures of a job for the same reason are one message in so long, with their number. 0s: each is told."));
  to.push_back(count("alarm.per_minute", alarm<&a::per_minute>, 1, 10'000,
                     "Messages a minute to one webhook, or to one mail address. What is beyond it is told in one summary."));
  to.push_back(
      time("alarm.webhook_timeout", alarm<&a::webhook_timeout>, 1s, 10min, "To send one message to a webhook."));
  to.push_back(choice("alarm.form", alarm<&a::form>, {"ringmaster", "xxl"},
                      "Text of the messages. ringmaster: names the job, the run, since when and how often it failed, and why.\n"
                      "xxl: subject and table of XXL-JOB, in the language of server.language."));
  to.push_back(text("alarm.link", alarm<&a::link>,
                    "Address of a page about a run, put into the messages; {run} and {job} stand for its numbers.\n"
                    "Empty: no link."));
  to.push_back(count("alarm.log_lines", alarm<&a::log_lines>, 0, 100,
                     "Last lines of the failed run's log that a message of the form ringmaster quotes; 0: none."));
}

} // namespace

std::span<const setting> all_settings() {
  static const std::vector<setting> table = [] {
    std::vector<setting> out;
    for (auto* add : {add_top, add_server, add_security, add_gateway, add_database, add_schedule, add_trigger, add_registry,
                      add_executor, add_scripts, add_cluster, add_link, add_retention, add_log_and_deploy, add_mail_and_alarm})
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
