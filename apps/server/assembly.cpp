#include "apps/server/assembly.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "config/declared/declared_file.hpp"
#include "config/load.hpp"
#include "config/validate.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/sqlite_url.hpp"

namespace ringmaster::apps {

namespace {

core::result<core::zone> find_zone(const std::string& name) {
  return name.empty() ? core::zone::system() : core::zone::find(name);
}

std::optional<core::trigger_tail> tail_of(const std::string& dialect) {
  if (dialect == "2.x")
    return core::trigger_tail::answer;
  return dialect == "3.3+" ? std::optional{core::trigger_tail::remark} : std::nullopt;
}

} // namespace

bool migrates_itself(const config::database_settings& database) {
  if (database.migrate.empty())
    return core::sqlite_path(database.url).has_value();
  return database.migrate == "auto";
}

core::result<assembled> assemble(const config_options& options) {
  config::load_request request;
  request.file = options.file;
  request.set = options.set;
  return config::load(request).and_then([](config::settings&& loaded) { return assemble(std::move(loaded)); });
}

core::result<assembled> assemble(config::settings settings) {
  auto schedule_zone = find_zone(settings.schedule.time_zone);
  if (!schedule_zone)
    return core::fail(core::errc::invalid_argument, "schedule.time_zone: " + schedule_zone.error().context);
  auto database_zone = settings.database.time_zone.empty() ? schedule_zone : core::zone::find(settings.database.time_zone);
  if (!database_zone)
    return core::fail(core::errc::invalid_argument, "database.time_zone: " + database_zone.error().context);
  auto& url = settings.database.url;
  if (const auto file = core::sqlite_path(url))
    if (const std::filesystem::path path{*file}; path.is_relative())
      url = core::sqlite_url((std::filesystem::path{settings.data_dir} / path).string());
  return assembled{std::move(settings), std::move(*schedule_zone), std::move(*database_zone)};
}

core::result<std::unique_ptr<storage::database>> make_database(const assembled& node) {
  storage::store_options options{node.database_zone, node.schedule_zone,
                                 core::find_language(node.settings.server.language).value_or(core::language::en),
                                 tail_of(node.settings.gateway.dialect)};
  const auto& database = node.settings.database;
  return core::sqlite_path(database.url) ? storage::make_sqlite_database(database, options)
                                         : storage::make_mysql_database(database, options);
}

core::result<void> prepare_schema(storage::database& database, const config::settings& settings) {
  auto pending = database.pending_migrations();
  if (!pending)
    return tl::unexpected<core::error>{pending.error()};
  if (pending->empty())
    return {};
  if (!migrates_itself(settings.database))
    return core::fail(core::errc::conflict,
                      database.description() + ": " + std::to_string(pending->size()) +
                        " migration steps pending; run `ringmaster migrate`, or set database.migrate = \"auto\"");
  return database.migrate();
}

core::result<core::declared_set> read_deploy_files(const config::settings& settings) {
  const auto& deploy = settings.deploy;
  auto declared = config::load_declared({deploy.files, deploy.base_dir, deploy.revision, deploy.source, deploy.files_from});
  // The configuration names all files of its source, so objects of other files are not protected.
  if (declared)
    declared->prunes_other_files = true;
  if (declared)
    if (auto known = check_channels(*declared, settings); !known)
      return tl::unexpected<core::error>{known.error()};
  return declared;
}

core::result<void> check_channels(const core::declared_set& declared, const config::settings& settings) {
  const auto is_webhook = [&](const std::string& name) {
    return std::any_of(settings.webhooks.begin(), settings.webhooks.end(), [&](const auto& each) { return each.name == name; });
  };
  std::string problems;
  const auto say = [&](const core::declared_alarm& alarm, const std::string& what) {
    problems += (problems.empty() ? "" : "\n") + alarm.where + ": alarm '" + alarm.rule.key + "': " + what;
  };
  for (const auto& alarm : declared.alarms) {
    for (const auto& channel : alarm.rule.channels)
      if (!is_webhook(channel))
        say(alarm, "the configuration has no [[webhook]] named \"" + channel + "\"");
    if (!alarm.rule.mail_to.empty() && settings.mail.host.empty())
      say(alarm, "mail_to needs mail.host");
  }
  if (!problems.empty())
    return core::fail(core::errc::invalid_argument, std::move(problems));
  return {};
}

std::vector<core::declared_warning> warnings_of(const core::declared_set& declared, const assembled& what) {
  core::schedule_rules rules{what.schedule_zone};
  return core::warnings_of(declared, !what.settings.mail.host.empty(), rules, system_now());
}

core::result<core::deploy_report> apply_deploy_files(storage::database& database, const assembled& what, core::time_point now) {
  const auto& settings = what.settings;
  const auto& deploy = settings.deploy;
  if (deploy.files.empty())
    return core::deploy_report{};
  auto declared = read_deploy_files(settings);
  if (!declared)
    return tl::unexpected<core::error>{declared.error()};
  auto store = database.open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  auto report = (*store)->deploys().apply(*declared, false, deploy.prune, now);
  if (report)
    core::add_warnings(*report, warnings_of(*declared, what));
  return report;
}

core::time_point system_now() { return std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now()); }

} // namespace ringmaster::apps
