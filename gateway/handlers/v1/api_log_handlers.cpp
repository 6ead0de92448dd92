// The log of a run as a file.

#include <string>
#include <utility>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/exchange/byte_range.hpp"
#include "gateway/handlers/v1/handlers.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

/// The whole log may have to be read from its executor first.
constexpr std::chrono::seconds whole_log_takes{62};

void tell_file(const exchange& ex, const protocol::run_file& file) {
  const auto name = "run-" + std::to_string(core::number(file.run));
  const auto etag = etag_of(name + '-' + std::to_string(file.bytes) + (file.end ? "-end" : ""));
  protocol::http_headers headers{{"Cache-Control", "private, no-cache"},
                                 {"ETag", etag},
                                 {"Accept-Ranges", "bytes"},
                                 {"Content-Disposition", "attachment; filename=\"" + name + ".log\""}};
  if (has_already(ex.request(), etag))
    return ex.respond({304, {}, {}, std::move(headers)});
  if (!file.partial_reason.empty())
    headers.emplace_back("Ringmaster-Partial", "true");
  const auto [is_satisfiable, part] = wanted_range_of(ex.request(), file.bytes, etag);
  if (!is_satisfiable) {
    headers.emplace_back("Content-Range", "bytes */" + std::to_string(file.bytes));
    return ex.problem(416, "the log has fewer bytes", std::move(headers));
  }
  const auto sent = part.value_or(byte_range{0, file.bytes});
  if (part)
    headers.emplace_back("Content-Range", "bytes " + std::to_string(sent.offset) + '-' +
                                            std::to_string(sent.offset + sent.bytes - 1) + '/' + std::to_string(file.bytes));
  protocol::http_response response{part ? 206U : 200U, "text/plain; charset=utf-8", {}, std::move(headers)};
  if (sent.bytes > 0)
    response.source = file.open(sent.offset, sent.bytes);
  ex.respond(std::move(response));
}

} // namespace

void run_log_file(exchange ex) {
  const auto id = id_in_path<core::log_id>(ex);
  if (!id)
    return;
  ex.hold(whole_log_takes);
  ex.ask<protocol::run_file>(ex.services().partners.runs, protocol::run_file_query{*id, ex.who()}, tell_file);
}

} // namespace ringmaster::gateway::handlers::v1
