// The checks of a server, for the command and for a running node.

#include "apps/doctor/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "apps/server/data_folder.hpp"
#include "core/text/sqlite_url.hpp"
#include "gateway/transport/transport.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::apps {

namespace {

void check_data_dir(const config::settings& settings, finding_list& findings) {
  std::error_code problem;
  if (!std::filesystem::is_directory(settings.data_dir, problem))
    findings.push_back({verdict::warning, "data folder", settings.data_dir + " does not exist", "serve creates it"});
  else if (::access(settings.data_dir.c_str(), W_OK | X_OK) != 0)
    findings.push_back(
      {verdict::failure, "data folder", settings.data_dir + " is not writable", "give it to the user of the server"});
  else
    findings.push_back({verdict::fine, "data folder", settings.data_dir});
}

void check_token(const config::settings& settings, finding_list& findings) {
  if (!settings.security.access_token.empty())
    findings.push_back({verdict::fine, "access token", "from the configuration"});
  else if (std::filesystem::exists(std::filesystem::path{settings.data_dir} / "initial-secrets"))
    findings.push_back({verdict::fine, "access token", "from initial-secrets in the data folder"});
  else
    findings.push_back({verdict::warning, "access token", "none yet", "serve creates one and writes it to initial-secrets"});
}

std::string remedy_of_tls(gateway::tls_finding::level how) {
  using level = gateway::tls_finding::level;
  if (how == level::failure)
    return "correct the file or its setting; SIGHUP reads the files again";
  return how == level::warning ? "replace the file or protect its key; SIGHUP reads the files again" : "";
}

void check_tls(const config::settings& settings, finding_list& findings) {
  using level = gateway::tls_finding::level;
  for (auto& one : gateway::examine_tls(settings.server, settings.security, settings.link, std::chrono::system_clock::now()))
    findings.push_back({one.how == level::failure   ? verdict::failure
                        : one.how == level::warning ? verdict::warning
                                                    : verdict::fine,
                        "TLS", std::move(one.detail), remedy_of_tls(one.how)});
}

void check_job_files(const config::settings& settings, finding_list& findings) {
  if (settings.deploy.files.empty())
    return;
  auto declared = read_deploy_files(settings);
  if (declared)
    findings.push_back({verdict::fine, "job files", std::to_string(declared->groups.size()) + " groups, "
                                                      + std::to_string(declared->jobs.size()) + " jobs, "
                                                      + std::to_string(declared->alarms.size()) + " alarms declared"});
  else
    findings.push_back({verdict::failure, "job files", declared.error().context, "correct the files"});
}

/// Connects to each channel and stops before sending a message.
void check_alarm_channels(const config::settings& settings, finding_list& findings) {
  const auto channels = notification_of(settings);
  const auto probe = [&](const std::string& name, const std::string& what) {
    const auto reached = gateway::probe_channel(channels, name);
    findings.push_back(reached ? finding{verdict::fine, "alarm channel", what + " is reachable"}
                               : finding{verdict::failure, "alarm channel", what + ": " + reached.error().context,
                                       "correct its settings, or let this machine reach it"});
  };
  if (!settings.mail.host.empty())
    probe("mail", "mail through " + settings.mail.host);
  for (const auto& webhook : settings.webhooks)
    probe(webhook.name, "webhook " + webhook.name);
}

void check_content(storage::database& database, finding_list& findings) {
  using level = storage::database_finding::level;
  for (auto& one : database.examine())
    findings.push_back({one.how == level::failure   ? verdict::failure
                        : one.how == level::warning ? verdict::warning
                                                    : verdict::fine,
                        std::move(one.what), std::move(one.detail)});
}

void check_mode(storage::store& store, const std::string& wanted, finding_list& findings) {
  const auto mode = storage::agreed_mode(store, wanted);
  if (!mode) {
    findings.push_back({verdict::failure, "mode", mode.error().context});
    return;
  }
  findings.push_back({verdict::fine, "mode", std::string{core::stored_name(*mode)}});
  if (*mode != core::cluster_mode::shared)
    return;
  const auto unplanned = store.reservations()->unplanned();
  if (!unplanned)
    findings.push_back({verdict::failure, "job options", unplanned.error().context});
  else if (!unplanned->empty())
    findings.push_back({verdict::failure, "job options", core::options_refused(*unplanned),
                        "remove these options, or stop the jobs"});
}

/// Names some of the jobs; `repair schedules` lists all.
void check_times(const assembled& node, storage::store& store, finding_list& findings) {
  constexpr std::size_t named_max = 5;
  const auto found = find_far_ahead(store, node.schedule_zone, node.settings.cluster.clock_tolerance, system_now());
  if (!found) {
    findings.push_back({verdict::failure, "job times", found.error().context});
    return;
  }
  if (found->empty()) {
    findings.push_back({verdict::fine, "job times", "no job has a time further ahead than its schedule explains"});
    return;
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(found->size(), named_max); ++i) {
    const auto& times = (*found)[i];
    text += (i == 0 ? "job " : ", job ") + std::to_string(core::number(times.job)) + " (" +
            (times.next ? "next " : "last ") + node.schedule_zone.format(times.next.value_or(times.last)) + ')';
  }
  findings.push_back({verdict::failure, "job times",
                      std::to_string(found->size()) +
                        " jobs have times further ahead than their schedules explain; a wrong clock "
                        "can cause this: " +
                        text,
                      "`ringmaster repair schedules` recalculates them from now"});
}

void check_database(const assembled& node, finding_list& findings) {
  // The check must not create the file of an embedded database.
  if (const auto file = core::sqlite_path(node.settings.database.url); file && !std::filesystem::exists(*file)) {
    const auto startable = check_database_is_there(node.settings);
    findings.push_back(startable ? finding{verdict::warning, "database", "none yet", "serve creates it"}
                                 : finding{verdict::failure, "database", startable.error().context});
    return;
  }
  auto database = make_database(node);
  if (!database) {
    findings.push_back({verdict::failure, "database", database.error().context});
    return;
  }
  auto pending = (*database)->pending_migrations();
  if (!pending && pending.error().code != core::errc::unsupported) {
    findings.push_back({verdict::failure, "database", (*database)->description() + ": " + pending.error().context});
    return;
  }
  const auto file = core::sqlite_path(node.settings.database.url);
  if (!pending && file) {
    // The tables belong to another product or a later release: they cannot be checked.
    findings.push_back({verdict::failure, "database", (*database)->description() + ": " + pending.error().context});
    return;
  }
  if (std::error_code problem; file && std::filesystem::file_size(*file, problem) == 0 && !problem) {
    findings.push_back({verdict::warning, "database",
                        (*database)->description() + ": the file is empty",
                        "serve creates its tables, but earlier data is lost"});
    return;
  }
  findings.push_back({verdict::fine, "database", (*database)->description()});
  check_content(**database, findings);
  if (!pending) {
    findings.push_back({verdict::failure, "schema", pending.error().context});
    return;
  }
  if (!pending->empty()) {
    const auto steps = std::to_string(pending->size()) + " migration steps pending";
    if (migrates_itself(node.settings.database))
      findings.push_back({verdict::warning, "schema", steps, "serve runs them when it starts"});
    else
      findings.push_back({verdict::failure, "schema", steps, "serve does not start until you run `ringmaster migrate`"});
    return;
  }
  findings.push_back({verdict::fine, "schema", "up to date"});
  auto store = (*database)->open();
  if (!store) {
    findings.push_back({verdict::failure, "database", store.error().context});
    return;
  }
  check_mode(**store, node.settings.cluster.mode, findings);
  check_age(node.settings, **store, node.schedule_zone, system_now(), findings);
  check_times(node, **store, findings);
  check_executors(**store, findings);
  check_nodes(node.settings, **store, findings);
}

/// Checks that read files alone.
void check_files(const assembled& what, finding_list& findings) {
  findings.push_back({verdict::fine, "configuration", "listens on " + what.settings.server.listen});
  findings.push_back(
    {verdict::fine, "time zones", "schedule " + what.schedule_zone.name() + ", database " + what.database_zone.name()});
  check_data_dir(what.settings, findings);
  check_disks(what.settings, findings);
  check_token(what.settings, findings);
  check_tls(what.settings, findings);
  check_job_files(what.settings, findings);
}

} // namespace

void check_server(const assembled& what, const finding_taker& take) {
  const auto of_settings = [&what](auto check) {
    return [&what, check](finding_list& findings) { check(what.settings, findings); };
  };
  const std::function<void(finding_list&)> steps[] = {
    [&what](finding_list& findings) { check_files(what, findings); },
    of_settings(check_running_server),
    of_settings(check_alarm_channels),
    [&what](finding_list& findings) { check_database(what, findings); },
  };
  for (const auto& step : steps) {
    finding_list findings;
    step(findings);
    if (!take(std::move(findings)))
      return;
  }
}

} // namespace ringmaster::apps
