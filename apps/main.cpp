// `ringmaster`: parses the command line and runs one command.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "apps/client/client_arguments.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/export_command.hpp"
#include "apps/commands/import_command.hpp"
#include "apps/terminal/version_text.hpp"

namespace {

using namespace ringmaster::apps;

/// Checks an unsigned number of at most 18 digits.
std::string revision_defect(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() <= 18 ? "" : "\"" + text + "\" is not a revision; expected a number from 0 to 999999999999999999";
}

/// Returns a failure if standard output could not be written.
int said(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return code;
  std::fprintf(stderr, "ringmaster: cannot write to standard output: %s\n", std::strerror(errno));
  return code == exit_done ? exit_failed : code;
}

/// Opens missing standard files. Otherwise the next file that is opened would become standard error and receive its output. A
/// missing standard output is opened read-only, so that writing to it fails.
void fill_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0)
      (void)::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int run(int argc, char** argv) {
  CLI::App app{"Ringmaster: a distributed job scheduler, drop-in for the XXL-JOB admin", "ringmaster"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(0, 1); // reports an unknown word before a missing subcommand
  std::function<int()> chosen;

  serve_options serve_config;
  auto* serve_command =
    app.add_subcommand("serve", "Run the scheduler until SIGTERM; SIGHUP reloads the configuration and the declared jobs");
  add_config_options(*serve_command, serve_config);
  serve_command->add_flag("--new-database", serve_config.new_database,
                          "Start with an empty SQLite database if the earlier one is missing");
  serve_command->callback([&] { chosen = [&] { return serve(serve_config); }; });

  config_options executor_config;
  auto* executor_command =
    app.add_subcommand("executor", "Run an executor until SIGTERM: scripts, commands and HTTP calls of the configuration");
  add_config_options(*executor_command, executor_config);
  add_executor_help(*executor_command);
  executor_command->callback([&] { chosen = [&] { return run_executor(executor_config); }; });

  demo_options demonstration;
  auto* demo_command = app.add_subcommand(
    "demo", "Run a server, two executors and sample jobs, in one process and a temporary folder; print a link to the console");
  demo_command->add_flag("--check", demonstration.check, "Exit 0 after three completed runs, 1 after 60 s without them");
  demo_command->add_option("--listen", demonstration.listen, "Address to listen on; port 0: any free port")
    ->type_name("HOST:PORT")
    ->capture_default_str();
  demo_command->callback([&] { chosen = [&] { return demo(demonstration); }; });

  apply_options applied;
  auto* apply_command = app.add_subcommand("apply", "Apply files of declared groups and jobs, all or nothing");
  add_desk_options(*apply_command, applied);
  apply_command->add_option("PATH", applied.paths, "Files or globs")->required();
  apply_command->add_option("--source", applied.source, "Name of the source that owns the declared objects")
    ->type_name("NAME")
    ->capture_default_str();
  apply_command->add_option("--revision", applied.revision, "Revision of the files; rejected if a higher one was already applied")
    ->type_name("N")
    ->check(revision_defect);
  apply_command->add_flag("--dry-run", applied.dry_run, "Only print what would change");
  auto* prune = apply_command->add_flag("--prune", applied.prune, "Remove objects that the same source no longer declares");
  apply_command
    ->add_flag("--prune-all", applied.prune_all, "With --prune: also remove objects declared by files that are not given")
    ->needs(prune);
  apply_command->add_flag("--yes", applied.yes, "Skip the confirmation");
  apply_command->callback([&] { chosen = [&] { return run_with_texts(*apply_command, [&] { return apply(applied); }); }; });

  add_export_command(app, chosen);
  add_import_command(app, chosen);

  migrate_options migration;
  auto* migrate_command = app.add_subcommand("migrate", "Migrate the database to the current schema");
  add_config_options(*migrate_command, migration.config);
  migrate_command->add_flag("--dry-run", migration.dry_run, "Only print the pending steps");
  migrate_command->add_flag("--xxl", migration.xxl, "Also upgrade XXL-JOB's own tables to its newest released schema");
  migrate_command
    ->add_flag("--lean{on}", migration.lean, "Drop the log indexes that only Java admin pages use; --lean=off restores them")
    ->check(CLI::IsMember({"on", "off"}));
  migrate_command->add_flag("--new-database", migration.new_database,
                            "Create an empty SQLite database if the earlier one is missing");
  migrate_command->add_flag("--json", migration.json, "Print JSON");
  migrate_command->callback([&] { chosen = [&] { return migrate(migration); }; });

  config_options takeover_config;
  bool takeover_back = false;
  bool takeover_json = false;
  auto* takeover_command = app.add_subcommand("takeover", "Take over scheduling from Java admins (native mode)");
  add_config_options(*takeover_command, takeover_config);
  takeover_command->add_flag("--back", takeover_back, "Return scheduling to Java admins (shared mode)");
  takeover_command->add_flag("--json", takeover_json, "Print JSON");
  takeover_command->callback([&] { chosen = [&] { return takeover(takeover_config, takeover_back, takeover_json); }; });

  cron_options cron;
  auto* cron_command = app.add_subcommand("cron", "Cron expressions: next");
  cron_command->require_subcommand(0, 1);
  auto* next_command = cron_command->add_subcommand("next", "Print the next fire times of an expression");
  next_command->add_option("EXPR", cron.expression, "Cron expression with six or seven fields, in quotes")->required();
  next_command->add_option("--from", cron.from, "Start, ISO 8601 or epoch milliseconds; default now")->type_name("T");
  next_command->add_option("--count", cron.count, "Number of fire times")->check(CLI::Range(1, 100000))->capture_default_str();
  next_command->add_option("--zone", cron.zone, "IANA time zone; default: the system's")->type_name("Z");
  next_command->add_flag("--json", cron.json, "Print JSON");
  next_command->callback([&] { chosen = [&] { return cron_next(cron); }; });

  alarm_test_options alarm;
  auto* alarm_command = app.add_subcommand("alarm", "Alarm channels: test");
  alarm_command->require_subcommand(0, 1);
  auto* alarm_test_command = alarm_command->add_subcommand("test", "Send a test message and print the result");
  add_config_options(*alarm_test_command, alarm.config);
  alarm_test_command->add_option("CHANNEL", alarm.channel, "mail, or the name of a [[webhook]]")->required();
  alarm_test_command->add_option("--to", alarm.to, "Recipient, for mail only; default the sender's own address")
    ->type_name("ADDRESS");
  alarm_test_command->add_flag("--json", alarm.json, "Print JSON");
  alarm_test_command->callback([&] { chosen = [&] { return alarm_test(alarm); }; });

  add_job_commands(app, chosen);
  add_elastic_commands(app, chosen);
  add_group_commands(app, chosen);
  add_run_commands(app, chosen);
  add_log_command(app, chosen);
  add_forecast_command(app, chosen);
  add_node_commands(app, chosen);
  add_cluster_commands(app, chosen);
  add_repair_commands(app, chosen);
  add_user_commands(app, chosen);
  add_key_commands(app, chosen);
  add_completion_command(app, chosen);
  add_names_command(app, chosen);

  config_options doctor_config;
  bool doctor_json = false;
  auto* doctor_command =
    app.add_subcommand("doctor", "Check settings, data folder, database, alarm channels and node id; exit 1 on a failure");
  add_config_options(*doctor_command, doctor_config);
  doctor_command->add_flag("--json", doctor_json, "Print JSON");
  doctor_command->callback([&] { chosen = [&] { return doctor(doctor_config, doctor_json); }; });

  add_common_help(app); // after the commands, which would inherit it
  try {
    app.parse(argc, argv);
    if (!chosen)
      throw CLI::RequiredError(app.get_subcommands().empty() ? "A subcommand"
                                                             : app.get_subcommands().front()->get_name() + ": a subcommand");
  } catch (const CLI::ExtrasError&) {
    std::fputs(unexpected_argument(app).c_str(), stderr);
    return said(exit_usage);
  } catch (const CLI::ParseError& problem) {
    return said(app.exit(problem) == 0 ? exit_done : exit_usage);
  }
  return said(chosen());
}

} // namespace

int main(int argc, char** argv) {
  fill_standard_files();
  try {
    return run(argc, argv);
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "ringmaster: %s\n", thrown.what());
    return exit_failed;
  }
}
