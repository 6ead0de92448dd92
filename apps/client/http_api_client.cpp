// The HTTP client of the commands: libcurl, one transfer at a time.

#include "apps/client/http_api_client.hpp"

#include <algorithm>
#include <utility>

#include <arpa/inet.h>

#include "apps/client/api_queries.hpp"
#include "apps/client/refusal_text.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/text/text.hpp"
#include "protocol/curl/curl_transfer.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

using core::errc;

constexpr std::chrono::milliseconds connect_max{10'000};
/// Longer than any response of a server takes (`server.reply_timeout`), and longer than a server waits for more of a log.
constexpr std::chrono::milliseconds answer_max{90'000};
constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;
constexpr std::string_view api_root = "/api/v1";
constexpr std::string_view json_type = "application/json";
constexpr std::size_t shown_chars_max = 1000;
constexpr std::size_t shown_lines_max = 1000;

bool is_loopback(const std::string& host) {
  const auto bare = host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, bare.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24U) == 127;
  if (::inet_pton(AF_INET6, bare.c_str(), &v6) == 1)
    return IN6_IS_ADDR_LOOPBACK(&v6);
  return bare == "localhost"; // libcurl resolves it without a lookup
}

/// Returns the URL without a trailing slash.
core::result<std::string> checked_url(const server_place& place) {
  const protocol::called_url url{place.url};
  const auto shown = one_line(place.url);
  if (!url.is_http())
    return core::fail(errc::invalid_argument, '"' + shown + "\" is not a server address; expected https://host:port");
  if (url.has_account() || !url.part(CURLUPART_QUERY).empty() || !url.part(CURLUPART_FRAGMENT).empty())
    return core::fail(errc::invalid_argument, "a server address consists of a host, a port and a path only");
  if (url.part(CURLUPART_SCHEME) == "http" && !place.insecure_http && !is_loopback(url.part(CURLUPART_HOST)))
    return core::fail(errc::invalid_argument, "the API key would be sent unencrypted to " + shown +
                                                ": use https://, or --insecure-http on a trusted network");
  auto base = url.part(CURLUPART_URL);
  while (base.ends_with('/'))
    base.pop_back();
  return base;
}

/// A response.
struct reply {
  long status = 0;
  std::string type;
  std::string place;
  std::string etag;
  std::string body;
};

/// Makes the untrusted lines of a response safe for a terminal.
std::string shown_lines(std::string_view text) {
  std::string out;
  for (std::size_t lines = 0; !text.empty() && lines < shown_lines_max; ++lines) {
    const auto end = std::min(text.find('\n'), text.size());
    out.append(lines == 0 ? "" : "\n").append(core::cut_characters(one_line(std::string{text.substr(0, end)}), shown_chars_max));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Maps a status to an error code (docs/http_api.md, Errors).
errc code_of(long status) noexcept {
  switch (status) {
  case 400: return errc::invalid_argument;
  case 401:
  case 403: return errc::forbidden;
  case 404: return errc::not_found;
  case 409:
  case 412: return errc::conflict;
  case 413: return errc::too_large;
  case 429:
  case 503: return errc::unavailable;
  default: return errc::internal;
  }
}

class http_api_client final : public api_client {
public:
  http_api_client(std::string base, server_place place, core::zone zone)
    : base_{std::move(base)}, place_{std::move(place)}, zone_{std::move(zone)} {}

  core::result<tagged_document> ask_tagged(const api_question& what) override;
  const core::zone& zone() const override { return zone_; }
  bool is_server() const override { return true; }

private:
  core::result<reply> send(const api_question& what);
  void prepare(const api_question& what, const std::string& body);
  core::error failure(CURLcode code) const;
  core::error refusal(const reply& got, std::string_view target) const;
  [[nodiscard]] core::error stranger(const reply& got) const;

  std::string base_;
  server_place place_;
  core::zone zone_;
  protocol::curl_transfer transfer_;
};

core::result<tagged_document> http_api_client::ask_tagged(const api_question& what) {
  auto got = send(what);
  if (!got)
    return tl::unexpected{got.error()};
  if (got->status < 200 || got->status >= 300)
    return tl::unexpected{refusal(*got, what.target)};
  if (got->status == 204)
    return tagged_document{};
  if (!got->type.starts_with(what.answer_type))
    return tl::unexpected{stranger(*got)};
  if (what.answer_type != json_type)
    return tagged_document{api_document(std::move(got->body)), std::move(got->etag)};
  auto answer = api_document::parse(got->body, nullptr, false);
  if (!answer.is_object())
    return tl::unexpected{stranger(*got)};
  return tagged_document{std::move(answer), std::move(got->etag)};
}

core::result<reply> http_api_client::send(const api_question& what) {
  if (!transfer_)
    return core::fail(errc::unavailable, "cannot create a libcurl handle");
  const auto body = body_text(what.body);
  if (!body)
    return tl::unexpected{body.error()};
  prepare(what, *body);
  if (const auto code = transfer_.perform(); code != CURLE_OK) {
    auto why = failure(code);
    (void)transfer_.release_answer(); // the transfer outlives the call, and would keep the part that was read
    return tl::unexpected{std::move(why)};
  }
  return reply{transfer_.status(), transfer_.info(CURLINFO_CONTENT_TYPE), transfer_.info(CURLINFO_REDIRECT_URL),
               transfer_.header("ETag"), transfer_.release_answer()};
}

void http_api_client::prepare(const api_question& what, const std::string& body) {
  // Bypasses proxies without TLS, because a proxy would read the key.
  transfer_.begin(base_ + std::string{api_root} + what.target,
                  {.timeout = answer_max,
                   .connect_timeout = connect_max,
                   .proxies = !base_.starts_with("http:"),
                   .answer = protocol::bounded_answer{answer_bytes_max, answer_bytes_max}});
  transfer_.add_line("Authorization: Bearer " + place_.token);
  transfer_.add_line("Accept: " + std::string{what.answer_type});
  transfer_.add_line("Content-Type: application/json");
  transfer_.add_line("Accept-Language: en"); // a terminal has one language
  transfer_.add_line("Expect:"); // keeps libcurl from waiting for "100 Continue"
  if (!what.if_match.empty())
    transfer_.add_line("If-Match: " + what.if_match);
  transfer_.set_lines(CURLOPT_HTTPHEADER);
  transfer_.set(CURLOPT_USERAGENT, "ringmaster/" RINGMASTER_VERSION);
  if (place_.ca_file)
    transfer_.trust_only(*place_.ca_file);
  if (what.method != "GET") {
    transfer_.post(body);
    transfer_.set(CURLOPT_CUSTOMREQUEST, what.method.c_str());
  }
}

core::error http_api_client::failure(CURLcode code) const {
  const auto shown = one_line(base_);
  if (transfer_.answer().is_too_long())
    return {errc::too_large, shown + ": the response exceeds 64 MiB"};
  const auto why = one_line(transfer_.problem(code));
  if (code == CURLE_OPERATION_TIMEDOUT)
    return {errc::timeout, shown + " did not respond in time: " + why};
  if (code == CURLE_SSL_CACERT_BADFILE)
    return {errc::invalid_argument, "--ca-file: " + why};
  return {errc::unavailable, shown + " is unreachable: " + why};
}

core::error http_api_client::refusal(const reply& got, std::string_view target) const {
  const auto shown = one_line(base_);
  if (got.status >= 300 && got.status < 400)
    return {errc::unavailable, shown + " redirects to another address (HTTP " + std::to_string(got.status) +
                                 (got.place.empty() ? ")" : ", " + one_line(got.place) + ")") +
                                 "; the API key was not sent there: use that server's address"};
  const bool is_problem = got.type.starts_with("application/problem+json");
  const auto problem = is_problem ? api_document::parse(got.body, nullptr, false) : api_document{};
  if (!problem.is_object() || !problem.contains("detail") || !problem["detail"].is_string())
    return stranger(got);
  if (problem.contains("errors"))
    if (auto lines = shown_lines(protocol::wire::api_problem_lines(got.body)); !core::is_blank(lines))
      return {code_of(got.status), std::move(lines)};
  auto detail = std::string{core::cut_characters(one_line(problem["detail"].get<std::string>()), shown_chars_max)};
  detail = plain_refusal(std::move(detail), target);
  if (got.status == 401)
    detail = shown + ": unknown or expired API key: " + detail;
  return {code_of(got.status), std::move(detail)};
}

core::error http_api_client::stranger(const reply& got) const {
  auto type = std::string{core::cut_characters(one_line(got.type), 80)};
  return {errc::unavailable, one_line(base_) + " does not respond like Ringmaster (HTTP " + std::to_string(got.status) + ", " +
                               (type.empty() ? "no content type" : type) + "): is this the address of a server?"};
}

} // namespace

core::result<std::unique_ptr<api_client>> make_http_desk(const server_place& place) {
  return checked_url(place).and_then([&](std::string&& base) -> core::result<std::unique_ptr<api_client>> {
    auto zone = core::zone::system();
    if (!zone)
      return tl::unexpected{zone.error()};
    return std::make_unique<http_api_client>(std::move(base), place, std::move(*zone));
  });
}

} // namespace ringmaster::apps
