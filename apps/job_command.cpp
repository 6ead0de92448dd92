// `ringmaster job …`: the store of the configuration, opened by the command itself. A server beside it notices an edit within
// half a second, a run by hand within two.

#include <algorithm>
#include <cstdio>
#include <random>
#include <thread>

#include "apps/job_commands.hpp"
#include "apps/job_text.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"
#include "apps/time_text.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t last_runs = 5;
constexpr std::size_t log_chunk = 500;

struct named_job {
  opened_store opened;
  core::job_card card;
};

core::result<named_job> find_job(const config_options& config, const std::string& text) {
  auto name = core::parse_job_name(text);
  if (!name)
    return tl::unexpected<core::error>{name.error()};
  auto opened = open_store(config);
  if (!opened)
    return tl::unexpected<core::error>{opened.error()};
  auto card = opened->store->jobs().find(*name);
  if (!card)
    return tl::unexpected<core::error>{card.error()};
  return named_job{std::move(*opened), std::move(*card)};
}

/// A negative number that no other run by hand has.
std::int64_t fresh_token() {
  std::random_device source;
  const auto bits = (std::uint64_t{source()} << 32) | source();
  return -static_cast<std::int64_t>((bits >> 2) + 1);
}

void print_edit(const core::job_edit& edit, const core::job_card& card, const char* what, const core::zone& where, bool json) {
  if (json) {
    const auto next = edit.next ? nlohmann::json(core::to_ms(*edit.next)) : nlohmann::json();
    const auto open = edit.on_their_way ? nlohmann::json(*edit.on_their_way) : nlohmann::json();
    const nlohmann::json said{{"job", core::number(edit.job)}, {"done", what}, {"next_ms", next}, {"on_their_way", open}};
    std::fputs(dumped(said).c_str(), stdout);
    return;
  }
  std::printf("%s %s", core::title_of(card).c_str(), what);
  if (edit.next)
    std::printf("; next at %s %s", local_text(*edit.next, where).c_str(), where.name().c_str());
  std::printf("\n");
  std::fputs(on_their_way_text(edit.on_their_way).c_str(), stdout);
}

template <class Change>
int edit(const job_options& options, const char* what, Change change) {
  auto job = find_job(options.config, options.job);
  if (!job)
    return complain(job.error());
  auto& store = *job->opened.store;
  const auto id = job->card.spec->id;
  auto done = change(store.jobs(), id);
  if (!done)
    return complain(done.error());
  done->on_their_way = wait_for_runs(store, {&id, 1});
  print_edit(*done, job->card, what, job->opened.what.schedule_zone, options.json);
  return exit_done;
}

bool is_done(const core::log_row& row) { return row.handle_code != 0 || (row.trigger_code != 0 && row.trigger_code != 200); }

/// The runs of an intent once all are done. Errors: `timeout`; `not_found` when the job went away first.
core::result<std::vector<core::log_row>> wait_for_results(storage::store& store, core::intent_id intent,
                                                          core::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;; std::this_thread::sleep_for(100ms)) {
    auto asked = store.jobs().runs_of(intent);
    if (asked && !asked->waiting) {
      auto rows = store.logs().rows(asked->runs);
      if (rows && rows->empty())
        return core::fail(core::errc::not_found, "the run was dropped: its job or its row is gone");
      if (rows && std::all_of(rows->begin(), rows->end(), is_done))
        return rows;
    }
    if (std::chrono::steady_clock::now() >= end)
      return core::fail(core::errc::timeout, asked && asked->waiting ? "no node has taken the run; is a server running?"
                                                                     : "the run has no result yet");
  }
}

int print_results(const std::vector<core::log_row>& rows, const trigger_options& options, const core::zone& where) {
  if (options.json) {
    auto list = nlohmann::json::array();
    for (const auto& row : rows)
      list.push_back(to_json(row));
    std::fputs(dumped({{"runs", list}}).c_str(), stdout);
  } else {
    std::fputs(runs_table(rows, where).c_str(), stdout);
  }
  const auto succeeded = [](const core::log_row& row) { return row.handle_code == 200; };
  return std::all_of(rows.begin(), rows.end(), succeeded) ? exit_done : exit_failed;
}

} // namespace

int job_list(const job_list_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  core::job_filter filter{options.group, {}, core::job_id{options.after}, options.limit};
  if (options.running || options.stopped)
    filter.running = options.running;
  auto cards = opened->store->jobs().list(filter);
  if (!cards)
    return complain(cards.error());
  if (!options.json) {
    std::fputs(jobs_table(*cards, opened->what.schedule_zone).c_str(), stdout);
    if (cards->size() == options.limit)
      std::printf("more: --after %d\n", core::number(cards->back().spec->id));
    return exit_done;
  }
  auto list = nlohmann::json::array();
  for (const auto& card : *cards)
    list.push_back(to_json(card));
  std::fputs(dumped({{"jobs", list}}).c_str(), stdout);
  return exit_done;
}

int job_show(const job_options& options) {
  auto job = find_job(options.config, options.job);
  if (!job)
    return complain(job.error());
  core::run_filter filter;
  filter.job = job->card.spec->id;
  filter.limit = last_runs;
  auto runs = job->opened.store->jobs().latest_runs(filter);
  if (!runs)
    return complain(runs.error());
  if (options.json) {
    auto document = to_json(job->card);
    document["last_runs"] = nlohmann::json::array();
    for (const auto& run : *runs)
      document["last_runs"].push_back(to_json(run));
    std::fputs(dumped(document).c_str(), stdout);
    return exit_done;
  }
  const auto& where = job->opened.what.schedule_zone;
  std::fputs(describe(job->card, where).c_str(), stdout);
  if (!runs->empty())
    std::fputs(('\n' + runs_table(*runs, where)).c_str(), stdout);
  return exit_done;
}

int job_start(const job_options& options) {
  return edit(options, "started", [](storage::job_store& jobs, core::job_id id) { return jobs.start(id, system_now()); });
}

int job_stop(const job_options& options) {
  return edit(options, "stopped", [](storage::job_store& jobs, core::job_id id) { return jobs.stop(id, system_now()); });
}

int job_remove(const job_options& options) {
  auto job = find_job(options.config, options.job);
  if (!job)
    return complain(job.error());
  auto& store = *job->opened.store;
  const auto id = job->card.spec->id;
  auto done = store.jobs().remove(id, options.declared_too, system_now());
  if (!done)
    return complain(done.error());
  done->on_their_way = wait_for_runs(store, {&id, 1});
  for (std::optional<core::log_id> after{core::log_id{}}; after;) {
    auto step = store.jobs().remove_logs(id, *after, log_chunk);
    if (!step)
      return complain({step.error().code, "the job is removed, its log is not: " + step.error().context});
    after = step->after;
  }
  print_edit(*done, job->card, "removed", job->opened.what.schedule_zone, options.json);
  return exit_done;
}

int job_trigger(const trigger_options& options) {
  const auto limit = parse_span(options.timeout);
  if (!limit)
    return complain({limit.error().code, "--timeout: " + limit.error().context});
  auto job = find_job(options.config, options.job);
  if (!job)
    return complain(job.error());
  auto& store = *job->opened.store;
  const core::manual_trigger wish{job->card.spec->id, core::trigger_kind::manual, options.param, options.addresses,
                                  fresh_token()};
  auto intent = store.jobs().trigger(wish, system_now());
  if (!intent)
    return complain(intent.error());
  if (!options.wait) {
    if (options.json)
      std::fputs(dumped({{"job", core::number(intent->job)}, {"intent", core::number(intent->id)}}).c_str(), stdout);
    else
      std::printf("%s will run at once\n", core::title_of(job->card).c_str());
    return exit_done;
  }
  auto rows = wait_for_results(store, intent->id, *limit);
  return rows ? print_results(*rows, options, job->opened.what.schedule_zone) : complain(rows.error());
}

} // namespace ringmaster::apps
