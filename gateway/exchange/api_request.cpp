#include "gateway/exchange/api_request.hpp"

#include <algorithm>

#include "core/text/ascii_case.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::string_view json_type = "application/json";

/// Compares the media type, without its parameters and without case.
bool is_json(std::string_view type) noexcept {
  return core::equal_without_case(type.substr(0, type.find_first_of("; \t")), json_type);
}

} // namespace

bool takes_json(const exchange& ex) {
  const auto* type = ex.request().find_header("Content-Type");
  if (ex.request().body.empty() || (type && is_json(*type)))
    return true;
  ex.problem(415, "the body must be JSON: send Content-Type: application/json");
  return false;
}

std::optional<wanted_tag> read_tag(const exchange& ex) {
  auto wanted = wanted_tag_of(ex.request());
  if (!wanted)
    ex.reject(wanted.error());
  else if (*wanted || ex.request().method == "DELETE")
    return wanted->value_or(wanted_tag{});
  else
    ex.problem(428, "missing If-Match: send the ETag that GET returns at the same path");
  return std::nullopt;
}

void tell_json(const exchange& ex, std::string body, unsigned status, protocol::http_headers headers) {
  headers.emplace_back("Cache-Control", "no-store");
  ex.respond({status, std::string{json_type}, std::move(body), std::move(headers)});
}

void tell_nothing(const exchange& ex) { ex.respond({204, {}, {}, {{"Cache-Control", "no-store"}}}); }

void tell_made(const exchange& ex, std::string_view collection, std::int64_t id) {
  const auto number = std::to_string(id);
  tell_json(ex, R"({"id":)" + number + '}', 201, {{"Location", ex.location(std::string{collection} + '/' + number)}});
}

std::optional<std::int64_t> next_position(const protocol::wire::api_cursor& from, std::size_t rows, std::int64_t total) {
  const auto end = from.place + static_cast<std::int64_t>(rows);
  return rows > 0 && end < total ? std::optional{end} : std::nullopt;
}

} // namespace ringmaster::gateway
