#include "gateway/handlers/xxl/handlers.hpp"

#include <utility>

#include "gateway/exchange/web_form.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/job_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;
using core::refusal;
using wire::form;

core::result<protocol::run_log_query> log_query_of(const form& sent) {
  const auto run = sent.needed_int64("logId");
  const auto from = sent.needed_int32("fromLineNum");
  if (!run || !from)
    return tl::unexpected{run ? from.error() : run.error()};
  return protocol::run_log_query{core::log_id{*run}, *from, {}};
}

/// A reader past the last line of a finished run has seen everything, whatever its executor says.
bool is_end(const core::run_log& log) noexcept { return log.end || (log.from_line > log.to_line && log.run.handle_code > 0); }

core::time_point midnight_of(core::time_point t, const core::zone& where) {
  const core::local_time day = std::chrono::floor<std::chrono::days>(where.to_local(t));
  return where.to_instant(where.end_of_gap(day)).value_or(t);
}

void tell_chart(const exchange& ex, const std::vector<core::day_report>& days) {
  const auto& where = ex.services().web.zone;
  ex.tell(wire::success_with(wire::chart(days, midnight_of(ex.services().now(), where), where), ex.style()));
}

/// Returns nothing when no dates were sent.
core::result<std::optional<protocol::report_query>> report_of(const form& sent, const core::zone& where, wire::dialect dialect) {
  const auto from = sent.text_or_empty("startDate");
  const auto to = sent.text_or_empty("endDate");
  if (from.empty() && to.empty() && dialect == wire::dialect::xxl2)
    return std::nullopt;
  const auto begin = wire::parse_local_time(from, where);
  const auto end = wire::parse_local_time(to, where);
  if (!begin || !end)
    return core::fail(core::errc::invalid_argument, std::string{"the parameter "}.append(begin ? "endDate" : "startDate") +
                                                      " must be a time of the form yyyy-MM-dd HH:mm:ss");
  // XXL's bounds are inclusive, and the column of days has whole seconds.
  return protocol::report_query{*begin, *end + std::chrono::seconds{1}};
}

} // namespace

void run_list(exchange ex) {
  const auto& where = ex.services().web.zone;
  auto search = read_form(ex, [&](const form& sent) { return wire::run_search_of(sent, where, ex.style().dialect); });
  if (!search)
    return ex.reject(search.error());
  ex.ask<protocol::run_page>(ex.services().partners.runs, protocol::run_page_query{std::move(*search), ex.who()},
                             [](const exchange& waiting, const protocol::run_page& reply) {
                               const auto& zone = waiting.services().web.zone;
                               tell_page(waiting, reply.page, wire::run_rows(reply.page.rows, zone, waiting.style()));
                             });
}

void jobs_by_group(exchange ex) {
  const auto group = read_form(ex, [](const form& sent) { return id_of<core::group_id>(sent, "jobGroup"); });
  if (!group)
    return ex.reject(group.error());
  core::job_search search;
  search.group = *group;
  search.window.limit = core::page_rows_max;
  ex.ask<protocol::job_page>(
    ex.services().partners.jobs, protocol::job_page_query{std::move(search), ex.who()},
    [](const exchange& waiting, const protocol::job_page& reply) {
      waiting.tell(wire::success_with(wire::job_rows(reply.page.rows, waiting.style()), waiting.style()));
    });
}

void log_part(exchange ex) {
  auto query = read_form(ex, log_query_of);
  if (!query)
    return ex.reject(query.error());
  query->by = ex.who();
  ex.ask<core::run_log>(
    ex.services().partners.runs, std::move(*query),
    [](const exchange& waiting, const core::run_log& log) {
      const auto part = wire::log_part(log.from_line, log.to_line, log.content, is_end(log));
      waiting.tell(wire::success_with(part, waiting.style()));
    },
    missing_is(refusal::run_id_illegal));
}

void run_kill(exchange ex) {
  const auto id = read_form(ex, [](const form& sent) { return sent.needed_int64("id"); });
  if (!id)
    return ex.reject(id.error());
  ex.ask<protocol::run_killed>(
    ex.services().partners.runs, protocol::kill_run{core::log_id{*id}, ex.who()},
    [](const exchange& waiting, const protocol::run_killed& killed) {
      const auto& said = killed.message;
      waiting.tell(said.empty() ? wire::success(waiting.style()) : wire::success_text(said, waiting.style()));
    },
    missing_is(refusal::run_id_illegal));
}

void runs_clear(exchange ex) {
  auto search = read_form(
    ex, [&](const form& sent) { return wire::clear_search_of(sent, ex.services().web.zone, ex.services().now()); });
  if (!search)
    return ex.reject(search.error());
  ex.ask<protocol::runs_cleared>(ex.services().partners.runs, protocol::clear_runs{*search, ex.who()},
                                 [](const exchange& waiting, const protocol::runs_cleared&) { tell_done(waiting); });
}

void chart(exchange ex) {
  const auto query =
    read_form(ex, [&](const form& sent) { return report_of(sent, ex.services().web.zone, ex.style().dialect); });
  if (!query)
    return ex.reject(query.error());
  if (!*query)
    return tell_chart(ex, {});
  ex.ask<protocol::day_reports>(
    ex.services().partners.runs, **query,
    [](const exchange& waiting, const protocol::day_reports& reports) { tell_chart(waiting, reports.days); });
}

} // namespace ringmaster::gateway::handlers
