#include "gateway/handlers/v1/handlers.hpp"

#include <limits>
#include <utility>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_reports.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;
using wire::form;

constexpr std::int64_t wait_s_max = 30;

struct log_request {
  std::int32_t from_line = 1;
  std::chrono::seconds wait{0};
  bool merged = false;
  core::piece_limits limits = {};
};

/// Reads a number from `low` to `high`.
core::result<std::optional<std::int64_t>> number_within(const form& sent, std::string_view name, std::int64_t low,
                                                        std::int64_t high) {
  auto value = wire::api_number_of(sent, name);
  if (value && *value && (**value < low || **value > high))
    return core::fail(core::errc::invalid_argument, "the parameter " + std::string{name} + " must be a number from " +
                                                      std::to_string(low) + " to " + std::to_string(high));
  return value;
}

/// Least size of a piece: room for the longest character, and then some.
constexpr std::int64_t piece_bytes_min = 256;

/// Reads the limits of a piece; nothing if there are none.
core::result<std::optional<core::piece_limits>> limits_of(const form& sent) {
  const auto lines = number_within(sent, "max_lines", 1, core::piece_lines_max);
  const auto bytes = number_within(sent, "max_bytes", piece_bytes_min, static_cast<std::int64_t>(core::piece_bytes_max));
  const auto tail = number_within(sent, "tail", 1, core::piece_lines_max);
  for (const auto* each : {&lines, &bytes, &tail})
    if (!*each)
      return tl::unexpected{each->error()};
  if (!*lines && !*bytes && !*tail)
    return std::nullopt;
  core::piece_limits limits;
  limits.lines = static_cast<std::int32_t>(lines->value_or(core::piece_lines_max));
  limits.bytes = static_cast<std::size_t>(bytes->value_or(core::piece_bytes_max));
  if (*tail)
    limits.tail = static_cast<std::int32_t>(**tail);
  return limits;
}

core::result<log_request> log_wish_of(const form& sent) {
  const auto from = wire::api_number_of(sent, "from_line");
  const auto wait = wire::api_number_of(sent, "wait_s");
  const auto merged = wire::boolean_of(sent, "merged");
  if (!from || !wait || !merged)
    return tl::unexpected{!from ? from.error() : !wait ? wait.error() : merged.error()};
  const auto limits = limits_of(sent);
  if (!limits)
    return tl::unexpected{limits.error()};
  if (merged->value_or(false) && (*from || *wait || *limits))
    return core::fail(core::errc::invalid_argument,
                      "from_line, wait_s, max_lines, max_bytes and tail cannot be combined with merged=true");
  if (*wait && *limits)
    return core::fail(core::errc::invalid_argument, "max_lines, max_bytes and tail cannot be combined with wait_s");
  if (*from && *limits && (*limits)->tail)
    return core::fail(core::errc::invalid_argument, "from_line cannot be combined with tail");
  const auto line = from->value_or(1);
  if (line < 1 || line > std::numeric_limits<std::int32_t>::max())
    return core::fail(core::errc::invalid_argument, "the parameter from_line must be a 32-bit number of at least 1");
  const auto wait_s = wait->value_or(0);
  if (wait_s < 0 || wait_s > wait_s_max)
    return core::fail(core::errc::invalid_argument, "the parameter wait_s must be a number from 0 to 30");
  return log_request{static_cast<std::int32_t>(line), std::chrono::seconds{wait_s}, merged->value_or(false),
                     limits->value_or(core::piece_limits{})};
}

/// The ETag is made of sizes, because a log only grows.
std::string etag_of_log(const core::run_log& log) {
  auto tag = '"' + std::to_string(log.from_line) + '-' + std::to_string(log.to_line) + '-' + std::to_string(log.content.size());
  if (log.lines)
    tag += "-of-" + std::to_string(*log.lines);
  if (!log.partial_reason.empty())
    tag += "-partial";
  return tag + (log.more ? "-more" : "") + (log.end ? "-end" : "") + (log.kept ? "-kept\"" : "\"");
}

void tell_log(const exchange& ex, const core::run_log& log) {
  auto etag = etag_of_log(log);
  // Cached by the caller only, and only to ask again with the ETag.
  protocol::http_headers headers{{"Cache-Control", "private, no-cache"}, {"ETag", etag}};
  if (has_already(ex.request(), etag))
    return ex.respond({304, {}, {}, std::move(headers)});
  ex.respond({200, "application/json", wire::api_log(log), std::move(headers)});
}

/// Returns a function that says whether the caller has that part of the log. Any thread, so it does not hold the exchange.
std::function<bool(const core::run_log&)> is_known_to(const exchange& ex) {
  protocol::http_request about;
  if (const auto* tags = ex.request().find_header("If-None-Match"))
    about.headers.emplace_back("If-None-Match", *tags);
  return [about = std::move(about)](const core::run_log& log) { return has_already(about, etag_of_log(log)); };
}

} // namespace

void run_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_run_search_of, 0);
  if (!query)
    return;
  const auto limit = query->first.ids.empty() ? query->second.limit : wire::api_run_ids_max + 1;
  // `api_run_page` leaves out the other rows. A count alone has no pages that could follow.
  query->first.only_complete = limit > 0;
  const bool is_first = !query->first.before;
  ex.ask<protocol::run_page>(
    ex.services().partners.runs, protocol::run_page_query{std::move(query->first), ex.who()},
    [limit, is_first](const exchange& waiting, const protocol::run_page& reply) {
      tell_json(waiting, wire::api_run_page(reply.page, reply.names, limit, is_first));
    });
}

void run_read(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::run_found>(
    ex.services().partners.runs, protocol::run_query{*id, ex.who()},
    [](const exchange& waiting, const protocol::run_found& found) { tell_json(waiting, wire::api_run(found.run, found.names)); });
}

void run_related(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::related_found>(ex.services().partners.runs, protocol::related_query{*id, ex.who()},
                                  [](const exchange& waiting, const protocol::related_found& found) {
                                    tell_json(waiting, wire::api_related_runs(found.related, found.names));
                                  });
}

void run_log(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  const auto wanted = id ? read_query(ex, log_wish_of) : std::nullopt;
  if (!wanted)
    return;
  protocol::run_log_query query{*id, wanted->from_line, ex.who(), wanted->merged, wanted->limits};
  if (wanted->merged)
    ex.hold(merging_takes);
  if (wanted->wait.count() == 0)
    return ex.ask<core::run_log>(ex.services().partners.runs, std::move(query), tell_log);
  ex.hold(wanted->wait);
  ex.ask<core::run_log>(ex.services().partners.followed_logs,
                        protocol::follow_log{std::move(query), wanted->wait, is_known_to(ex), ex.is_awaited()}, tell_log);
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
  const auto asked = read_query(ex, wire::api_report_search_of);
  if (!asked)
    return;
  protocol::report_query query{asked->search.from, asked->search.to};
  if (!asked->is_daily) {
    query.counted = asked->search;
    query.by = ex.who();
  }
  ex.ask<protocol::day_reports>(ex.services().partners.runs, std::move(query),
                                [by_hour = asked->search.by_hour](const exchange& waiting, const protocol::day_reports& reports) {
                                  const auto& where = waiting.services().web.zone;
                                  tell_json(waiting, wire::api_reports(reports.days, where, by_hour));
                                });
}

} // namespace ringmaster::gateway::handlers::v1
