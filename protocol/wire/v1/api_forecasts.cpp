#include "protocol/wire/v1/api_forecasts.hpp"

#include <algorithm>

#include "core/job/job.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/v1/api_refusal_words.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::chrono::hours counts_span_usual{24};

/// Numbers of a request as they were sent.
struct sent_counts {
  std::optional<std::int64_t> from_ms, to_ms, bucket_ms, top;
};

tl::unexpected<core::error> wrong_counts(std::string why) { return core::fail(core::errc::invalid_argument, std::move(why)); }

bool is_instant_ms(const std::optional<std::int64_t>& ms) { return !ms || (*ms >= 0 && *ms <= core::latest_ms); }

/// Reads the time span and the buckets. The part before now is cut off.
core::result<core::counts_search> search_of(const sent_counts& sent, core::time_point now) {
  if (!is_instant_ms(sent.from_ms) || !is_instant_ms(sent.to_ms))
    return wrong_counts("from_ms and to_ms must lie between 1970 and 9999");
  core::counts_search search;
  search.from = std::max(core::from_ms(sent.from_ms.value_or(0)), now);
  search.from_now = search.from == now;
  search.until = std::max(sent.to_ms ? core::from_ms(*sent.to_ms) : search.from + counts_span_usual, search.from);
  if (search.until > search.from + core::counts_span_max)
    return wrong_counts("counts cover at most 31 days: to_ms is too far from its start");
  const auto unit = core::counts_bucket_unit.count();
  const auto bucket = sent.bucket_ms.value_or(search.bucket.count());
  if (bucket < unit || bucket > core::milliseconds{core::counts_span_max}.count() || bucket % unit != 0)
    return wrong_counts("bucket_ms must be a multiple of 60000, 31 days at most");
  search.bucket = core::milliseconds{bucket};
  if ((search.until - search.from) / search.bucket > static_cast<std::int64_t>(core::counts_buckets_max))
    return wrong_counts("more than " + std::to_string(core::counts_buckets_max) + " buckets: bucket_ms is too short");
  const auto top = sent.top.value_or(static_cast<std::int64_t>(search.top));
  if (top < 1 || top > static_cast<std::int64_t>(core::counts_top_max))
    return wrong_counts("top must be a number from 1 to " + std::to_string(core::counts_top_max));
  search.top = static_cast<std::size_t>(top);
  return search;
}

void append_count(std::string& out, std::uint64_t number) { append_json(out, static_cast<std::int64_t>(number)); }

/// Appends an id; null for a job that does not exist yet.
void append_job_id(std::string& out, core::job_id job) {
  job == core::job_id{} ? void(out += "null") : append_json(out, std::int64_t{number(job)});
}

void append_busy(std::string& out, const core::busy_second& second) {
  json_object row{out};
  row.number("at_ms", core::to_ms(second.at));
  row.number("count", static_cast<std::int64_t>(second.firings));
  row.number("jobs", static_cast<std::int64_t>(second.jobs));
  row.raw("some", json_array(second.some, append_job_id));
}

void append_total(std::string& out, const std::pair<core::job_id, std::uint64_t>& total) {
  json_object row{out};
  std::string job;
  append_job_id(job, total.first);
  row.raw("job", job);
  row.number("count", static_cast<std::int64_t>(total.second));
}

void append_counts(json_object& reply, const core::counts_report& report, const core::counted_firings& of,
                   const core::counts_search& search) {
  reply.number("bucket_ms", search.bucket.count());
  reply.number("buckets_from_ms", core::to_ms(report.buckets_from));
  reply.number("from_ms", core::to_ms(search.from));
  reply.number("to_ms", core::to_ms(search.until));
  reply.number("walked_to_ms", core::to_ms(report.walked_until));
  reply.boolean("truncated", report.walked_until < search.until);
  reply.number("firings", static_cast<std::int64_t>(of.firings));
  reply.raw("counts", json_array(of.counts, append_count));
  reply.raw("top", json_array(of.top, append_busy));
  reply.raw("jobs", json_array(of.jobs, append_total));
  reply.raw("cannot_be_planned", json_array(report.bad, append_job_id));
}

std::string side_of_change(const core::counts_report& report, const core::counted_firings& of,
                           const core::counts_search& search) {
  return json_object_of([&](json_object& reply) {
    append_counts(reply, report, of, search);
    reply.raw("own", json_array(of.own, append_busy));
  });
}

core::schedule_options read_timing(api_members& in) {
  core::schedule_options timing;
  const auto instant = [&in](std::string_view name) -> std::optional<core::time_point> {
    const auto ms = in.maybe_number(name, 0, core::latest_ms);
    return ms ? std::optional{core::from_ms(*ms)} : std::nullopt;
  };
  timing.time_zone = in.text("time_zone");
  timing.interval_ms = in.maybe_number("interval_ms");
  timing.start_at = instant("start_at_ms");
  timing.end_at = instant("end_at_ms");
  if (const auto jitter = in.maybe_number("jitter_ms", 1, core::jitter_ms_max))
    timing.jitter_ms = static_cast<std::int32_t>(*jitter);
  return timing;
}

core::changed_schedule read_change(api_members& in) {
  core::changed_schedule change;
  change.job = core::job_id{in.maybe_id("job").value_or(0)};
  bool present = false;
  in.object("schedule", [&change, &present](api_members& schedule) {
    present = true;
    const auto type = core::find_schedule_type(schedule.needed_text("type"));
    if (!type)
      schedule.wrong("type", "must be NONE, CRON or FIX_RATE");
    change.type = type.value_or(core::schedule_type::none);
    change.conf = schedule.text("conf");
  });
  if (!present)
    in.wrong("schedule", "is missing");
  change.timing = read_timing(in);
  if (change.conf.empty() && change.timing.interval_ms)
    change.conf = core::rate_text_of(*change.timing.interval_ms);
  return change;
}

} // namespace

core::result<api_counts_request> api_counts_of(const form& sent, core::time_point now) {
  const auto group = api_id_of(sent, "group");
  const auto job = api_id_of(sent, "job");
  if (!group || !job)
    return tl::unexpected{group ? job.error() : group.error()};
  sent_counts numbers;
  for (const auto& [name, value] : {std::pair{"from_ms", &numbers.from_ms}, std::pair{"to_ms", &numbers.to_ms},
                                    std::pair{"bucket_ms", &numbers.bucket_ms}, std::pair{"top", &numbers.top}}) {
    const auto number = api_number_of(sent, name);
    if (!number)
      return tl::unexpected{number.error()};
    *value = *number;
  }
  const auto search = search_of(numbers, now);
  if (!search)
    return tl::unexpected{search.error()};
  api_counts_request wanted;
  if (*group)
    wanted.group = core::group_id{**group};
  if (*job)
    wanted.job = core::job_id{**job};
  wanted.search = *search;
  return wanted;
}

core::result<api_what_if> parse_api_what_if(std::string_view body, core::time_point now) {
  struct sent_change {
    api_what_if wanted;
    sent_counts numbers;
  };
  auto sent = read_api_object(body, [](api_members& in) {
    sent_change out;
    if (const auto group = in.maybe_id("group"))
      out.wanted.group = core::group_id{*group};
    out.wanted.change = read_change(in);
    out.numbers = {in.maybe_number("from_ms"), in.maybe_number("to_ms"), in.maybe_number("bucket_ms"), in.maybe_number("top")};
    return out;
  });
  if (!sent)
    return tl::unexpected{std::move(sent.error())};
  const auto search = search_of(sent->numbers, now);
  if (!search)
    return tl::unexpected{search.error()};
  sent->wanted.search = *search;
  return std::move(sent->wanted);
}

std::string api_counts(const core::counts_report& report, const core::counts_search& search) {
  return json_object_of([&](json_object& reply) { append_counts(reply, report, report.before, search); });
}

std::string api_counts_of_change(const core::counts_report& report, const core::counts_search& search) {
  return json_object_of([&](json_object& reply) {
    reply.raw("before", side_of_change(report, report.before, search));
    reply.raw("after", side_of_change(report, report.after.value_or(core::counted_firings{}), search));
  });
}

std::string api_preview(const api_previewed& preview) {
  return json_object_of([&](json_object& reply) {
    const auto append_time = [](std::string& out, core::time_point at) { append_json(out, core::to_ms(at)); };
    reply.raw("next_ms", json_array(preview.times, append_time));
    reply.text("zone", preview.zone.name());
    append_text_or_null(reply, "words", preview.words);
    reply.raw("notes", json_array(preview.notes, [](std::string& out, const core::schedule_note& note) {
                json_object row{out};
                row.text("code", to_string(note.code));
                append_instant(row, "at_ms", note.at);
              }));
  });
}

std::string api_schedule_mistake(const core::schedule_mistake& wrong) {
  return json_object_of([&](json_object& row) {
    row.text("pointer", wrong.pointer);
    row.text("code", wrong.code);
    row.text("detail", api_schedule_text(wrong.detail));
    if (!wrong.position)
      return;
    row.number("position", static_cast<std::int64_t>(*wrong.position));
    row.number("length", static_cast<std::int64_t>(wrong.length));
  });
}

} // namespace ringmaster::protocol::wire
