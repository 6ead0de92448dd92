#include "protocol/wire/v1/api_overviews.hpp"

#include <chrono>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::chrono::hours timeline_back{24};
constexpr std::chrono::hours timeline_ahead{12};

core::result<std::size_t> limit_up_to(const form& sent, std::size_t most) {
  const auto limit = api_number_of(sent, "limit");
  if (!limit || (*limit && (**limit < 1 || **limit > static_cast<std::int64_t>(most))))
    return core::fail(core::errc::invalid_argument, "the parameter limit must be a number from 1 to " + std::to_string(most));
  return *limit ? static_cast<std::size_t>(**limit) : most;
}

void append_found_job(std::string& out, const core::found_job& job) {
  json_object row{out};
  row.number("id", number(job.id));
  row.number("group", number(job.group));
  row.text("name", job.name);
  row.text("handler", job.handler);
  append_text_or_null(row, "key", job.key);
}

void append_found_group(std::string& out, const core::found_group& group) {
  json_object row{out};
  row.number("id", number(group.id));
  row.text("app_name", group.app_name);
  row.text("title", group.title);
}

void append_found_user(std::string& out, const core::user_card& user) {
  json_object row{out};
  row.number("id", number(user.id));
  row.text("name", user.name);
  row.boolean("admin", user.admin);
}

void append_timeline_instant(std::string& out, const core::timeline_instant& instant) {
  json_object row{out};
  row.number("at_ms", core::to_ms(instant.at));
  instant.run ? row.number("run", number(*instant.run)) : row.null("run");
  row.text("outcome", core::to_string(instant.outcome));
}

void append_timeline_edit(std::string& out, const core::timeline_edit& edit) {
  json_object row{out};
  row.number("at_ms", core::to_ms(edit.at));
  row.text("by", edit.by);
  row.text("action", core::stored_name(edit.action));
  row.raw("fields", json_array(edit.fields));
}

} // namespace

core::result<core::object_search> api_object_search_of(const form& sent) {
  const auto sought = sent.text_or_empty("q");
  core::object_search search;
  search.text = core::trimmed(sought);
  if (search.text.empty() || !core::fits(search.text, core::searched_chars_max))
    return core::fail(core::errc::invalid_argument,
                      "the parameter q must have 1 to " + std::to_string(core::searched_chars_max) + " characters");
  return limit_up_to(sent, core::found_objects_max).map([&](std::size_t limit) {
    search.limit = limit;
    return std::move(search);
  });
}

std::string api_found_objects(const core::found_objects& found, const core::run_names& names) {
  return json_object_of([&](json_object& out) {
    out.raw("jobs", json_array(found.jobs, append_found_job));
    out.raw("groups", json_array(found.groups, append_found_group));
    out.raw("runs", api_short_runs(found.runs, names));
    out.raw("users", json_array(found.users, append_found_user));
    out.boolean("truncated", found.truncated);
  });
}

core::result<core::timeline_search> api_timeline_search_of(const form& sent, core::job_id job, core::time_point now) {
  const auto from = instant_of(sent, "from_ms");
  const auto until = instant_of(sent, "to_ms");
  if (!from || !until)
    return tl::unexpected{from ? until.error() : from.error()};
  core::timeline_search search;
  search.job = job;
  search.from = from->value_or(now - timeline_back);
  search.until = until->value_or(std::max(now, search.from) + timeline_ahead);
  if (search.until < search.from || search.until - search.from > core::timeline_span_max)
    return core::fail(core::errc::invalid_argument,
                      "a timeline covers at most 31 days: to_ms must be from 0 to 31 days after from_ms");
  return limit_up_to(sent, core::timeline_rows_max).map([&](std::size_t limit) {
    search.limit = limit;
    return search;
  });
}

std::string api_timeline(const core::job_timeline& timeline, const core::timeline_search& search,
                         const core::run_names& names) {
  return json_object_of([&](json_object& out) {
    out.raw("runs", api_short_runs(timeline.runs, names));
    out.raw("instants", json_array(timeline.instants, append_timeline_instant));
    out.raw("edits", json_array(timeline.edits, append_timeline_edit));
    out.boolean("truncated", timeline.truncated);
    out.number("from_ms", core::to_ms(search.from));
    out.number("to_ms", core::to_ms(search.until));
    out.number("known_from_ms", core::to_ms(timeline.known_from));
  });
}

} // namespace ringmaster::protocol::wire
