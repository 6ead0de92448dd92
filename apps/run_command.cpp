// `ringmaster run …`

#include <cstdio>

#include "apps/admin_commands.hpp"
#include "apps/assembly.hpp"
#include "apps/desk_arguments.hpp"
#include "apps/desk_pages.hpp"
#include "apps/job_text.hpp"
#include "apps/report.hpp"
#include "apps/table_text.hpp"
#include "apps/time_text.hpp"

namespace ringmaster::apps {

namespace {

struct run_list_options : desk_options {
  std::optional<std::string> job;
  bool failed = false;
  std::optional<std::string> cursor;
  std::size_t limit = 20;
};

struct run_options : desk_options {
  std::int64_t run = 0;
};

struct run_clear_options : desk_options {
  std::optional<std::string> job;
  std::optional<std::string> group;
  /// `30d`: what was triggered longer ago goes.
  std::optional<std::string> older_than;
  std::optional<std::int64_t> keep_newest;
  bool all = false;
};

core::result<api_document> ask_runs(admin_desk& desk, const run_list_options& options) {
  query_text list{"/runs"};
  if (options.job) {
    // The log of a job may outlive it: an id needs no job.
    const auto job = find_job(desk, *options.job);
    if (!job)
      return tl::unexpected{job.error()};
    list.add("job", std::to_string(*job));
  }
  if (options.failed)
    list.add("status", "failed");
  return ask_page(desk, list, options.limit, options.cursor);
}

int list_runs(const run_list_options& options) {
  return ask_and_tell(
    options, [&](admin_desk& desk) { return ask_runs(desk, options); },
    [](admin_desk& desk, const api_document& page) { return runs_table(items_in(page), desk.zone()) + more_text(page); });
}

int show_run(const run_options& options) {
  return ask_and_tell(
    options, [&](admin_desk& desk) { return desk.ask({"GET", "/runs/" + std::to_string(options.run)}); },
    [](admin_desk& desk, const api_document& run) { return describe_run(run, desk.zone()); });
}

int kill_run(const run_options& options) {
  const auto desk = open_server(options);
  if (!desk)
    return complain(desk.error());
  const auto killed = (*desk)->ask({"POST", "/runs/" + std::to_string(options.run) + "/kill"});
  if (!killed)
    return complain(killed.error());
  if (options.json) {
    print_json(*killed);
    return exit_done;
  }
  const auto said = one_line(plain_text(text_in(*killed, "message")));
  std::printf("run %lld ended%s%s\n", static_cast<long long>(options.run), said.empty() ? "" : ": ", said.c_str());
  return exit_done;
}

core::result<api_document> what_goes(admin_desk& desk, const run_clear_options& options) {
  auto body = api_document::object();
  if (options.older_than) {
    const auto span = parse_span(*options.older_than);
    if (!span)
      return core::fail(span.error().code, "--older-than: " + span.error().context);
    body["until_ms"] = std::max<std::int64_t>(core::to_ms(system_now() - *span), 0);
  }
  if (options.keep_newest)
    body["keep_newest"] = *options.keep_newest;
  if (options.all)
    body["all"] = true;
  if (body.size() != 1)
    return core::fail(core::errc::invalid_argument, "say which runs go: one of --older-than, --keep-newest and --all");
  const auto job = options.job ? find_job(desk, *options.job) : core::result<std::int64_t>{0};
  const auto group = options.group ? find_group(desk, *options.group) : core::result<std::int64_t>{0};
  if (!job || !group)
    return tl::unexpected{job ? group.error() : job.error()};
  if (options.job)
    body["job"] = *job;
  if (options.group)
    body["group"] = *group;
  return body;
}

int clear_runs(const run_clear_options& options) {
  const auto desk = open_desk(options);
  if (!desk)
    return complain(desk.error());
  const auto body = what_goes(**desk, options);
  if (!body)
    return complain(body.error());
  const auto cleared = (*desk)->ask({"POST", "/runs/clear", *body});
  if (!cleared)
    return complain(cleared.error());
  if (options.json)
    print_json(*cleared);
  else
    std::printf("%lld runs removed%s\n", static_cast<long long>(number_in(*cleared, "removed").value_or(0)),
                (*desk)->is_server() ? "; a server that needs longer than some seconds goes on" : "");
  return exit_done;
}

void add_clear(CLI::App& run, std::function<int()>& chosen) {
  auto [command, options] = add_command<run_clear_options>(run, "clear", "Remove runs for good", chosen, clear_runs);
  command->add_option("--job", options->job, "Only those of this job: its id, or group/key")->type_name("JOB");
  command->add_option("--group", options->group, "Only those of this app name, or id")->type_name("APP");
  command->add_option("--older-than", options->older_than, "What was triggered longer ago, 30d say")->type_name("DURATION");
  command->add_option("--keep-newest", options->keep_newest, "All but so many")
    ->type_name("N")
    ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()));
  command->add_flag("--all", options->all, "All of them");
}

void add_of_run(CLI::App& under, const char* name, const char* help, std::function<int()>& chosen,
                int (*what)(const run_options&)) {
  auto [command, options] = add_command<run_options>(under, name, help, chosen, what);
  command->add_option("RUN", options->run, "Its log id")->required()->type_name("ID")->check(id_check("log id"));
}

} // namespace

void add_run_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* run = add_family(app, "run", "Runs: list, show, kill, clear");
  auto [command, options] = add_command<run_list_options>(*run, "list", "Runs, the newest first", chosen, list_runs);
  command->add_option("--job", options->job, "Only those of this job: its id, or group/key")->type_name("JOB");
  command->add_flag("--failed", options->failed, "Only those that failed");
  add_page_options(*command, options->cursor, options->limit);
  add_of_run(*run, "show", "One run, with what its trigger says", chosen, show_run);
  add_of_run(*run, "kill", "End one that an executor runs; needs a server", chosen, kill_run);
  add_clear(*run, chosen);
}

} // namespace ringmaster::apps
