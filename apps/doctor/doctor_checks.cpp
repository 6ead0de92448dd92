// The checks of a server, for the command and for a running node.

#include "apps/doctor/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
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

using check = std::function<void(finding_list&)>;

/// Adds a check for each channel: connects, and stops before sending a message.
void add_channels(const config::settings& settings, const still_wanted& go_on, std::vector<check>& to) {
  const auto channels = std::make_shared<const gateway::notification_settings>(notification_of(settings));
  const auto probe = [&](std::string name, std::string what) {
    to.emplace_back([channels, &go_on, name = std::move(name), what = std::move(what)](finding_list& findings) {
      const auto reached = gateway::probe_channel(*channels, name, go_on);
      findings.push_back(reached ? finding{verdict::fine, "alarm channel", what + " is reachable"}
                                 : finding{verdict::failure, "alarm channel", what + ": " + reached.error().context,
                                         "correct its settings, or let this machine reach it"});
    });
  };
  if (!settings.mail.host.empty())
    probe("mail", "mail through " + settings.mail.host);
  for (const auto& webhook : settings.webhooks)
    probe(webhook.name, "webhook " + webhook.name);
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
void check_times(const assembled& node, storage::store& store, const still_wanted& go_on, finding_list& findings) {
  constexpr std::size_t named_max = 5;
  const auto found = find_far_ahead(store, node.schedule_zone, node.settings.cluster.clock_tolerance, system_now(), go_on);
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
    const auto& times = (*found)[i].times;
    text += (i == 0 ? "" : ", ") + (*found)[i].name() + " (" +
            (times.next ? "next " : "last ") + node.schedule_zone.format(times.next.value_or(times.last)) + ')';
  }
  findings.push_back({verdict::failure, "job times",
                      std::to_string(found->size()) +
                        " jobs have times further ahead than their schedules explain; a wrong clock "
                        "can cause this: " +
                        text,
                      "`ringmaster repair schedules` recalculates them from now"});
}

/// The checks of the database, one after the other. Each needs what those before it have opened, and does nothing without it.
class database_checks {
public:
  database_checks(const assembled& node, const still_wanted& go_on) : node_{node}, go_on_{go_on} {}

  void add_to(std::vector<check>& to) {
    to.emplace_back([this](finding_list& findings) { open(findings); });
    to.emplace_back([this](finding_list& findings) { check_content(findings); });
    to.emplace_back([this](finding_list& findings) { check_schema(findings); });
    add(to, [this](finding_list& findings) {
      check_mode(*store_, node_.settings.cluster.mode, findings);
      check_age(node_.settings, *store_, node_.schedule_zone, system_now(), findings);
    });
    add(to, [this](finding_list& findings) { check_times(node_, *store_, go_on_, findings); });
    add(to, [this](finding_list& findings) { check_executors(*store_, findings); });
    add(to, [this](finding_list& findings) { check_nodes(node_.settings, *store_, go_on_, findings); });
  }

private:
  /// Adds a check of the store.
  template <class Check>
  void add(std::vector<check>& to, Check one) {
    to.emplace_back([this, one](finding_list& findings) {
      if (store_)
        one(findings);
    });
  }

  void open(finding_list& findings) {
    // The check must not create the file of an embedded database.
    const auto file = core::sqlite_path(node_.settings.database.url);
    if (file && !std::filesystem::exists(*file)) {
      const auto startable = check_database_is_there(node_.settings);
      findings.push_back(startable ? finding{verdict::warning, "database", "none yet", "serve creates it"}
                                   : finding{verdict::failure, "database", startable.error().context});
      return;
    }
    auto made = make_database(node_);
    if (!made)
      return findings.push_back({verdict::failure, "database", made.error().context});
    const auto name = (*made)->description();
    pending_ = (*made)->pending_migrations();
    // The tables of an SQLite file may belong to another product or a later release: they cannot be checked.
    if (!pending_ && (file || pending_.error().code != core::errc::unsupported))
      return findings.push_back({verdict::failure, "database", name + ": " + pending_.error().context});
    if (std::error_code problem; file && std::filesystem::file_size(*file, problem) == 0 && !problem)
      return findings.push_back({verdict::warning, "database", name + ": the file is empty",
                                 "serve creates its tables, but earlier data is lost"});
    findings.push_back({verdict::fine, "database", name});
    database_ = std::move(*made);
  }

  void check_content(finding_list& findings) {
    if (database_)
      findings = database_->examine(go_on_);
  }

  void check_schema(finding_list& findings) {
    if (!database_)
      return;
    if (!pending_)
      return findings.push_back({verdict::failure, "schema", pending_.error().context});
    if (!pending_->empty()) {
      const auto steps = std::to_string(pending_->size()) + " migration steps pending";
      return findings.push_back(
        migrates_itself(node_.settings.database)
          ? finding{verdict::warning, "schema", steps, "serve runs them when it starts"}
          : finding{verdict::failure, "schema", steps, "serve does not start until you run `ringmaster migrate`"});
    }
    findings.push_back({verdict::fine, "schema", "up to date"});
    auto opened = database_->open();
    if (opened)
      store_ = std::move(*opened);
    else
      findings.push_back({verdict::failure, "database", opened.error().context});
  }

  const assembled& node_;
  const still_wanted& go_on_;
  core::result<std::vector<storage::migration_step>> pending_;
  /// Null: not to be checked.
  std::unique_ptr<storage::database> database_;
  /// Null before its tables are up to date.
  std::unique_ptr<storage::store> store_;
};

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
  const still_wanted go_on = [&take] { return take({}); };
  std::vector<check> steps{[&what](finding_list& findings) { check_files(what, findings); },
                           [&](finding_list& findings) { check_running_server(what.settings, go_on, findings); }};
  add_channels(what.settings, go_on, steps);
  database_checks database{what, go_on};
  database.add_to(steps);
  for (const auto& step : steps) {
    finding_list findings;
    step(findings);
    if (!take(std::move(findings)))
      return;
  }
}

} // namespace ringmaster::apps
