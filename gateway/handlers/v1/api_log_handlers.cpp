// The log of a run as a file, and the search in it.

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/exchange/byte_range.hpp"
#include "gateway/exchange/gzip.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/wire/v1/api_runs.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;
using wire::form;

/// The whole log may have to be read from its executor first.
constexpr std::chrono::seconds whole_log_takes{62};
constexpr std::string_view text_type = "text/plain; charset=utf-8";

/// Answers with a range, or with all bytes.
void tell_bytes(const exchange& ex, const protocol::run_file& file, std::string_view etag, protocol::http_headers headers) {
  headers.emplace_back("Accept-Ranges", "bytes");
  const auto [is_satisfiable, part] = wanted_range_of(ex.request(), file.bytes, etag);
  if (!is_satisfiable) {
    headers.emplace_back("Content-Range", "bytes */" + std::to_string(file.bytes));
    return ex.problem(416, "the log has fewer bytes", std::move(headers));
  }
  const auto sent = part.value_or(byte_range{0, file.bytes});
  if (part)
    headers.emplace_back("Content-Range", "bytes " + std::to_string(sent.offset) + '-' +
                                            std::to_string(sent.offset + sent.bytes - 1) + '/' + std::to_string(file.bytes));
  protocol::http_response response{part ? 206U : 200U, std::string{text_type}, {}, std::move(headers)};
  if (sent.bytes > 0)
    response.source = file.open(sent.offset, sent.bytes);
  ex.respond(std::move(response));
}

void tell_compressed(const exchange& ex, const protocol::run_file& file, gzip_turns::turn turn,
                     protocol::http_headers headers) {
  auto source = compressed(file.open(0, file.bytes), std::move(turn));
  if (!source)
    return ex.problem(503, "the server has no memory to compress the log");
  headers.emplace_back("Content-Encoding", "gzip");
  protocol::http_response response{200, std::string{text_type}, {}, std::move(headers)};
  response.source = std::move(source);
  ex.respond(std::move(response));
}

void tell_file(const exchange& ex, const protocol::run_file& file, bool is_merged) {
  // Ranges are of the plain bytes, and a compressed part would be no part of the compressed whole.
  const bool may_be_gzip = file.bytes > 0 && !ex.request().find_header("Range") && takes_gzip(ex.request());
  const auto name = "run-" + std::to_string(core::number(file.run)) + (is_merged ? "-merged" : "");
  const auto version = file.version.empty() ? std::to_string(file.bytes) : file.version;
  const auto etag_as = [&](bool is_gzip) {
    return etag_of(name + '-' + version + (file.end ? "-end" : "") + (is_gzip ? "-gzip" : ""));
  };
  const bool is_known = has_already(ex.request(), etag_as(may_be_gzip));
  // Without a turn the bytes are sent plain.
  auto turn = may_be_gzip && !is_known ? ex.services().compressions.take() : nullptr;
  const auto etag = etag_as(is_known ? may_be_gzip : turn != nullptr);
  protocol::http_headers headers{{"Cache-Control", "private, no-cache"},
                                 {"ETag", etag},
                                 {"Vary", "Accept-Encoding"},
                                 {"Content-Disposition", "attachment; filename=\"" + name + ".log\""}};
  if (is_known)
    return ex.respond({304, {}, {}, std::move(headers)});
  if (!file.partial_reason.empty())
    headers.emplace_back("Ringmaster-Partial", "true");
  if (turn)
    tell_compressed(ex, file, std::move(turn), std::move(headers));
  else
    tell_bytes(ex, file, etag, std::move(headers));
}

core::result<core::log_search> log_search_of(const form& sent) {
  core::log_search search;
  search.wanted = sent.text_or_empty("q");
  if (search.wanted.empty() || search.wanted.size() > core::log_wanted_bytes_max ||
      search.wanted.find('\n') != std::string::npos)
    return core::fail(core::errc::invalid_argument, "the parameter q must be a text of 1 to 256 bytes without a line end");
  const auto match_case = wire::boolean_of(sent, "case");
  const auto from = wire::api_number_of(sent, "from_line");
  const auto limit = wire::api_number_of(sent, "limit");
  if (!match_case || !from || !limit)
    return tl::unexpected{!match_case ? match_case.error() : !from ? from.error() : limit.error()};
  const auto line = from->value_or(1);
  const auto most = limit->value_or(static_cast<std::int64_t>(core::log_matches_max));
  if (line < 1 || line > std::numeric_limits<std::int32_t>::max())
    return core::fail(core::errc::invalid_argument, "the parameter from_line must be a 32-bit number of at least 1");
  if (most < 1 || most > static_cast<std::int64_t>(core::log_matches_max))
    return core::fail(core::errc::invalid_argument, "the parameter limit must be a number from 1 to 200");
  search.match_case = match_case->value_or(false);
  search.from_line = static_cast<std::int32_t>(line);
  search.limit = static_cast<std::size_t>(most);
  return search;
}

} // namespace

void run_log_search(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  auto search = id ? read_query(ex, log_search_of) : std::nullopt;
  if (!search)
    return;
  ex.ask<protocol::log_matches>(
    ex.services().partners.runs, protocol::run_search_query{*id, ex.who(), std::move(*search)},
    [](const exchange& waiting, const protocol::log_matches& found) {
      tell_json(waiting, wire::api_log_matches(found.matches, found.scanned_to, found.next_line, found.partial_reason));
    });
}

void run_log_file(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  const auto merged = id ? read_query(ex, [](const form& sent) { return wire::boolean_of(sent, "merged"); }) : std::nullopt;
  if (!merged)
    return;
  const bool is_merged = merged->value_or(false);
  ex.hold(is_merged ? merging_takes : whole_log_takes);
  ex.ask<protocol::run_file>(
    ex.services().partners.runs, protocol::run_file_query{*id, ex.who(), is_merged},
    [is_merged](const exchange& waiting, const protocol::run_file& file) { tell_file(waiting, file, is_merged); });
}

} // namespace ringmaster::gateway::handlers::v1
