#include "protocol/wire/v1/api_runs.hpp"

#include <algorithm>
#include <optional>

#include "core/run/execution_state.hpp"
#include "core/run/noted_run.hpp"
#include "core/run/run_reason.hpp"
#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Returns the status by which the filter finds the run; `pending`: not sent yet.
std::string_view status_of(const core::log_row& run, bool is_missed) noexcept {
  if (run.handle_code == core::success_code)
    return "succeeded";
  if (run.handle_code == 0 && is_missed)
    return "missed";
  if (run.handle_code != 0 || (run.trigger_code != 0 && run.trigger_code != core::success_code))
    return "failed";
  return run.trigger_code == core::success_code ? "running" : "pending";
}

template <class Number>
void append_count_or_null(json_object& row, std::string_view name, const std::optional<Number>& value) {
  value ? row.number(name, *value) : row.null(name);
}

void append_id_or_null(json_object& row, std::string_view name, std::optional<core::log_id> id) {
  id ? row.number(name, number(*id)) : row.null(name);
}

template <class Names, class Id>
void append_name_or_null(json_object& row, std::string_view name, const Names& names, Id id) {
  const auto found = names.find(id);
  found == names.end() ? row.null(name) : row.text(name, found->second);
}

/// Appends the origin of the run, as far as its row tells it.
void append_origin(json_object& row, const core::run_origin& origin) {
  origin.kind ? row.text("kind", core::to_string(*origin.kind)) : row.null("kind");
  append_id_or_null(row, "origin", origin.retry_of ? origin.retry_of : origin.parent);
  append_id_or_null(row, "retry_of", origin.retry_of);
  append_id_or_null(row, "parent", origin.parent);
  append_count_or_null(row, "attempt", origin.attempt);
  append_count_or_null(row, "shard_index", origin.part ? std::optional{origin.part->index} : std::nullopt);
  append_count_or_null(row, "shard_total", origin.part ? std::optional{origin.part->total} : std::nullopt);
}

/// Appends the first instant for which a late run was sent, the time from there to its trigger, and the number of further ones.
void append_lateness(json_object& row, const core::log_row& run, const core::run_origin& origin) {
  const auto& instant = origin.instant;
  append_instant(row, "instant_ms", instant);
  const auto late = instant ? std::optional{std::max(run.trigger_time - *instant, core::milliseconds{0})} : std::nullopt;
  append_count_or_null(row, "lateness_ms", late ? std::optional{late->count()} : std::nullopt);
  append_count_or_null(row, "merged_instants", origin.merged);
}

/// Appends what our note tells about the sending.
void append_sending(json_object& row, const std::optional<core::trigger_note>& note) {
  append_text_or_null(row, "node", note ? std::string_view{note->node_host} : std::string_view{});
  append_text_or_null(row, "route", note ? core::stored_name(note->route) : std::string_view{});
  append_text_or_null(row, "block", note ? core::stored_name(note->block) : std::string_view{});
}

void append_duration(json_object& row, const core::log_row& run) {
  const auto took = core::duration_of(run);
  append_count_or_null(row, "duration_ms", took ? std::optional{took->count()} : std::nullopt);
}

/// Appends why the run did not succeed; null for any other run.
void append_reason(json_object& row, const core::noted_run& run) {
  const auto reason = core::reason_of(run);
  if (!reason)
    return row.null("reason");
  const auto params = json_object_of([&](json_object& some) {
    some.text("text", reason->text);
    if (reason->exit_code)
      some.number("exit_code", *reason->exit_code);
    if (reason->timeout_s)
      some.number("timeout_s", *reason->timeout_s);
    if (!reason->handler.empty())
      some.text("handler", reason->handler);
    if (reason->end) {
      some.text("cause", core::to_string(reason->end->cause));
      some.boolean("before_start", reason->end->before_start);
    }
  });
  row.raw("reason", json_object_of([&](json_object& out) {
    out.text("code", core::to_string(reason->code));
    out.raw("params", params);
  }));
}

/// Appends the number and times of dropped instants, for a row of them.
void append_missed(json_object& row, const std::optional<core::missed_instants>& missed) {
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

void append_api_run(std::string& out, const core::log_row& run, const core::run_names& names) {
  const bool has_result = run.handle_code != 0;
  const core::noted_run noted{run};
  const auto origin = core::origin_of(noted);
  const auto missed = core::missed_in(noted);
  json_object row{out};
  row.number("id", number(run.id));
  row.number("group", number(run.group));
  append_name_or_null(row, "group_title", names.groups, run.group);
  row.number("job", number(run.job));
  append_name_or_null(row, "job_name", names.jobs, run.job);
  row.text("status", status_of(run, missed.has_value()));
  append_reason(row, noted);
  append_text_or_null(row, "address", run.executor_address);
  row.text("handler", run.executor_handler);
  row.text("params", run.executor_param);
  append_text_or_null(row, "shard", run.executor_sharding_param);
  row.number("retry_left", run.fail_retry_count);
  append_instant(row, "trigger_ms", run.trigger_time);
  append_lateness(row, run, origin);
  row.number("trigger_code", run.trigger_code);
  row.text("trigger_message", run.trigger_msg);
  row.text("trigger_text", core::trigger_words(noted));
  append_origin(row, origin);
  append_name_or_null(row, "by", names.requesters, run.id);
  append_sending(row, noted.note);
  append_missed(row, missed);
  append_instant(row, "handle_ms", has_result ? run.handle_time : std::nullopt);
  row.number("handle_code", run.handle_code);
  has_result ? row.text("handle_message", run.handle_msg) : row.null("handle_message");
  has_result ? row.text("handle_text", core::result_words(run)) : row.null("handle_text");
  append_duration(row, run);
  row.number("alarm_status", run.alarm_status);
}

void append_short_run(std::string& out, const core::log_row& run, const core::run_names& names) {
  const core::noted_run noted{run};
  json_object row{out};
  row.number("id", number(run.id));
  row.number("group", number(run.group));
  row.number("job", number(run.job));
  append_name_or_null(row, "job_name", names.jobs, run.job);
  row.text("status", status_of(run, core::missed_in(noted).has_value()));
  append_reason(row, noted);
  append_text_or_null(row, "address", run.executor_address);
  append_instant(row, "trigger_ms", run.trigger_time);
  append_duration(row, run);
  append_origin(row, core::origin_of(noted));
}

} // namespace

std::string api_run(const core::log_row& run, const core::run_names& names) {
  std::string out;
  append_api_run(out, run, names);
  return out;
}

std::string api_runs(std::span<const core::log_row> runs, const core::run_names& names) {
  return json_array(runs, [&](std::string& out, const core::log_row& run) { append_api_run(out, run, names); });
}

std::string api_run_page(const core::run_list& page, const core::run_names& names, std::size_t limit, bool is_first) {
  const auto is_complete = [&](const core::log_row& run) { return !page.rest || run.id > *page.rest; };
  const std::span rows{page.rows.begin(), std::partition_point(page.rows.begin(), page.rows.end(), is_complete)};
  const bool is_full = rows.size() >= limit;
  std::optional<std::int64_t> next;
  if (is_full && !rows.empty())
    next = core::number(rows.back().id);
  else if (!is_full && page.rest)
    next = core::number(*page.rest) + 1;
  const auto total = is_first ? std::optional{page.total} : std::nullopt;
  auto out = api_page(api_runs(rows, names), next, total, is_first && page.total_is_capped);
  const auto searched =
    json_object_of([&](json_object& more) { append_instant(more, "searched_to_ms", is_full ? std::nullopt : page.searched_to); });
  out.back() = ',';
  return out.append(searched, 1);
}

std::string api_last_run(const core::log_row& run) {
  return json_object_of([&](json_object& row) {
    row.number("id", number(run.id));
    const core::noted_run noted{run};
    row.text("status", status_of(run, core::missed_in(noted).has_value()));
    append_reason(row, noted);
    append_instant(row, "trigger_ms", run.trigger_time);
    append_duration(row, run);
  });
}

std::string api_short_runs(const std::vector<core::log_row>& runs, const core::run_names& names) {
  return json_array(runs, [&](std::string& out, const core::log_row& run) { append_short_run(out, run, names); });
}

std::string api_related_runs(const core::related_runs& related, const core::run_names& names) {
  const auto append = [&](std::string& out, const core::log_row& run) { append_short_run(out, run, names); };
  return json_object_of([&](json_object& row) {
    if (related.parent) {
      std::string parent;
      append(parent, *related.parent);
      row.raw("parent", parent);
    } else {
      row.null("parent");
    }
    row.raw("children", json_array(related.children, append));
    row.raw("retries", json_array(related.retries, append));
    row.raw("shards", json_array(related.shards, append));
    append_count_or_null(row, "attempt", related.attempt);
    append_text_or_null(row, "by", related.by);
  });
}

std::string api_log(const core::run_log& part) {
  return json_object_of([&](json_object& row) {
    row.number("run", number(part.run.id));
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

} // namespace ringmaster::protocol::wire
