// `ringmaster`: parses the command line and hands over to one command.

#include <cstdio>
#include <exception>
#include <functional>

#include <CLI/CLI.hpp>

#include "apps/commands.hpp"

namespace {

using namespace ringmaster::apps;

void add_config_options(CLI::App& command, config_options& options) {
  command
    .add_option("--config", options.file, "Configuration file (else RINGMASTER_CONFIG, else /etc/ringmaster/ringmaster.toml)")
    ->type_name("FILE");
  command.add_option("--set", options.set, "One setting, e.g. --set server.listen=0.0.0.0:8080; may be repeated")
    ->type_name("KEY=VALUE")
    ->allow_extra_args(false);
}

int run(int argc, char** argv) {
  CLI::App app{"Ringmaster: a distributed job scheduler, drop-in for the XXL-JOB admin", "ringmaster"};
  app.set_version_flag("--version", "ringmaster " RINGMASTER_VERSION);
  app.require_subcommand(1);
  std::function<int()> chosen;

  config_options serve_config;
  auto* serve_command = app.add_subcommand("serve", "Run the scheduler until SIGTERM; SIGHUP applies the declared jobs again");
  add_config_options(*serve_command, serve_config);
  serve_command->callback([&] { chosen = [&] { return serve(serve_config); }; });

  demo_options demonstration;
  auto* demo_command =
    app.add_subcommand("demo", "Server, executor and a job that fires every second, in one process and a fresh folder");
  demo_command->add_flag("--check", demonstration.check, "Exit 0 after three completed runs, 1 after 60 s without them");
  demo_command->add_option("--listen", demonstration.listen, "Address to serve on; port 0 takes a free one")
    ->type_name("HOST:PORT")
    ->capture_default_str();
  demo_command->callback([&] { chosen = [&] { return demo(demonstration); }; });

  apply_options applied;
  auto* apply_command = app.add_subcommand("apply", "Apply files of declared groups and jobs, all or nothing");
  add_config_options(*apply_command, applied.config);
  apply_command->add_option("PATH", applied.paths, "Files or globs")->required();
  apply_command->add_option("--source", applied.source, "Who owns what the files declare")
    ->type_name("NAME")
    ->capture_default_str();
  apply_command->add_option("--revision", applied.revision, "Refused when a higher one was applied before")->type_name("N");
  apply_command->add_flag("--dry-run", applied.dry_run, "Only say what would change");
  apply_command->add_flag("--prune", applied.prune, "Remove what the same source declared before and no longer does");
  apply_command->add_flag("--json", applied.json, "For machines");
  apply_command->callback([&] { chosen = [&] { return apply(applied); }; });

  config_options migrate_config;
  bool migrate_dry_run = false;
  bool migrate_json = false;
  auto* migrate_command = app.add_subcommand("migrate", "Bring the database's schema up to date");
  add_config_options(*migrate_command, migrate_config);
  migrate_command->add_flag("--dry-run", migrate_dry_run, "Only print the statements");
  migrate_command->add_flag("--json", migrate_json, "For machines");
  migrate_command->callback([&] { chosen = [&] { return migrate(migrate_config, migrate_dry_run, migrate_json); }; });

  cron_options cron;
  auto* cron_command = app.add_subcommand("cron", "Questions about cron expressions");
  cron_command->require_subcommand(1);
  auto* next_command = cron_command->add_subcommand("next", "The next fire times of an expression");
  next_command->add_option("EXPR", cron.expression, "Six or seven fields, in quotes")->required();
  next_command->add_option("--from", cron.from, "ISO 8601 or epoch milliseconds; default now")->type_name("T");
  next_command->add_option("--count", cron.count, "How many")->check(CLI::Range(1, 100000))->capture_default_str();
  next_command->add_option("--zone", cron.zone, "IANA time zone; default the system's")->type_name("Z");
  next_command->add_flag("--json", cron.json, "For machines");
  next_command->callback([&] { chosen = [&] { return cron_next(cron); }; });

  config_options doctor_config;
  bool doctor_json = false;
  auto* doctor_command = app.add_subcommand("doctor", "Check configuration, data folder and database");
  add_config_options(*doctor_command, doctor_config);
  doctor_command->add_flag("--json", doctor_json, "For machines");
  doctor_command->callback([&] { chosen = [&] { return doctor(doctor_config, doctor_json); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? exit_done : exit_usage;
  }
  return chosen();
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "ringmaster: %s\n", thrown.what());
    return exit_failed;
  }
}
