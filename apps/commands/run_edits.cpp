#include "apps/commands/run_edits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "apps/client/api_queries.hpp"
#include "apps/client/job_text.hpp"
#include "apps/client/run_text.hpp"
#include "apps/client/run_waiting.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/confirm.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "apps/terminal/time_text.hpp"
#include "core/text/plain_text.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

/// Maximum number of other runs of the same job that are watched while one is killed.
constexpr std::size_t others_max = 100;
/// Time to wait for the other runs: executors report their ends separately.
constexpr auto others_patience = 3s;

std::string listed(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const auto id : ids)
    text.append(text.empty() ? "" : ", ").append(std::to_string(id));
  return text;
}

/// Returns the other runs of the job that are on the same executor.
core::result<std::vector<std::int64_t>> others_of(api_client& client, const api_document& run) {
  query_text list{"/runs"};
  list.add("job", std::to_string(number_in(run, "job").value_or(0))).add("status", "running");
  const auto page = ask_page(client, list, others_max);
  if (!page)
    return tl::unexpected{page.error()};
  std::vector<std::int64_t> ids;
  for (const auto& other : items_in(*page))
    if (text_in(other, "address") == text_in(run, "address") && number_in(other, "id") != number_in(run, "id"))
      ids.push_back(number_in(other, "id").value_or(0));
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// Returns those of `ids` whose end an executor reported within `others_patience`.
std::vector<std::int64_t> ended_of(api_client& client, std::vector<std::int64_t> ids) {
  const auto end = std::chrono::steady_clock::now() + others_patience;
  std::erase_if(ids, [&](std::int64_t id) { return !await_end(client, id, end); });
  return ids;
}

core::result<void> confirm_kill(const run_kill_options& options, const std::vector<std::int64_t>& others) {
  if (others.empty())
    return {};
  return confirm("run " + std::to_string(options.run) +
                   " will be killed; an XXL-JOB executor kills all of the job's runs that it holds: " + listed(others),
                 options.yes);
}

core::result<api_document> what_goes(api_client& client, const run_clear_options& options) {
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
    return core::fail(core::errc::invalid_argument, "select the runs: one of --older-than, --keep-newest and --all");
  const auto job = options.job ? find_job(client, *options.job) : core::result<std::int64_t>{0};
  const auto group = options.group ? find_group(client, *options.group) : core::result<std::int64_t>{0};
  if (!job || !group)
    return tl::unexpected{job ? group.error() : job.error()};
  if (options.job)
    body["job"] = *job;
  if (options.group)
    body["group"] = *group;
  return body;
}

/// Returns a description of the runs that will be removed.
core::result<std::string> words_of(api_client& client, const run_clear_options& options, const api_document& body) {
  query_text list{"/runs"};
  list.add("limit", "1");
  for (const char* name : {"job", "group"})
    if (const auto id = number_in(body, name))
      list.add(name, std::to_string(*id));
  const auto until = number_in(body, "until_ms");
  if (until)
    list.add("to_ms", std::to_string(*until));
  const auto page = client.ask({"GET", list.text()});
  if (!page)
    return tl::unexpected{page.error()};
  const auto total = number_in(*page, "total").value_or(0);
  const auto number =
    (boolean_in(*page, "total_is_capped") ? "more than " : "") + counted(static_cast<std::size_t>(total), "run");
  auto text = options.keep_newest ? "all but the newest " + std::to_string(*options.keep_newest) + " of " + number : number;
  text += options.job     ? " of job " + one_line(*options.job)
          : options.group ? " of group " + one_line(*options.group)
                          : " of all jobs";
  if (until)
    text += " triggered up to " + instant_in(body, "until_ms", client.zone()) + ' ' + client.zone().name();
  return text + " will be removed permanently";
}

} // namespace

int kill_run(const run_kill_options& options) {
  const auto client = open_server(options);
  if (!client)
    return complain(client.error());
  const auto place = "/runs/" + std::to_string(options.run);
  const auto run = (*client)->ask({"GET", place});
  if (!run)
    return complain(run.error());
  const auto others = others_of(**client, *run);
  if (!others)
    return complain(others.error());
  if (auto agreed = confirm_kill(options, *others); !agreed)
    return complain(agreed.error());
  auto killed = (*client)->ask({"POST", place + "/kill"});
  if (!killed)
    return complain(killed.error());
  const auto also = ended_of(**client, *others);
  if (options.json) {
    auto ended = also;
    ended.insert(ended.begin(), options.run);
    (*killed)["ended"] = ended;
    print_json(*killed);
    return exit_done;
  }
  const auto said = one_line(core::plain_text(text_in(*killed, "message")));
  std::printf("run %lld ended%s%s\n", static_cast<long long>(options.run), said.empty() ? "" : ": ", said.c_str());
  for (const auto id : also)
    std::printf("run %lld also ended\n", static_cast<long long>(id));
  return exit_done;
}

int clear_runs(const run_clear_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto body = what_goes(**client, options);
  if (!body)
    return complain(body.error());
  if (!options.yes) {
    const auto words = words_of(**client, options, *body);
    if (auto agreed = words ? confirm(*words, false) : core::result<void>{tl::unexpected{words.error()}}; !agreed)
      return complain(agreed.error());
  }
  const auto cleared = (*client)->ask({"POST", "/runs/clear", *body});
  if (!cleared)
    return complain(cleared.error());
  if (options.json)
    print_json(*cleared);
  else
    std::printf("%lld runs removed%s\n", static_cast<long long>(number_in(*cleared, "removed").value_or(0)),
                (*client)->is_server() ? "; a large removal continues on the server" : "");
  return exit_done;
}

} // namespace ringmaster::apps
