#include "protocol/wire/v1/api_runs.hpp"

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/run/trigger_note.hpp"
#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::run_status;

constexpr std::array<std::pair<std::string_view, run_status>, 5> statuses{{{"any", run_status::any},
                                                                           {"succeeded", run_status::succeeded},
                                                                           {"failed", run_status::failed},
                                                                           {"running", run_status::running},
                                                                           {"missed", run_status::missed}}};

constexpr std::int32_t success_code = 200;

/// Returns the status by which the filter finds the run; `pending`: not sent yet.
std::string_view status_of(const core::log_row& run) noexcept {
  if (run.handle_code == success_code)
    return "succeeded";
  if (run.handle_code == 0 && core::missed_in(run.trigger_msg))
    return "missed";
  if (run.handle_code != 0 || (run.trigger_code != 0 && run.trigger_code != success_code))
    return "failed";
  return run.trigger_code == success_code ? "running" : "pending";
}

/// Appends the origin of the run, as far as its note shows it.
void append_origin(json_object& row, const core::log_row& run) {
  const auto note = core::decode_trigger_note(run.trigger_msg);
  note ? row.text("kind", core::to_string(note->kind)) : row.null("kind");
  if (note && number(note->origin) > 0)
    row.number("origin", number(note->origin));
  else
    row.null("origin");
}

/// Appends the number and times of dropped instants, for a row of them.
void append_missed(json_object& row, const core::log_row& run) {
  const auto missed = core::missed_in(run.trigger_msg);
  if (!missed)
    return row.null("missed");
  std::string out;
  {
    json_object gap{out};
    gap.number("instants", missed->count);
    append_instant(gap, "from_ms", missed->first);
    append_instant(gap, "to_ms", missed->last);
  }
  row.raw("missed", out);
}

void append_api_run(std::string& out, const core::log_row& run) {
  const bool has_result = run.handle_code != 0;
  json_object row{out};
  row.number("id", number(run.id));
  row.number("group", number(run.group));
  row.number("job", number(run.job));
  row.text("status", status_of(run));
  append_text_or_null(row, "address", run.executor_address);
  row.text("handler", run.executor_handler);
  row.text("params", run.executor_param);
  append_text_or_null(row, "shard", run.executor_sharding_param);
  row.number("retry_left", run.fail_retry_count);
  append_instant(row, "trigger_ms", run.trigger_time);
  row.number("trigger_code", run.trigger_code);
  row.text("trigger_message", run.trigger_msg);
  append_origin(row, run);
  append_missed(row, run);
  append_instant(row, "handle_ms", has_result ? run.handle_time : std::nullopt);
  row.number("handle_code", run.handle_code);
  has_result ? row.text("handle_message", run.handle_msg) : row.null("handle_message");
  row.number("alarm_status", run.alarm_status);
}

} // namespace

std::string api_run(const core::log_row& run) {
  std::string out;
  append_api_run(out, run);
  return out;
}

std::string api_runs(const std::vector<core::log_row>& runs) { return json_array(runs, append_api_run); }

std::string api_log(const api_log_part& part) {
  return json_object_of([&](json_object& row) {
    row.number("run", number(part.run));
    row.number("from_line", part.from_line);
    row.number("to_line", part.to_line);
    row.text("content", part.content);
    row.boolean("end", part.end);
    row.boolean("kept", part.kept);
    row.boolean("more", part.more);
    row.boolean("cut", part.cut);
    part.bytes ? row.number("bytes", *part.bytes) : row.null("bytes");
    part.lines ? row.number("lines", *part.lines) : row.null("lines");
    append_text_or_null(row, "partial_reason", part.partial_reason);
  });
}

std::string api_log_matches(const std::vector<core::log_match>& matches, std::int32_t scanned_to,
                            std::optional<std::int32_t> next_line, std::string_view partial_reason) {
  const auto rows = json_array(matches, [](std::string& out, const core::log_match& each) {
    json_object row{out};
    row.number("line", each.line);
    row.number("column", each.column);
    row.number("length", each.length);
    row.text("text", each.text);
  });
  return json_object_of([&](json_object& out) {
    out.raw("matches", rows);
    next_line ? out.number("next_line", *next_line) : out.null("next_line");
    out.number("scanned_to", scanned_to);
    append_text_or_null(out, "partial_reason", partial_reason);
  });
}

std::string api_reports(const std::vector<core::day_report>& days, const core::zone& where) {
  const auto rows = json_array(days, [&where](std::string& out, const core::day_report& each) {
    constexpr std::size_t date_chars = 10;
    json_object row{out};
    row.text("day", where.format(each.day).substr(0, date_chars));
    row.number("day_ms", core::to_ms(each.day));
    row.number("total", each.counts.total);
    row.number("running", each.counts.running);
    row.number("succeeded", each.counts.succeeded);
    row.number("failed", each.counts.failed());
  });
  return R"({"items":)" + rows + '}';
}

core::result<core::run_search> api_run_search_of(const form& sent, const api_cursor& from) {
  const auto group = api_id_of(sent, "group");
  const auto job = api_id_of(sent, "job");
  const auto begin = instant_of(sent, "from_ms");
  const auto end = instant_of(sent, "to_ms");
  if (!group || !job)
    return tl::unexpected{group ? job.error() : group.error()};
  if (!begin || !end)
    return tl::unexpected{begin ? end.error() : begin.error()};
  core::run_search search;
  if (*group)
    search.group = core::group_id{**group};
  if (*job)
    search.job = core::job_id{**job};
  search.from = *begin;
  search.to = *end;
  if (from.place > 0)
    search.before = core::log_id{from.place};
  search.window.limit = from.limit;
  search.handler = std::string{sent.text("handler").value_or("")};
  const auto wanted = sent.text("status").value_or("any");
  for (const auto& [name, status] : statuses)
    if (name == wanted) {
      search.status = status;
      return search;
    }
  return core::fail(core::errc::invalid_argument, "the parameter status must be any, succeeded, failed, running or missed");
}

core::result<core::clear_search> parse_api_clear(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    core::clear_search search;
    if (const auto group = in.maybe_id("group"))
      search.group = core::group_id{*group};
    if (const auto job = in.maybe_id("job"))
      search.job = core::job_id{*job};
    if (const auto until = in.maybe_number("until_ms", 0, std::numeric_limits<std::int64_t>::max()))
      search.until = core::from_ms(*until);
    if (const auto keep = in.maybe_number("keep_newest", 0, std::numeric_limits<std::int32_t>::max()))
      search.keep_newest = static_cast<std::size_t>(*keep);
    const bool all = in.optional_boolean("all").value_or(false);
    if (int{search.until.has_value()} + int{search.keep_newest.has_value()} + int{all} != 1)
      in.wrong("all", "expected exactly one of until_ms, keep_newest and all: true");
    return search;
  });
}

} // namespace ringmaster::protocol::wire
