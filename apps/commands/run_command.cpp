// `ringmaster run …`: list, show, and the options of all subcommands. The commands that end and remove runs are in run_edits.cpp.

#include <limits>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/run_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/run_edits.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"

namespace ringmaster::apps {

namespace {

struct run_list_options : client_options {
  std::optional<std::string> job;
  std::optional<std::string> group;
  std::optional<std::string> handler;
  /// One of the states of the API.
  std::optional<std::string> status;
  bool failed = false;
  /// A duration before now such as `1h`, or a time.
  std::optional<std::string> since;
  std::optional<std::string> until;
  std::optional<std::string> cursor;
  std::size_t limit = 20;
};

core::result<api_document> ask_runs(api_client& client, const run_list_options& options) {
  query_text list{"/runs"};
  if (options.job) {
    // The log of a removed job may still exist: an id is used without looking up the job.
    const auto job = find_job(client, *options.job);
    if (!job)
      return tl::unexpected{job.error()};
    list.add("job", std::to_string(*job));
  }
  if (auto added = add_group_filter(client, list, options.group); !added)
    return tl::unexpected{added.error()};
  if (options.handler)
    list.add("handler", *options.handler);
  if (options.failed || options.status)
    list.add("status", options.failed ? "failed" : *options.status);
  if (auto times = add_times(list, options.since, options.until, client.zone()); !times)
    return tl::unexpected{times.error()};
  return ask_page(client, list, options.limit, options.cursor);
}

int list_runs(const run_list_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_runs(client, options); },
    [](api_client& client, const api_document& page) {
      return titles_of_jobs(client, items_in(page)).map([&](const job_titles& jobs) {
        return runs_table(items_in(page), jobs, client.zone()) + more_text(page);
      });
    });
}

int show_run(const run_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return client.ask({"GET", "/runs/" + std::to_string(options.run)}); },
    [](api_client& client, const api_document& run) {
      return titles_of_jobs(client, api_document::array({run})).map([&](const job_titles& jobs) {
        return describe_run(run, jobs, client.zone());
      });
    });
}

void add_list(CLI::App& run, std::function<int()>& chosen) {
  auto [command, options] = add_command<run_list_options>(run, "list", "List runs, newest first", chosen, list_runs);
  command->add_option("--job", options->job, "Only runs of this job, by id or group/key")->type_name("JOB");
  command->add_option("--group", options->group, "Only runs of this group, by app name or id")->type_name("GROUP");
  command->add_option("--handler", options->handler, "Only runs of this handler")->type_name("NAME");
  auto* status = command->add_option("--status", options->status, "Only runs with this status")
                   ->check(CLI::IsMember({"pending", "running", "succeeded", "failed", "missed", "timed_out", "not_sent", "lost",
                                          "killed", "unknown"}));
  command->add_flag("--failed", options->failed, "Short for --status failed")->excludes(status);
  command->add_option("--since", options->since, "Triggered after this time, or this long ago (1h, 7d)")->type_name("TIME");
  command->add_option("--until", options->until, "Triggered before this time, or this long ago")->type_name("TIME");
  add_page_options(*command, options->cursor, options->limit);
}

void add_clear(CLI::App& run, std::function<int()>& chosen) {
  auto [command, options] = add_command<run_clear_options>(run, "clear", "Remove runs permanently", chosen, clear_runs);
  command->add_option("--job", options->job, "Only runs of this job, by id or group/key")->type_name("JOB");
  command->add_option("--group", options->group, "Only runs of this group, by app name or id")->type_name("GROUP");
  command->add_option("--older-than", options->older_than, "Runs triggered longer ago than this, e.g. 30d")
    ->type_name("DURATION");
  command->add_option("--keep-newest", options->keep_newest, "All runs except this many newest ones")
    ->type_name("N")
    ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()));
  command->add_flag("--all", options->all, "All runs");
  command->add_flag("--yes", options->yes, "Skip the confirmation");
}

void add_run_argument(CLI::App& command, run_options& options) {
  command.add_option("RUN", options.run, "Run id")->required()->type_name("ID")->check(id_check("run id"));
}

} // namespace

void add_run_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* run = add_family(app, "run", "Runs: list, show, kill, clear");
  add_list(*run, chosen);
  {
    auto [command, options] = add_command<run_options>(*run, "show", "Show a run and why it failed", chosen, show_run);
    add_run_argument(*command, *options);
  }
  {
    auto [command, options] =
      add_command<run_kill_options>(*run, "kill", "Kill a run at its executor; needs a server", chosen, kill_run);
    add_run_argument(*command, *options);
    command->add_flag("--yes", options->yes, "Skip the confirmation, even if other runs are killed too");
  }
  add_clear(*run, chosen);
}

} // namespace ringmaster::apps
