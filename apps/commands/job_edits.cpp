#include "apps/commands/job_edits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include <CLI/CLI.hpp>

#include "apps/client/api_queries.hpp"
#include "apps/client/job_text.hpp"
#include "apps/client/refusal_text.hpp"
#include "apps/client/run_text.hpp"
#include "apps/client/run_waiting.hpp"
#include "apps/commands/commands.hpp"
#include "apps/terminal/confirm.hpp"
#include "apps/terminal/progress.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "apps/terminal/time_text.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

using core::errc;

/// Jobs in the order of the command line, without duplicates.
struct named_jobs {
  std::vector<std::int64_t> ids;
  /// Display names, as given on the command line.
  std::map<std::int64_t, std::string> titles;
};

core::result<named_jobs> find_jobs(api_client& client, const std::vector<std::string>& names) {
  named_jobs found;
  progress bar{"looking for jobs", names.size()};
  for (const auto& name : names) {
    const auto id = find_job(client, name);
    if (!id)
      return tl::unexpected{id.error()};
    const bool is_id = name.find('/') == std::string::npos;
    if (found.titles.emplace(*id, is_id ? "job " + std::to_string(*id) : one_line(name)).second)
      found.ids.push_back(*id);
    bar.reached(found.ids.size());
  }
  return found;
}

/// The result of a bulk request: the items, and the error that ended it early.
struct outcome {
  api_document items = api_document::array();
  std::optional<core::error> ended = {};
};

/// Sends the ids in batches. `body` is the request body without `ids`.
outcome ask_bulk(api_client& client, const named_jobs& jobs, const std::string& target, const char* doing, api_document body) {
  outcome all;
  progress bar{doing, jobs.ids.size()};
  for (std::size_t at = 0; at < jobs.ids.size();) {
    const auto end = std::min(at + protocol::wire::api_rows_max, jobs.ids.size());
    body["ids"] = std::vector<std::int64_t>(jobs.ids.begin() + static_cast<std::ptrdiff_t>(at),
                                            jobs.ids.begin() + static_cast<std::ptrdiff_t>(end));
    const auto answer = client.ask({"POST", target, body});
    if (!answer) {
      all.ended = answer.error();
      return all;
    }
    for (const auto& item : items_in(*answer))
      all.items.push_back(item);
    at = end;
    bar.reached(at);
  }
  return all;
}

bool goes_on_failing(errc code) noexcept { return code == errc::unavailable || code == errc::timeout; }

/// Removes the jobs one by one: the API has no bulk route for it.
outcome remove_all(api_client& client, const named_jobs& jobs, bool declared_too) {
  outcome all;
  progress bar{"removing jobs", jobs.ids.size()};
  for (const auto id : jobs.ids) {
    const auto done = client.ask({"DELETE", "/jobs/" + std::to_string(id) + (declared_too ? "?declared_too=true" : "")});
    if (!done && goes_on_failing(done.error().code)) {
      all.ended = done.error();
      return all;
    }
    all.items.push_back(done ? api_document{{"id", id}, {"status", 204}} : problem_item(id, done.error()));
    bar.reached(all.items.size());
  }
  return all;
}

// -- output -------------------------------------------------------------------------------------------------------

bool succeeded(const api_document& item) {
  const auto status = number_in(item, "status").value_or(0);
  return status >= 200 && status < 300;
}

void print_done(const api_document& item, const std::string& title, const char* what, const core::zone& where) {
  std::printf("%s %s", title.c_str(), what);
  const auto done = item.contains("done") ? item["done"] : api_document{};
  if (const auto next = instant_in(done, "next_ms", where, ""); !next.empty())
    std::printf("; next at %s %s", next.c_str(), where.name().c_str());
  for (const auto& run : items_in(done, "runs"))
    if (run.is_number_integer())
      std::printf("%s run %lld", &run == &items_in(done, "runs").front() ? ":" : ",",
                  static_cast<long long>(run.get<std::int64_t>()));
  std::printf("\n");
  if (!done.contains("on_their_way"))
    return;
  const auto open = number_in(done, "on_their_way");
  std::fputs(on_their_way_text(open ? std::optional{static_cast<std::size_t>(*open)} : std::nullopt).c_str(), stdout);
}

/// Returns the exit code of a failed item: status 400 is invalid input, everything else a failure.
int print_problem(const api_document& item, const std::string& title, bool alone) {
  const auto problem = item.is_object() && item.contains("problem") ? item["problem"] : api_document{};
  const auto path = "/jobs/" + std::to_string(number_in(item, "id").value_or(0));
  const auto detail = plain_refusal(one_line(text_in(problem, "detail")), path);
  const bool wrong = number_in(item, "status") == 400;
  return complain({wrong ? errc::invalid_argument : errc::unavailable, alone ? detail : title + ": " + detail});
}

int print(const outcome& all, const named_jobs& jobs, const char* what, const client_options& options, const core::zone& where) {
  if (options.json && (!all.ended || !all.items.empty()))
    print_json({{"items", all.items}});
  bool wrong = false;
  bool failed = all.ended.has_value();
  for (const auto& item : all.items) {
    const auto id = number_in(item, "id").value_or(0);
    const auto known = jobs.titles.find(id);
    const auto title = known != jobs.titles.end() ? known->second : "job " + std::to_string(id);
    if (!succeeded(item))
      (print_problem(item, title, jobs.ids.size() == 1) == exit_usage ? wrong : failed) = true;
    else if (!options.json)
      print_done(item, title, what, where);
  }
  if (all.ended) {
    const auto code = complain(*all.ended);
    if (all.items.empty())
      return code;
    const auto left = jobs.ids.size() - all.items.size();
    return complain({errc::unavailable, "the other " + std::to_string(left) + " jobs are unchanged, or their state is unknown"});
  }
  return failed ? exit_failed : wrong ? exit_usage : exit_done;
}

int edit_all(const edit_options& options, const char* target, const char* doing, const char* done) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto jobs = find_jobs(**client, options.jobs);
  if (!jobs)
    return complain(jobs.error());
  return print(ask_bulk(**client, *jobs, target, doing, api_document::object()), *jobs, done, options, (*client)->zone());
}

// -- manual runs -----------------------------------------------------------------------------------------------------------

/// Time within which a running node takes a request.
constexpr auto taking_patience = 2s;

/// A request and the runs that were claimed for it so far.
struct asked_run {
  std::int64_t intent = 0;
  std::string title;
  std::vector<std::int64_t> runs = {};
};

std::vector<asked_run> asked_runs_of(const outcome& asked, const named_jobs& jobs) {
  std::vector<asked_run> wanted;
  for (const auto& item : asked.items)
    if (const auto intent = item.contains("done") ? number_in(item["done"], "intent") : std::nullopt) {
      const auto known = jobs.titles.find(number_in(item, "id").value_or(0));
      wanted.push_back({*intent, known != jobs.titles.end() ? known->second : std::string{"job"}});
    }
  return wanted;
}

/// Adds to each item the runs that were claimed for its request, so that `print` shows them.
void add_runs(api_client& client, outcome& asked) {
  const auto end = std::chrono::steady_clock::now() + taking_patience;
  for (auto& item : asked.items) {
    const auto intent = item.contains("done") ? number_in(item["done"], "intent") : std::nullopt;
    if (!intent)
      continue;
    const auto runs = await_runs(client, *intent, end);
    item["done"]["runs"] = runs ? *runs : std::vector<std::int64_t>{};
  }
}

/// Waits for the run and then for each of its retries. With `--follow` it prints their logs.
core::result<void> follow_to_end(api_client& client, std::int64_t run, const trigger_options& options,
                                 std::chrono::steady_clock::time_point end, api_document& rows) {
  for (std::optional<std::int64_t> next{run}; next;) {
    if (options.follow) {
      std::printf("run %lld\n", static_cast<long long>(*next));
      if (follow_log(client, *next) != exit_done)
        std::fprintf(stderr, "ringmaster: the log of run %lld cannot be followed\n", static_cast<long long>(*next));
    }
    auto over = await_end(client, *next, end);
    if (!over)
      return tl::unexpected{over.error()};
    const auto retry = await_retry(client, *over, end);
    if (!retry)
      return tl::unexpected{retry.error()};
    rows.push_back(std::move(*over));
    next = *retry;
  }
  return {};
}

/// Returns whether the last attempt of each run succeeded.
bool all_succeeded(const api_document& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const api_document& row) {
    const auto is_retry_of_it = [&](const api_document& other) { return number_in(other, "origin") == number_in(row, "id"); };
    return number_in(row, "handle_code") == 200 || std::any_of(rows.begin(), rows.end(), is_retry_of_it);
  });
}

int wait_for_all(api_client& client, std::vector<asked_run> wanted, const trigger_options& options, core::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  auto rows = api_document::array();
  int code = exit_done;
  for (auto& each : wanted) {
    auto runs = await_runs(client, each.intent, end);
    if (runs && runs->empty())
      runs = core::fail(errc::timeout, "no node took the request; is a server running?");
    if (!runs) {
      code = complain(runs.error());
      continue;
    }
    for (const auto run : *runs)
      if (auto done = follow_to_end(client, run, options, end, rows); !done)
        code = complain(done.error());
  }
  if (!all_succeeded(rows))
    code = exit_failed;
  if (options.json && !rows.empty())
    print_json({{"items", rows}});
  else if (!rows.empty())
    std::fputs(runs_table(rows, titles_of_jobs(client, rows).value_or(job_titles{}), client.zone()).c_str(), stdout);
  return code;
}

/// Errors: `invalid_argument` for an empty address. It may come from an unset variable and must not mean "any executor".
core::result<api_document> body_of(const trigger_options& options) {
  auto body = api_document::object();
  if (options.param)
    body["params"] = *options.param;
  for (const auto& list : options.addresses)
    for (std::size_t at = 0; at <= list.size();) {
      const auto end = std::min(list.find(',', at), list.size());
      const auto address = core::trimmed(std::string_view{list}.substr(at, end - at));
      if (address.empty())
        return core::fail(errc::invalid_argument, "--address: empty address; omit the option to use the group's executors");
      body["addresses"].push_back(std::string{address});
      at = end + 1;
    }
  return body;
}

} // namespace

void add_jobs(CLI::App& command, edit_options& options) {
  command.add_option("JOB", options.jobs, "Job ids or group/key")->required();
}

int job_start(const edit_options& options) { return edit_all(options, "/jobs/start", "starting jobs", "started"); }

int job_stop(const edit_options& options) { return edit_all(options, "/jobs/stop", "stopping jobs", "stopped"); }

int job_remove(const remove_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  if (options.declared_too && (*client)->is_server())
    return complain({errc::invalid_argument, "--declared-too works only on the database: omit --server"});
  const auto jobs = find_jobs(**client, options.jobs);
  if (!jobs)
    return complain(jobs.error());
  std::string what;
  for (const auto id : jobs->ids)
    what += "- " + jobs->titles.at(id) + '\n';
  what += counted(jobs->ids.size(), "job") + " will be removed, with " + (jobs->ids.size() == 1 ? "its" : "their") + " logs";
  if (auto agreed = confirm(what, options.yes); !agreed)
    return complain(agreed.error());
  return print(remove_all(**client, *jobs, options.declared_too), *jobs, "removed", options, (*client)->zone());
}

int job_trigger(const trigger_options& options) {
  const auto limit = parse_span(options.timeout);
  if (!limit)
    return complain({limit.error().code, "--timeout: " + limit.error().context});
  auto body = body_of(options);
  if (!body)
    return complain(body.error());
  const auto client = options.follow ? open_server(options) : make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto jobs = find_jobs(**client, options.jobs);
  if (!jobs)
    return complain(jobs.error());
  auto asked = ask_bulk(**client, *jobs, "/jobs/trigger", "triggering jobs", std::move(*body));
  const bool all_asked = !asked.ended && std::all_of(asked.items.begin(), asked.items.end(), succeeded);
  if ((!options.wait && !options.follow) || !all_asked) {
    add_runs(**client, asked);
    return print(asked, *jobs, "will run now", options, (*client)->zone());
  }
  return wait_for_all(**client, asked_runs_of(asked, *jobs), options, *limit);
}

} // namespace ringmaster::apps
