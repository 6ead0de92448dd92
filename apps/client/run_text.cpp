#include "apps/client/run_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/client/api_queries.hpp"
#include "apps/client/job_text.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/run/child_report.hpp"
#include "core/run/execution_state.hpp"
#include "core/run/run_reason.hpp"
#include "core/run/trigger_note.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/plain_text.hpp"
#include "core/text/result_text.hpp"
#include "core/text/text.hpp"
#include "core/text/text_width.hpp"

namespace ringmaster::apps {

namespace {

using run_fields = std::vector<std::pair<std::string, std::string>>;

/// Result code of a run that exceeded its time limit.
constexpr std::int64_t timed_out_code = 502;
/// Maximum number of jobs requested one by one; for more, the whole list is read.
constexpr std::size_t asked_jobs_max = 40;
/// Places of columns in the table of runs.
constexpr std::size_t job_column = 1, executor_column = 5;
/// Width of an address that is cut to its port.
constexpr std::size_t address_least = 8;

std::string line_in(const api_document& object, const char* name) { return one_line(text_in(object, name)); }

std::string text_or_none(const api_document& object, const char* name) {
  auto text = line_in(object, name);
  return text.empty() ? "-" : text;
}

std::string digits_in(const api_document& object, const char* name) {
  return std::to_string(number_in(object, name).value_or(0));
}

/// Returns the first line, or the last cause of a Java stack trace: its first line names only a wrapper such as
/// InvocationTargetException.
std::string line_that_says_why(const std::string& text) {
  constexpr std::string_view cause = "\nCaused by: ";
  const auto last = text.rfind(cause);
  const auto begin = last == std::string::npos ? 0 : last + cause.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::optional<core::trigger_note> note_of(const api_document& run) {
  return core::decode_trigger_note(text_in(run, "trigger_message"));
}

/// Returns the description of the sending, from the note or a Java admin's message.
std::string sending_words(const api_document& run, const std::optional<core::trigger_note>& note) {
  const auto message = note ? note->message : text_in(run, "trigger_message");
  const auto reason = core::plain_text(core::trigger_reason(message, core::language::en));
  return std::string{core::trimmed(reason)};
}

/// Returns why no executor accepted the run.
std::string sending_problem(const api_document& run) {
  const auto note = note_of(run);
  if (core::says_no_address(note ? note->message : text_in(run, "trigger_message"))) {
    const auto group = line_in(run, "group_title");
    return "not sent: no executor of " + (group.empty() ? "the job's group" : "group " + group) + " is registered";
  }
  const auto words = sending_words(run, note);
  if (note && note->refused)
    return "refused by the executor" +
           (words.empty() ? " with code " + std::to_string(number_in(run, "trigger_code").value_or(0)) : ": " + words);
  if (note && (note->missed || words.starts_with(core::unknown_delivery)))
    return words;
  return "not sent: " + (words.empty() ? "the executor did not accept it" : words);
}

/// Returns the words for the end of a run by its executor or a user.
std::string end_text(const core::reported_end& end) {
  const auto cause = [&]() -> std::string {
    switch (end.cause) {
    case core::end_cause::user: return "killed by a user";
    case core::end_cause::later_run: return "killed by a later run of the job (COVER_EARLY)";
    case core::end_cause::handler_changed: return "killed because the job's handler changed";
    case core::end_cause::source_changed: return "killed because the job's source changed";
    case core::end_cause::executor_stopped: return "killed because its executor stopped";
    }
    return "killed";
  }();
  if (end.before_start)
    return cause + " before it began";
  return end.words.empty() ? cause : cause + ": " + std::string{end.words};
}

std::string result_words(const api_document& run) {
  const auto stored = text_in(run, "handle_message");
  const std::string report{core::trimmed(core::plain_text(core::result_text(stored, core::language::en)))};
  if (report == core::lost_result(core::language::en))
    return "lost: its result never came";
  const auto end = core::read_end(report);
  return end ? end_text(*end) : report;
}

/// Returns `cron`, `manual, by ann`, `retry of run 23` or `child of run 20`.
std::string started_by(const api_document& run) {
  const auto kind = line_in(run, "kind");
  const auto origin = number_in(run, "origin");
  if (kind == core::to_string(core::trigger_kind::retry))
    return origin ? "retry of run " + std::to_string(*origin) : "retry";
  if (kind == core::to_string(core::trigger_kind::parent))
    return origin ? "child of run " + std::to_string(*origin) : "child";
  const auto by = line_in(run, "by");
  return by.empty() ? kind : kind + ", by " + by;
}

std::string titled(const api_document& run, const job_titles& jobs) {
  const auto shard = line_in(run, "shard");
  return job_title_of(run, jobs) + (shard.empty() ? "" : " shard " + shard);
}

/// Adds the executor's words, and the children that the success started.
void add_result(run_fields& all, const api_document& run) {
  const auto report = result_words(run);
  const auto parts = core::read_children(report);
  if (!parts.words.empty())
    all.emplace_back("result", std::string{parts.words});
  std::string children;
  for (const auto& child : parts.children)
    children.append(children.empty() ? "job " : "\njob ").append(child.job).append(child.started ? " started" : " not started");
  if (!children.empty())
    all.emplace_back("children", std::move(children));
}

void add_note(run_fields& all, const api_document& run) {
  const auto note = note_of(run);
  if (!note) {
    if (std::string text{core::trimmed(core::plain_text(text_in(run, "trigger_message")))}; !text.empty())
      all.emplace_back("trigger", std::move(text));
    return;
  }
  all.emplace_back("node", one_line(note->node_host));
  all.emplace_back("route", one_line(std::string{core::stored_name(note->route)}));
  all.emplace_back("block", one_line(std::string{core::stored_name(note->block)}));
  if (!note->addresses.empty())
    all.emplace_back("addresses", one_line(note->addresses));
  if (note->timeout_s > 0)
    all.emplace_back("time limit", std::to_string(note->timeout_s) + " s");
}

} // namespace

core::result<job_titles> titles_of_jobs(api_client& client, const api_document& runs) {
  std::set<std::int64_t> ids;
  for (const auto& run : runs)
    ids.insert(number_in(run, "job").value_or(0));
  job_titles titles;
  if (ids.empty())
    return titles;
  const auto groups = group_names(client);
  if (!groups)
    return tl::unexpected{groups.error()};
  const auto keep = [&](const api_document& job) {
    titles.emplace(number_in(job, "id").value_or(0), title_of(job, *groups));
  };
  if (ids.size() > asked_jobs_max) {
    const auto all = ask_all(client, query_text{"/jobs"});
    if (!all)
      return tl::unexpected{all.error()};
    for (const auto& job : items_in(*all))
      keep(job);
    return titles;
  }
  for (const auto id : ids)
    if (const auto job = client.ask({"GET", "/jobs/" + std::to_string(id)}))
      keep(*job);
  return titles;
}

std::string job_title_of(const api_document& run, const job_titles& jobs) {
  const auto found = jobs.find(number_in(run, "job").value_or(0));
  return found == jobs.end() ? "job " + digits_in(run, "job") : found->second;
}

std::string run_state_text(const api_document& run) { return text_or_none(run, "status"); }

std::string run_reason(const api_document& run) {
  const auto handled = number_in(run, "handle_code").value_or(0);
  const auto triggered = number_in(run, "trigger_code").value_or(0);
  if (handled == core::success_code)
    return {};
  if (handled == timed_out_code) {
    const auto note = note_of(run);
    return note && note->timeout_s > 0 ? "timed out after " + std::to_string(note->timeout_s) + " s" : "timed out";
  }
  if (handled != 0) {
    const auto words = result_words(run);
    return words.empty() ? "the executor reported code " + std::to_string(handled) : words;
  }
  return triggered == 0 || triggered == core::success_code ? std::string{} : sending_problem(run);
}

std::string run_duration(const api_document& run) {
  const auto begin = number_in(run, "trigger_ms");
  const auto end = number_in(run, "handle_ms");
  if (!begin || !end || number_in(run, "handle_code").value_or(0) == 0)
    return "-";
  const auto seconds = std::max<std::int64_t>(*end - *begin, 0) / 1000;
  if (seconds == 0)
    return "<1s";
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  if (seconds < 60)
    return std::to_string(seconds) + "s";
  if (seconds < 3600)
    return std::to_string(seconds / 60) + "m " + two(seconds % 60) + "s";
  return std::to_string(seconds / 3600) + "h " + two(seconds / 60 % 60) + "m";
}

namespace {

/// Returns the width in which all names of jobs fit without their groups: `…/settle`.
std::size_t width_without_groups(const std::vector<std::vector<std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& line : lines) {
    const auto& title = line[job_column];
    const auto slash = title.find('/');
    width = std::max(width, slash == std::string::npos ? core::columns_of(title) : 1 + core::columns_of(title.substr(slash)));
  }
  return width;
}

} // namespace

std::string runs_table(const api_document& runs, const job_titles& jobs, const core::zone& where) {
  std::vector<std::vector<std::string>> lines{
    {"RUN", "JOB", "TRIGGERED (" + where.name() + ")", "STATE", "TOOK", "EXECUTOR", "WHY"}};
  for (const auto& run : runs) {
    const auto why = one_line(line_that_says_why(run_reason(run)));
    lines.push_back({digits_in(run, "id"), titled(run, jobs), instant_in(run, "trigger_ms", where), run_state_text(run),
                     run_duration(run), text_or_none(run, "address"), why});
  }
  // The reason needs the room: an address is in `run show`, and the groups of jobs that are listed together are known.
  const std::array first{narrow_first{executor_column, address_least}, narrow_first{job_column, width_without_groups(lines)}};
  return table_text(lines, terminal_columns(), first);
}

std::string describe_run(const api_document& run, const job_titles& jobs, const core::zone& where) {
  run_fields all{{"run", digits_in(run, "id")}, {"job", job_title_of(run, jobs)}, {"state", run_state_text(run)}};
  const auto add = [&all](const char* name, std::string value) {
    if (!value.empty())
      all.emplace_back(name, std::move(value));
  };
  const auto instant = [&](const char* name) {
    const auto text = instant_in(run, name, where, "");
    return text.empty() ? text : text + ' ' + where.name();
  };
  add("why", run_reason(run));
  add("started by", started_by(run));
  add("planned for", instant("instant_ms"));
  if (const auto merged = number_in(run, "merged_instants").value_or(0); merged > 0)
    add("replaces", std::to_string(merged) + (merged == 1 ? " further missed instant" : " further missed instants"));
  add("triggered", instant("trigger_ms"));
  add("finished", instant("handle_ms"));
  add("took", run_duration(run));
  add("executor", text_or_none(run, "address"));
  add("handler", line_in(run, "handler"));
  add("param", line_in(run, "params"));
  add("shard", line_in(run, "shard"));
  add("retries left", digits_in(run, "retry_left"));
  if (number_in(run, "handle_code") == core::success_code)
    add_result(all, run);
  add("codes", "trigger " + digits_in(run, "trigger_code") + ", result " + digits_in(run, "handle_code"));
  add_note(all, run);
  return fields_text(all);
}

} // namespace ringmaster::apps
