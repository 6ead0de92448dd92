#include "protocol/wire/v1/api_jobs.hpp"

#include <algorithm>
#include <utility>

#include "core/alarm/alarm.hpp"
#include "core/text/mail_text.hpp"
#include "core/forecast/schedule_words.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::protocol::wire {

namespace {

/// Maximum that the column of children can hold.
constexpr std::size_t children_max = 128;

void append_number_or_null(json_object& row, std::string_view name, std::optional<std::int64_t> number) {
  number ? row.number(name, *number) : row.null(name);
}

std::string schedule_of(const core::job_record& job) {
  return json_object_of([&](json_object& schedule) {
    schedule.text("type", job.schedule_type);
    append_text_or_null(schedule, "conf", job.schedule_conf);
  });
}

void append_names(json_object& row, const core::job_option& field, const core::option_value& value) {
  row.raw(field.member, json_array(core::names_in(field, value)));
}

/// Appends the options that decide when the job fires, or the others.
void append_options(json_object& row, const core::job_options& options, bool of_schedule) {
  for (const auto& field : core::job_option_fields()) {
    if (field.shapes_schedule != of_schedule)
      continue;
    const auto value = field.get(options);
    const auto number = std::holds_alternative<std::int64_t>(value) ? std::optional{core::number_of(value)} : std::nullopt;
    switch (field.kind) {
    case core::option_kind::text: append_text_or_null(row, field.member, std::string{core::text_of(value)}); break;
    case core::option_kind::choice: row.text(field.member, core::text_of(value)); break;
    case core::option_kind::names: append_names(row, field, value); break;
    case core::option_kind::number:
    case core::option_kind::instant: append_number_or_null(row, field.member, number); break;
    case core::option_kind::flag: row.boolean(field.member, number.has_value()); break;
    }
  }
}

void append_state(json_object& row, const core::job_record& job) {
  row.boolean("running", job.running);
  append_text_or_null(row, "stopped_by", job.stopped ? job.stopped->by : std::string{});
  append_instant(row, "stopped_ms", job.stopped ? std::optional{job.stopped->at} : std::nullopt);
  append_instant(row, "next_ms", job.next);
  append_instant(row, "last_ms", job.last);
  append_instant(row, "missed_ms", job.missed);
  append_instant(row, "added_ms", job.added);
  append_instant(row, "updated_ms", job.updated);
  row.number("revision", job.revision);
  append_text_or_null(row, "key", job.key);
  append_text_or_null(row, "source", job.source);
}

enum class with_source : std::uint8_t { no, yes };

void append_columns(json_object& row, const core::job_record& job, with_source source) {
  row.number("id", number(job.id));
  row.number("group", number(job.group));
  row.text("name", job.name);
  row.text("author", job.author);
  row.text("alarm_email", job.alarm_email);
  row.raw("schedule", schedule_of(job));
  append_options(row, job, true);
  row.text("misfire", job.misfire);
  row.text("route", job.route);
  row.text("block", job.block);
  append_options(row, job, false);
  row.number("timeout_s", job.timeout_s);
  row.number("retry_count", job.retry_count);
  row.text("handler", job.handler);
  row.text("params", job.param);
  row.raw("children", json_array(core::numbers_in(job.children),
                                 [](std::string& to, core::job_id child) { append_json(to, std::int64_t{number(child)}); }));
  row.text("glue_type", job.glue_type);
  row.text("glue_remark", job.glue_remark);
  append_instant(row, "glue_updated_ms", job.glue_updated);
  if (source == with_source::yes)
    row.text("glue_source", job.glue_source);
  append_state(row, job);
}

void append_api_job(std::string& out, const core::job_record& job, with_source source) {
  json_object row{out};
  append_columns(row, job, source);
}

std::string words_of_schedule(const core::job_record& job, core::language reader) {
  const auto type = core::find_schedule_type(job.schedule_type).value_or(core::schedule_type::unknown);
  return core::words_of({type, job.schedule_conf, job.timing}, reader);
}

/// Appends what a list tells about a job in addition to its columns.
void append_facts(json_object& row, const core::job_record& job, const core::job_facts& facts, const api_job_reader& reader) {
  const auto& own_zone = job.timing.time_zone;
  append_text_or_null(row, "group_title", facts.group_title);
  append_text_or_null(row, "words", words_of_schedule(job, reader.language));
  row.text("effective_zone", own_zone.empty() ? reader.zone.name() : own_zone);
  facts.last_run ? row.raw("last_run", api_last_run(*facts.last_run)) : row.null("last_run");
  append_number_or_null(row, "open_runs",
                        facts.open_runs ? std::optional{static_cast<std::int64_t>(*facts.open_runs)} : std::nullopt);
  append_text_or_null(row, "updated_by", facts.updated_by);
}

void append_version(std::string& out, const core::source_version& version, bool body) {
  json_object row{out};
  row.number("id", version.id);
  row.number("job", number(version.job));
  row.text("glue_type", version.glue_type);
  body ? row.text("source", version.source) : row.null("source");
  row.number("bytes", static_cast<std::int64_t>(version.bytes));
  row.text("remark", version.remark);
  append_instant(row, "added_ms", version.added);
  append_instant(row, "updated_ms", version.updated);
}

// -- reading ---------------------------------------------------------------------------------------------------------------

std::string joined(std::span<const std::string_view> names, std::string_view last) {
  std::string out;
  for (const auto name : names)
    out.append(out.empty() ? "" : name == names.back() ? last : ", ").append(name);
  return out;
}

core::option_value read_choice(api_members& in, const core::job_option& field) {
  auto name = in.maybe_text(field.member);
  if (!name)
    return {};
  if (std::find(field.names.begin(), field.names.end(), *name) == field.names.end())
    in.wrong(field.member, "must be " + joined(field.names, " or "));
  return std::move(*name);
}

core::option_value read_names(api_members& in, const core::job_option& field) {
  const auto named = in.maybe_texts(field.member, field.names.size());
  if (!named)
    return {};
  for (const auto& each : *named)
    if (std::find(field.names.begin(), field.names.end(), each) == field.names.end())
      in.wrong(field.member, "must name " + joined(field.names, " and ") + ", one of them, or neither");
  return core::value_of_names(field, *named);
}

core::option_value read_number(api_members& in, const core::job_option& field) {
  const auto number = field.kind == core::option_kind::instant ? in.maybe_number(field.member, 0)
                                                               : in.maybe_number(field.member, field.min, field.max);
  return number ? core::option_value{*number} : core::option_value{};
}

core::option_value read_option(api_members& in, const core::job_option& field) {
  switch (field.kind) {
  case core::option_kind::text: {
    auto text = in.text(field.member);
    return text.empty() ? core::option_value{} : core::option_value{std::move(text)};
  }
  case core::option_kind::choice: return read_choice(in, field);
  case core::option_kind::names: return read_names(in, field);
  case core::option_kind::number:
  case core::option_kind::instant: return read_number(in, field);
  case core::option_kind::flag:
    return in.optional_boolean(field.member).value_or(false) ? core::option_value{std::int64_t{1}} : core::option_value{};
  }
  return {};
}

core::job_options read_options(api_members& in) {
  core::job_options options;
  for (const auto& field : core::job_option_fields())
    field.set(options, read_option(in, field));
  return options;
}

void read_schedule(api_members& in, core::job_draft& draft) {
  draft.schedule_type = core::stored_name(core::schedule_type::none);
  in.object("schedule", [&draft](api_members& schedule) {
    draft.schedule_type = schedule.needed_text("type");
    draft.schedule_conf = schedule.maybe_text("conf");
  });
  draft.options = read_options(in);
  // A Java admin shows the interval as whole seconds.
  if (const auto interval = draft.options->timing.interval_ms; interval && !draft.schedule_conf)
    draft.schedule_conf = core::rate_text_of(*interval);
}

std::string read_children(api_members& in) {
  std::string list;
  for (const auto child : in.maybe_ids("children", children_max).value_or(std::vector<std::int32_t>{}))
    list.append(list.empty() ? "" : ",").append(std::to_string(child));
  return list;
}

void read_script(api_members& in, core::job_draft& draft) {
  draft.glue_type = in.maybe_text("glue_type").value_or("BEAN");
  draft.glue_source = in.text("glue_source");
  draft.glue_remark = in.text("glue_remark");
}

core::job_draft read_job(api_members& in, core::draft_use use) {
  core::job_draft draft;
  draft.group = core::group_id{in.needed_id("group")};
  draft.name = in.needed_text("name");
  draft.author = in.text("author");
  draft.alarm_email = in.text("alarm_email");
  for (const auto& address : core::mail_addresses(draft.alarm_email, nullptr))
    if (!core::is_mail_address(address))
      in.wrong("alarm_email", "invalid e-mail address \"" + address + "\"");
  read_schedule(in, draft);
  draft.misfire = in.maybe_text("misfire").value_or(std::string{core::stored_name(core::misfire_policy::do_nothing)});
  draft.route = in.maybe_text("route").value_or(std::string{core::stored_name(core::route_strategy::first)});
  draft.block = in.maybe_text("block").value_or(std::string{core::stored_name(core::block_strategy::serial_execution)});
  draft.timeout_s = in.count("timeout_s");
  draft.retry_count = in.count("retry_count");
  draft.handler = core::trimmed(in.text("handler"));
  draft.param = in.text("params");
  draft.children = read_children(in);
  if (use == core::draft_use::add)
    read_script(in, draft);
  return draft;
}

} // namespace

std::string api_job(const core::job_record& job) {
  std::string out;
  append_api_job(out, job, with_source::yes);
  return out;
}

std::string api_jobs(const std::vector<core::job_record>& jobs, const std::vector<core::job_facts>& facts,
                     const api_job_reader& reader) {
  static const core::job_facts unknown;
  std::size_t at = 0;
  return json_array(jobs, [&](std::string& out, const core::job_record& each) {
    json_object row{out};
    append_columns(row, each, with_source::no);
    append_facts(row, each, at < facts.size() ? facts[at] : unknown, reader);
    ++at;
  });
}

std::string api_sources(const std::vector<core::source_version>& versions, bool bodies) {
  return json_array(versions, [bodies](std::string& out, const auto& each) { append_version(out, each, bodies); });
}

std::string api_source(const core::source_version& version) {
  std::string out;
  append_version(out, version, true);
  return out;
}

std::string api_intent(const core::intent& intent) {
  return json_object_of([&](json_object& row) {
    row.number("job", number(intent.job));
    row.number("intent", number(intent.id));
  });
}

std::string api_asked_runs(bool waiting, const std::vector<core::log_id>& runs) {
  return json_object_of([&](json_object& row) {
    row.boolean("waiting", waiting);
    row.raw("runs", json_array(runs, [](std::string& to, core::log_id run) { append_json(to, std::int64_t{number(run)}); }));
  });
}

std::string api_job_edit(const core::job_edit& edit) {
  return json_object_of([&](json_object& row) {
    row.number("job", number(edit.job));
    append_instant(row, "next_ms", edit.next);
    edit.on_their_way ? row.number("on_their_way", static_cast<std::int64_t>(*edit.on_their_way)) : row.null("on_their_way");
  });
}

core::result<core::source_search> api_source_search_of(const form& sent, core::job_id job) {
  return boolean_of(sent, "bodies").map([job](std::optional<bool> bodies) {
    return core::source_search{job, std::nullopt, bodies.value_or(true)};
  });
}

core::result<core::job_draft> parse_api_job(std::string_view body, core::draft_use use) {
  return read_api_object(body, [use](api_members& in) { return read_job(in, use); });
}

core::result<api_new_source> parse_api_source(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    auto source = in.needed_text("source");
    return api_new_source{std::move(source), in.needed_text("remark")};
  });
}

} // namespace ringmaster::protocol::wire
