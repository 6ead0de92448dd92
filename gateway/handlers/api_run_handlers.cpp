#include "gateway/handlers/api_run_handlers.hpp"

#include <limits>
#include <utility>

#include "gateway/api_preconditions.hpp"
#include "gateway/api_request.hpp"
#include "protocol/wire/api_runs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;
using wire::form;

/// Newest first: the next page is before the last row.
std::optional<std::int64_t> next_before(const std::vector<core::log_row>& rows, std::size_t limit) {
  return rows.size() >= limit && !rows.empty() ? std::optional{core::number(rows.back().id)} : std::nullopt;
}

core::result<std::int32_t> from_line_of(const form& sent) {
  const auto from = sent.int32("from_line");
  if (!from)
    return tl::unexpected{from.error()};
  const auto line = from->value_or(1);
  if (line < 1)
    return core::fail(core::errc::invalid_argument, "the parameter from_line must be a number from 1 on");
  return line;
}

/// What there is of a log only grows.
std::string etag_of_log(const protocol::run_log& log) {
  return '"' + std::to_string(log.from_line) + '-' + std::to_string(log.to_line) + '-' + std::to_string(log.content.size()) +
         (log.end ? "-end\"" : "\"");
}

void tell_log(const exchange& ex, const protocol::run_log& log) {
  auto etag = etag_of_log(log);
  // Kept by who asked alone, and only to ask again with it.
  protocol::http_headers headers{{"Cache-Control", "private, no-cache"}, {"ETag", etag}};
  if (has_already(ex.request(), etag))
    return ex.respond({304, {}, {}, std::move(headers)});
  ex.respond({200, "application/json", wire::api_log({log.run.id, log.from_line, log.to_line, log.content, log.end}),
              std::move(headers)});
}

core::result<protocol::report_query> report_query_of(const form& sent) {
  const auto from = wire::instant_of(sent, "from_ms");
  const auto to = wire::instant_of(sent, "to_ms");
  if (!from || !to)
    return tl::unexpected{from ? to.error() : from.error()};
  if (!*from || !*to)
    return core::fail(core::errc::invalid_argument, "the parameters from_ms and to_ms are needed");
  return protocol::report_query{**from, **to};
}

} // namespace

void run_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_run_search_of);
  if (!query)
    return;
  ex.ask<protocol::run_page>(ex.services().partners.runs, protocol::run_page_query{std::move(query->first), ex.who()},
                             [limit = query->second.limit](const exchange& waiting, const protocol::run_page& reply) {
                               const auto& [rows, total, capped] = reply.page;
                               tell_json(waiting, wire::api_page(wire::api_runs(rows), next_before(rows, limit), total, capped));
                             });
}

void run_read(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::run_found>(
    ex.services().partners.runs, protocol::run_query{*id, ex.who()},
    [](const exchange& waiting, const protocol::run_found& found) { tell_json(waiting, wire::api_run(found.run)); });
}

void run_log(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  const auto from = id ? read_query(ex, from_line_of) : std::nullopt;
  if (!from)
    return;
  ex.ask<protocol::run_log>(ex.services().partners.runs, protocol::run_log_query{*id, *from, ex.who()}, tell_log);
}

void run_kill(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::run_killed>(ex.services().partners.runs, protocol::kill_run{*id, ex.who()},
                               [](const exchange& waiting, const protocol::run_killed& killed) {
                                 std::string body;
                                 wire::json_object{body}.text("message", killed.message);
                                 tell_json(waiting, std::move(body));
                               });
}

void runs_clear(exchange ex) {
  const auto search = read_json(ex, wire::parse_api_clear);
  if (!search)
    return;
  ex.ask<protocol::runs_cleared>(ex.services().partners.runs, protocol::clear_runs{*search, ex.who()},
                                 [](const exchange& waiting, const protocol::runs_cleared& cleared) {
                                   tell_json(waiting, R"({"removed":)" + std::to_string(cleared.removed) + '}');
                                 });
}

void report_list(exchange ex) {
  const auto query = read_query(ex, report_query_of);
  if (!query)
    return;
  ex.ask<protocol::day_reports>(ex.services().partners.runs, *query,
                                [](const exchange& waiting, const protocol::day_reports& reports) {
                                  const auto& where = waiting.services().web.zone;
                                  tell_json(waiting, wire::api_reports(reports.days, where));
                                });
}

} // namespace ringmaster::gateway::handlers::v1
