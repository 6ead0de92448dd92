#include "gateway/transport/io/reply_text.hpp"

#include <algorithm>

#include "core/text/ascii_case.hpp"

namespace ringmaster::gateway::http {

namespace {

std::string_view reason(unsigned status) noexcept {
  switch (status) {
  case 200: return "OK";
  case 201: return "Created";
  case 202: return "Accepted";
  case 204: return "No Content";
  case 206: return "Partial Content";
  case 301: return "Moved Permanently";
  case 302: return "Found";
  case 303: return "See Other";
  case 304: return "Not Modified";
  case 307: return "Temporary Redirect";
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 406: return "Not Acceptable";
  case 409: return "Conflict";
  case 412: return "Precondition Failed";
  case 413: return "Content Too Large";
  case 415: return "Unsupported Media Type";
  case 416: return "Range Not Satisfiable";
  case 422: return "Unprocessable Content";
  case 428: return "Precondition Required";
  case 429: return "Too Many Requests";
  case 431: return "Request Header Fields Too Large";
  case 500: return "Internal Server Error";
  case 501: return "Not Implemented";
  case 503: return "Service Unavailable";
  case 504: return "Gateway Timeout";
  default: return "Status";
  }
}

bool is_token(std::string_view text) noexcept {
  constexpr std::string_view special = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           special.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) noexcept {
  return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

/// Returns true for header names that only the transport writes, in lower case.
bool frames_message(std::string_view name) noexcept {
  auto is = [name](std::string_view other) { return core::equal_without_case(name, other); };
  return is("content-length") || is("transfer-encoding") || is("connection") || is("keep-alive") || is("content-type") ||
         is("host");
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

} // namespace

void append_reply_head(std::string& out, const protocol::http_response& response, const reply_end& end) {
  if (response.status == 200)
    out.append("HTTP/1.1 200 OK\r\n");
  else
    out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ").append(reason(response.status)).append("\r\n");
  if (!end.keep_alive) {
    out.append("Connection: close\r\n");
  } else {
    out.append("Connection: keep-alive\r\n");
    if (end.idle_seconds > 0)
      append_header(out, "Keep-Alive", "timeout=" + std::to_string(end.idle_seconds));
  }
  if (!response.content_type.empty() && is_value(response.content_type))
    append_header(out, "Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) {
    if (is_token(name) && is_value(value) && !frames_message(name))
      append_header(out, name, value);
  }
  if (const auto bytes = response.content_bytes(); !bytes && end.in_chunks)
    append_header(out, "Transfer-Encoding", "chunked");
  else if (bytes && response.status != 204)
    append_header(out, "Content-Length", std::to_string(*bytes));
  out.append("\r\n");
}

void append_request(std::string& out, std::string_view authority, const protocol::http_call& call) {
  out.append("POST ").append(call.target).append(" HTTP/1.1\r\n");
  append_header(out, "Host", authority);
  append_header(out, "Content-Type", "application/json;charset=UTF-8");
  for (const auto& [name, value] : call.headers)
    append_header(out, name, value);
  append_header(out, "Content-Length", std::to_string(call.body.size()));
  out.append("\r\n").append(call.body);
}

std::string_view request_defect(const protocol::http_call& call) noexcept {
  if (!call.target.starts_with('/') ||
      std::any_of(call.target.begin(), call.target.end(), [](char c) { return c <= ' ' || c > '~'; }))
    return "invalid characters in the path";
  for (const auto& [name, value] : call.headers) {
    if (!is_token(name) || !is_value(value) || frames_message(name))
      return "invalid header";
  }
  return {};
}

protocol::http_response plain_reply(unsigned status, std::string_view message) {
  const std::string_view kind = status == 503                    ? "unavailable"
                                : status == 413 || status == 431 ? "too_large"
                                : status == 500                  ? "internal"
                                                                 : "invalid_argument";
  const auto number = std::to_string(status);
  protocol::http_response response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body.append(R"({"type":"urn:ringmaster:)").append(kind).append(R"(","title":")").append(reason(status));
  response.body.append(R"(","status":)").append(number).append(R"(,"detail":")").append(message);
  response.body.append(R"(","code":)").append(number).append(R"(,"msg":")").append(message).append(R"("})");
  return response;
}

} // namespace ringmaster::gateway::http
