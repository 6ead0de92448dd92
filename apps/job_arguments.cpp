// The command lines of `job`, `run`, `forecast` and `key`.

#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/job_commands.hpp"
#include "apps/key_commands.hpp"

namespace ringmaster::apps {

namespace {

void add_common(CLI::App& command, config_options& config, bool& json) {
  command
    .add_option("--config", config.file, "Configuration file (else RINGMASTER_CONFIG, else /etc/ringmaster/ringmaster.toml)")
    ->type_name("FILE");
  command.add_option("--set", config.set, "One setting; may be repeated")->type_name("KEY=VALUE")->allow_extra_args(false);
  command.add_flag("--json", json, "For machines");
}

/// A subcommand of `under` whose options live as long as the command line.
template <class Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add(CLI::App& under, const char* name, const char* help,
                                                   std::function<int()>& chosen, int (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  auto* command = under.add_subcommand(name, help);
  add_common(*command, options->config, options->json);
  command->callback([options, run, &chosen] { chosen = [options, run] { return run(*options); }; });
  return {command, options};
}

CLI::App* add_of_job(CLI::App& under, const char* name, const char* help, std::function<int()>& chosen,
                     int (*run)(const job_options&), bool removes = false) {
  auto [command, options] = add<job_options>(under, name, help, chosen, run);
  command->add_option("JOB", options->job, "Its id, or group/key")->required();
  if (removes)
    command->add_flag("--declared-too", options->declared_too,
                      "Also a job that a source declares (its next apply brings it back)");
  return command;
}

/// CLI11 reads a larger number as the largest one.
bool is_id(const std::string& text) {
  std::int64_t id = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
  return problem == std::errc{} && rest == text.data() + text.size() && id > 0;
}

std::string check_run_id(std::string& text) { return is_id(text) ? "" : '"' + text + "\" is no log id"; }
std::string check_key_id(std::string& text) { return is_id(text) ? "" : '"' + text + "\" is no id of a key"; }

} // namespace

void add_job_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* job = app.add_subcommand("job", "Jobs: list, show, start, stop, trigger, remove");
  job->require_subcommand(0, 1);
  {
    auto [command, options] = add<job_list_options>(*job, "list", "Jobs by id", chosen, job_list);
    command->add_option("--group", options->group, "Only those of this app name")->type_name("APP");
    auto* running = command->add_flag("--running", options->running, "Only those that are scheduled");
    command->add_flag("--stopped", options->stopped, "Only those that are not")->excludes(running);
    command->add_option("--after", options->after, "Begin behind this id: the next page")
      ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()));
    command->add_option("--limit", options->limit, "How many")->check(CLI::Range(1, 10000))->capture_default_str();
  }
  add_of_job(*job, "show", "One job and its last runs", chosen, job_show);
  add_of_job(*job, "start", "Schedule it", chosen, job_start);
  add_of_job(*job, "stop", "Do not schedule it any more", chosen, job_stop);
  add_of_job(*job, "remove", "Remove it and its log", chosen, job_remove, true);
  auto [command, options] = add<trigger_options>(*job, "trigger", "Run it once, now, scheduled or not", chosen, job_trigger);
  command->add_option("JOB", options->job, "Its id, or group/key")->required();
  command->add_option("--param", options->param, "In place of its own parameter")->type_name("TEXT");
  command->add_option("--address", options->addresses, "In place of the group's executors; a comma list, or repeated")
    ->type_name("URL")
    ->allow_extra_args(false);
  command->add_flag("--wait", options->wait, "Until it is done: exit 0 when it succeeded, else 1");
  command->add_option("--timeout", options->timeout, "How long to wait")->type_name("DURATION")->capture_default_str();
}

void add_run_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* run = app.add_subcommand("run", "Runs: list, show");
  run->require_subcommand(0, 1);
  auto [list, options] = add<run_list_options>(*run, "list", "Runs, the newest first", chosen, run_list);
  list->add_option("--job", options->job, "Only those of this job: its id, or group/key")->type_name("JOB");
  list->add_flag("--failed", options->failed, "Only those that failed");
  list->add_option("--before", options->before, "End before this run: the next page")
    ->type_name("RUN")
    ->check(CLI::Validator{check_run_id, ""});
  list->add_option("--limit", options->limit, "How many")->check(CLI::Range(1, 10000))->capture_default_str();
  auto [show, which] = add<run_options>(*run, "show", "One run, with what its trigger says", chosen, run_show);
  show->add_option("RUN", which->run, "Its log id")->required()->type_name("ID")->check(CLI::Validator{check_run_id, ""});
}

void add_forecast_command(CLI::App& app, std::function<int()>& chosen) {
  auto [command, options] =
    add<forecast_command_options>(app, "forecast", "What would fire, and when most at once", chosen, forecast);
  command->add_option("--from", options->from, "ISO 8601 or epoch milliseconds; default now")->type_name("T");
  command->add_option("--for", options->span, "How long: 90m, 12h, 7d, at most 366d")->type_name("SPAN")->capture_default_str();
  command->add_option("--job", options->jobs, "Only these: ids, or group/key; may be repeated")
    ->type_name("JOB")
    ->allow_extra_args(false);
  command->add_option("--cron", options->cron, "What this cron would do in place of the one job's schedule")->type_name("EXPR");
  command->add_option("--limit", options->limit, "How many firings, jobs and hours are listed")
    ->check(CLI::Range(0, 100000))
    ->capture_default_str();
}

void add_key_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* key = app.add_subcommand("key", "API keys of programs: add, list, remove");
  key->require_subcommand(0, 1);
  {
    auto [command, options] = add<key_add_options>(*key, "add", "Make one and print it: it is shown once", chosen, key_add);
    command->add_option("NAME", options->name, "What for")->required();
    command->add_option("--user", options->user, "Whose it is: it may what he may")->type_name("USER")->required();
    command->add_option("--expires", options->expires, "How long it is good, 90d say; else for ever")->type_name("DURATION");
  }
  {
    auto [command, options] = add<key_list_options>(*key, "list", "Keys by id, without what is secret", chosen, key_list);
    command->add_option("--user", options->user, "Only his")->type_name("USER");
  }
  auto [command, options] = add<key_remove_options>(*key, "remove", "Nobody gets in with it any more", chosen, key_remove);
  command->add_option("ID", options->key, "As the list has it")
    ->required()
    ->type_name("ID")
    ->check(CLI::Validator{check_key_id, ""});
}

} // namespace ringmaster::apps
