#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include <unistd.h>

#include "actors/link/tls_ports.hpp"
#include "apps/commands/commands.hpp"
#include "apps/doctor/doctor.hpp"
#include "apps/process/service_notice.hpp"
#include "apps/process/signals.hpp"
#include "apps/server/node_bootstrap.hpp"
#include "apps/server/node.hpp"
#include "apps/terminal/report.hpp"
#include "config/changes.hpp"
#include "protocol/error.hpp"
#include "protocol/meta_objects.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

/// Interval of looks at the wall clock while a reload waits for it.
constexpr std::chrono::milliseconds clock_look_every{500};

void log_report(actors::logger& log, const core::deploy_report& report) {
  for (const auto& line : log_lines(report))
    log->info("declared: {}", line);
  for (const auto& warning : report.warnings)
    log->warn("declared: {}", warning);
}

/// Facts about a start, for its log.
struct announcement {
  std::string database;
  /// This start created the database.
  bool made_database = false;
  access_token token;
  std::optional<first_admin> admin;
};

void announce(const announcement& start, const std::string& address, actors::logger& log) {
  const auto& [database, made_database, token, admin] = start;
  log->info("serving on {}", address);
  log->info("database: {}{}", database, made_database ? ", created by this start" : "");
  if (token.fresh)
    log->info("created an access token: see {}", token.file);
  if (admin)
    log->info("created administrator {}: the password is in {}", admin->name, admin->file);
  // Secrets are printed only to a terminal, never to a log.
  if (token.fresh && isatty(STDOUT_FILENO) != 0)
    std::printf("access token: %s\n", token.token.c_str());
  if (admin && isatty(STDOUT_FILENO) != 0)
    std::printf("user: %s\npassword: %s\n", admin->name.c_str(), admin->password.c_str());
}

/// The settings, as read from files, environment and options.
struct configured {
  config::settings at_start;
  /// As last applied.
  config::settings now;
};

/// The result of one part of a reload.
enum class reloaded {
  nothing,
  done,
  failed,
  /// Refused until this node trusts its wall clock.
  waiting,
};

/// After an error the previous certificates stay in force and the rest of the reload continues.
reloaded reload_tls(node& running, actors::logger& log) {
  if (auto done = running.reload_tls(); !done) {
    log->error("reload: TLS unchanged: {}", done.error().context);
    return reloaded::failed;
  }
  if (!running.uses_tls())
    return reloaded::nothing;
  log->info("reload: TLS files reloaded");
  return reloaded::done;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

/// Applies the changed settings that need no restart, and logs those that do.
reloaded reload_settings(const assembled& fresh, configured& known, node& running, actors::logger& log) {
  const auto since_start = config::changes_of(known.at_start, fresh.settings);
  if (!since_start.waiting.empty())
    log->warn("reload: these changes need a restart: {}", joined(since_start.waiting));
  const auto changed = config::changes_of(known.now, fresh.settings).reloaded;
  known.now = fresh.settings;
  if (changed.empty())
    return reloaded::nothing;
  running.reload(fresh);
  log->info("reload: applied: {}", joined(changed));
  if (auto done = running.record_reload(changed); !done)
    log->warn("reload: the audit log has no entry of these changes: {}", done.error().context);
  return reloaded::done;
}

/// The declared files as they were at the signal, with the settings of that moment.
struct declared_files {
  assembled what;
  core::declared_set declared;
};

/// One reload, from the signal until its declared files are applied.
struct reload_progress {
  bool any_done = false;
  bool any_failed = false;
  /// Set until the files are applied or refused: while they wait for the wall clock.
  std::optional<declared_files> files;

  void note(reloaded part) {
    any_done |= part == reloaded::done;
    any_failed |= part == reloaded::failed;
  }
};

/// Reads the declared files of the current configuration into `progress`.
reloaded read_declared(core::result<assembled>&& fresh, reload_progress& progress, actors::logger& log) {
  const auto fail = [&log](const core::error& why) {
    log->error("reload: {}", why.context);
    return reloaded::failed;
  };
  if (!fresh)
    return fail(fresh.error());
  if (fresh->settings.deploy.files.empty()) {
    log->info("reload: no job files configured");
    return reloaded::nothing;
  }
  auto declared = read_deploy_files(fresh->settings);
  if (!declared)
    return fail(declared.error());
  progress.files = declared_files{std::move(*fresh), std::move(*declared)};
  return reloaded::nothing;
}

/// Applies declared files. An error leaves all jobs unchanged.
reloaded apply_declared(const declared_files& files, node& running, actors::logger& log) {
  auto report = running.apply(files.declared, files.what.settings.deploy.prune);
  if (!report && protocol::is_clock_in_doubt(report.error())) {
    log->warn("reload: the declared files are applied as soon as this node trusts its wall clock (reasons: /readyz)");
    return reloaded::waiting;
  }
  if (!report) {
    log->error("reload: {}", report.error().context);
    return reloaded::failed;
  }
  core::add_warnings(*report, warnings_of(files.declared, files.what));
  log_report(log, *report);
  return reloaded::done;
}

/// Applies the declared files of a reload. The last log line sums up the whole reload, unless the files still wait.
void finish(reload_progress& progress, node& running, actors::logger& log) {
  const auto applied = progress.files ? apply_declared(*progress.files, running, log) : reloaded::nothing;
  progress.note(applied);
  const bool waits = applied == reloaded::waiting;
  if (!waits)
    progress.files.reset();
  if (progress.any_failed)
    log->warn(progress.any_done ? "reload: partly done, see the errors above" : "reload: nothing changed, see the errors above");
  else if (progress.any_done && !waits)
    log->info("reload: done");
}

/// Handles SIGHUP.
reload_progress reload(const config_options& options, configured& known, node& running, actors::logger& log) {
  reload_progress progress;
  progress.note(reload_tls(running, log));
  auto fresh = assemble(options);
  if (fresh)
    progress.note(reload_settings(*fresh, known, running, log));
  progress.note(read_declared(std::move(fresh), progress, log));
  finish(progress, running, log);
  return progress;
}

/// Sends the watchdog message only if the actors answer: the service manager restarts a node whose actors hang.
void report_incarnation(const service_notice& notice, node& running, actors::logger& log) {
  if (!notice.interval())
    return;
  if (running.answers(*notice.interval()))
    notice.alive();
  else
    log->warn("the actors did not answer in time: no watchdog message sent to the service manager");
}

void run_until_stopped(const config_options& options, configured known, const service_notice& notice, node& running,
                       const std::string& address, actors::logger& log) {
  const auto status = "serving on " + address;
  const std::chrono::milliseconds interval = notice.interval().value_or(1h);
  reload_progress last;
  notice.ready(status);
  for (;;) {
    report_incarnation(notice, running, log);
    const auto event = wait_for_signal(last.files ? std::min(interval, clock_look_every) : interval);
    if (event == signal_event::stop)
      break;
    const bool continues = !event && last.files && running.trusts_clock();
    if (event != signal_event::reload && !continues)
      continue;
    notice.reloading();
    if (continues) {
      log->info("reload: continued, because this node now trusts its wall clock");
      finish(last, running, log);
    } else {
      last = reload(options, known, running, log);
    }
    notice.ready(status);
  }
  notice.stopping();
  running.stop([] { return wait_for_signal(0ms) == signal_event::stop; });
}

core::result<int> run(const serve_options& options, const service_notice& notice) {
  auto what = assemble(options);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  const configured known{what->settings, what->settings};
  auto base = bootstrap_node(std::move(*what), options.new_database);
  if (!base)
    return tl::unexpected<core::error>{base.error()};
  base->checks = check_server;
  auto log = base->log;
  const announcement start{base->database->description(), base->made_database, base->token, base->admin};
  const std::string scheme = base->what.settings.server.tls_certificate.empty() ? "http://" : "https://";
  auto report = apply_deploy_files(*base->database, base->what, system_now());
  if (!report)
    return tl::unexpected<core::error>{report.error()};
  log_report(log, *report);
  auto running = node::start(std::move(*base));
  if (!running)
    return tl::unexpected<core::error>{running.error()};
  const auto address = scheme + (*running)->address();
  announce(start, address, log);
  run_until_stopped(options, known, notice, **running, address, log);
  return exit_done;
}

} // namespace

int serve(const serve_options& options) {
  const auto notice = service_notice::from_environment();
  block_signals();
  protocol::init_meta_objects();
  actors::init_link_meta_objects();
  auto done = run(options, notice);
  return done ? *done : complain(done.error());
}

} // namespace ringmaster::apps
