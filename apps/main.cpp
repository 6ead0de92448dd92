// `ringmaster`: parses the command line and hands over to one command.

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
#include "apps/commands/admin_commands.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/export_command.hpp"
#include "apps/terminal/version_text.hpp"

namespace {

using namespace ringmaster::apps;

/// A number without sign that fits.
std::string revision_defect(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() <= 18 ? "" : "\"" + text + "\" is no revision; expected a number from 0 to 999999999999999999";
}

/// Output that could not be written is no success.
int said(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return code;
  std::fprintf(stderr, "ringmaster: cannot write to standard output: %s\n", std::strerror(errno));
  return code == exit_done ? exit_failed : code;
}

/// Else the next file that is opened would become standard error, and be written into. Standard output is opened for reading
/// only: what is said to nobody is an error.
void fill_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0)
      (void)::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int run(int argc, char** argv) {
  CLI::App app{"Ringmaster: a distributed job scheduler, drop-in for the XXL-JOB admin", "ringmaster"};
  app.set_version_flag("--version", version_text);
  add_common_help(app);
  app.require_subcommand(0, 1); // so that a wrong word is named before one is missed
  std::function<int()> chosen;

  serve_options serve_config;
  auto* serve_command = app.add_subcommand("serve", "Run the scheduler until SIGTERM; SIGHUP applies the declared jobs again");
  add_config_options(*serve_command, serve_config);
  serve_command->add_flag("--new-database", serve_config.new_database,
                          "Begin with an empty SQLite database where an earlier one is missing");
  serve_command->callback([&] { chosen = [&] { return serve(serve_config); }; });

  config_options executor_config;
  auto* executor_command =
    app.add_subcommand("executor", "Run jobs for admins until SIGTERM: the scripts, commands and calls of the configuration");
  add_config_options(*executor_command, executor_config);
  executor_command->callback([&] { chosen = [&] { return run_executor(executor_config); }; });

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
  add_desk_options(*apply_command, applied);
  apply_command->add_option("PATH", applied.paths, "Files or globs")->required();
  apply_command->add_option("--source", applied.source, "Who owns what the files declare")
    ->type_name("NAME")
    ->capture_default_str();
  apply_command->add_option("--revision", applied.revision, "Refused when a higher one was applied before")
    ->type_name("N")
    ->check(revision_defect);
  apply_command->add_flag("--dry-run", applied.dry_run, "Only say what would change");
  auto* prune =
    apply_command->add_flag("--prune", applied.prune, "Remove what the same source declared before and no longer does");
  apply_command
    ->add_flag("--prune-all", applied.prune_all, "With --prune: also what files declared that are not given now")
    ->needs(prune);
  apply_command->add_flag("--yes", applied.yes, "Remove without a question");
  apply_command->callback([&] { chosen = [&] { return run_with_texts(*apply_command, [&] { return apply(applied); }); }; });

  add_export_command(app, chosen);

  migrate_options migration;
  auto* migrate_command = app.add_subcommand("migrate", "Bring the database's schema up to date");
  add_config_options(*migrate_command, migration.config);
  migrate_command->add_flag("--dry-run", migration.dry_run, "Only print what would be run");
  migrate_command->add_flag("--xxl", migration.xxl, "Upgrade XXL-JOB's own tables to its newest released schema, too");
  migrate_command
    ->add_flag("--lean{on}", migration.lean,
               "Drop the log's indexes that only pages of Java admins read; --lean=off makes them again")
    ->check(CLI::IsMember({"on", "off"}));
  migrate_command->add_flag("--json", migration.json, "For machines");
  migrate_command->callback([&] { chosen = [&] { return migrate(migration); }; });

  config_options takeover_config;
  bool takeover_back = false;
  bool takeover_json = false;
  auto* takeover_command = app.add_subcommand("takeover", "Take the schedule over from Java admins (native mode)");
  add_config_options(*takeover_command, takeover_config);
  takeover_command->add_flag("--back", takeover_back, "Give it back: Java admins may plan again (shared mode)");
  takeover_command->add_flag("--json", takeover_json, "For machines");
  takeover_command->callback([&] { chosen = [&] { return takeover(takeover_config, takeover_back, takeover_json); }; });

  cron_options cron;
  auto* cron_command = app.add_subcommand("cron", "Questions about cron expressions");
  cron_command->require_subcommand(0, 1);
  auto* next_command = cron_command->add_subcommand("next", "The next fire times of an expression");
  next_command->add_option("EXPR", cron.expression, "Six or seven fields, in quotes")->required();
  next_command->add_option("--from", cron.from, "ISO 8601 or epoch milliseconds; default now")->type_name("T");
  next_command->add_option("--count", cron.count, "How many")->check(CLI::Range(1, 100000))->capture_default_str();
  next_command->add_option("--zone", cron.zone, "IANA time zone; default the system's")->type_name("Z");
  next_command->add_flag("--json", cron.json, "For machines");
  next_command->callback([&] { chosen = [&] { return cron_next(cron); }; });

  alarm_test_options alarm;
  auto* alarm_command = app.add_subcommand("alarm", "Channels that tell people of failures");
  alarm_command->require_subcommand(0, 1);
  auto* alarm_test_command = alarm_command->add_subcommand("test", "Send a test message and say what became of it");
  add_config_options(*alarm_test_command, alarm.config);
  alarm_test_command->add_option("CHANNEL", alarm.channel, "mail, or the name of a [[webhook]]")->required();
  alarm_test_command->add_option("--to", alarm.to, "For mail: to whom; default the sender's own address")->type_name("ADDRESS");
  alarm_test_command->add_flag("--json", alarm.json, "For machines");
  alarm_test_command->callback([&] { chosen = [&] { return alarm_test(alarm); }; });

  add_job_commands(app, chosen);
  add_group_commands(app, chosen);
  add_run_commands(app, chosen);
  add_log_command(app, chosen);
  add_forecast_command(app, chosen);
  add_node_commands(app, chosen);
  add_repair_commands(app, chosen);
  add_user_commands(app, chosen);
  add_key_commands(app, chosen);
  add_completion_command(app, chosen);
  add_names_command(app, chosen);

  config_options doctor_config;
  bool doctor_json = false;
  auto* doctor_command = app.add_subcommand(
    "doctor", "Find what is wrong before it hurts: settings, data folder, database, alarm channels, node id; exit 1 then");
  add_config_options(*doctor_command, doctor_config);
  doctor_command->add_flag("--json", doctor_json, "For machines");
  doctor_command->callback([&] { chosen = [&] { return doctor(doctor_config, doctor_json); }; });

  try {
    app.parse(argc, argv);
    if (!chosen)
      throw CLI::RequiredError(app.get_subcommands().empty() ? "A subcommand"
                                                             : app.get_subcommands().front()->get_name() + ": a subcommand");
  } catch (const CLI::ExtrasError& problem) {
    std::fputs(command_suggestion(app).c_str(), stderr);
    return said(app.exit(problem) == 0 ? exit_done : exit_usage);
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
