// `ringmaster job …`: list, show, and the options of all subcommands. The edits are in job_edits.cpp.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/job_text.hpp"
#include "apps/client/run_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/job_edits.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::size_t last_runs = 5;

struct job_list_options : client_options {
  std::optional<std::string> group;
  bool scheduled = false;
  bool stopped = false;
  std::optional<std::string> cursor;
  std::size_t limit = 100;
};

struct job_show_options : client_options {
  std::string job;
};

core::result<api_document> ask_jobs(api_client& client, const job_list_options& options) {
  query_text list{"/jobs"};
  if (options.scheduled || options.stopped)
    list.add("running", options.scheduled ? "true" : "false");
  if (auto added = add_group_filter(client, list, options.group); !added)
    return tl::unexpected{added.error()};
  return ask_page(client, list, options.limit, options.cursor);
}

int list_jobs(const job_list_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_jobs(client, options); },
    [](api_client& client, const api_document& page) {
      return group_names(client).map([&](const std::map<std::int64_t, std::string>& groups) {
        return jobs_table(items_in(page), groups, client.zone(), system_now()) + more_text(page);
      });
    });
}

/// Returns the job with its last runs in `last_runs`.
core::result<api_document> ask_job(api_client& client, const std::string& name) {
  const auto id = find_job(client, name);
  if (!id)
    return tl::unexpected{id.error()};
  auto job = client.ask({"GET", "/jobs/" + std::to_string(*id)});
  if (!job)
    return job;
  query_text newest{"/runs"};
  newest.add("job", std::to_string(*id)).add("limit", std::to_string(last_runs));
  const auto runs = client.ask({"GET", newest.text()});
  if (!runs)
    return runs;
  (*job)["last_runs"] = items_in(*runs);
  return job;
}

int show_job(const job_show_options& options) {
  return ask_and_tell(
    options, [&](api_client& client) { return ask_job(client, options.job); },
    [](api_client& client, const api_document& job) {
      return group_names(client).map([&](const std::map<std::int64_t, std::string>& groups) {
        const auto& runs = items_in(job, "last_runs");
        const job_titles titles{{number_in(job, "id").value_or(0), title_of(job, groups)}};
        return describe_job(job, groups, client.zone(), system_now()) +
               (runs.empty() ? "" : '\n' + runs_table(runs, titles, client.zone()));
      });
    });
}

void add_trigger(CLI::App& job, std::function<int()>& chosen) {
  auto [command, options] =
    add_command<trigger_options>(job, "trigger", "Run jobs once now, also jobs that are not scheduled", chosen, job_trigger);
  add_jobs(*command, *options);
  command->add_option("--param", options->param, "Parameter for these runs; default the job's own")->type_name("TEXT");
  command->add_option("--address", options->addresses, "Executor addresses, in place of the group's; comma-separated or repeated")
    ->type_name("URL")
    ->allow_extra_args(false);
  command->add_flag("--wait", options->wait, "Wait until the runs and their retries end: exit 0 if all succeeded, else 1");
  command->add_flag("--follow", options->follow, "Like --wait, and print the logs of the runs; needs a server")
    ->excludes("--json");
  command->add_option("--timeout", options->timeout, "Maximum time to wait")->type_name("DURATION")->capture_default_str();
}

} // namespace

void add_job_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* job = add_family(app, "job", "Jobs: list, show, start, stop, trigger, remove");
  {
    auto [command, options] = add_command<job_list_options>(*job, "list", "List jobs, newest first", chosen, list_jobs);
    command->add_option("--group", options->group, "Only jobs of this group, by app name or id")->type_name("APP");
    auto* scheduled = command->add_flag("--scheduled,--running", options->scheduled, "Only scheduled jobs");
    command->add_flag("--stopped", options->stopped, "Only jobs that are not scheduled")->excludes(scheduled);
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] = add_command<job_show_options>(*job, "show", "Show a job and its last runs", chosen, show_job);
    command->add_option("JOB", options->job, "Job id or group/key")->required();
  }
  {
    auto [command, options] = add_command<edit_options>(*job, "start", "Start scheduling jobs", chosen, job_start);
    add_jobs(*command, *options);
  }
  {
    auto [command, options] = add_command<edit_options>(*job, "stop", "Stop scheduling jobs", chosen, job_stop);
    add_jobs(*command, *options);
  }
  {
    auto [command, options] = add_command<remove_options>(*job, "remove", "Remove jobs and their logs", chosen, job_remove);
    add_jobs(*command, *options);
    command->add_flag("--declared-too", options->declared_too,
                      "Also remove declared jobs (the next apply of their source restores them); not with --server");
    command->add_flag("--yes", options->yes, "Skip the confirmation");
  }
  add_trigger(*job, chosen);
}

} // namespace ringmaster::apps
