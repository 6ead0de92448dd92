// The HTTP client of the commands: libcurl, one transfer at a time.

#include "apps/client/http_api_client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <arpa/inet.h>
#include <curl/curl.h>

#include "apps/client/api_queries.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

using core::errc;

constexpr long connect_ms_max = 10'000;
/// Longer than any response of a server takes (`server.reply_timeout`), and longer than a server waits for more of a log.
constexpr long answer_ms_max = 90'000;
constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;
constexpr std::string_view api_root = "/api/v1";
constexpr std::string_view json_type = "application/json";
constexpr std::size_t shown_chars_max = 1000;
constexpr std::size_t shown_lines_max = 1000;

struct release {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK || !text)
    return {};
  std::string out{text};
  curl_free(text);
  return out;
}

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
  const std::unique_ptr<CURLU, release> url{curl_url()};
  const auto shown = one_line(place.url);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, place.url.c_str(), 0) != CURLUE_OK)
    return core::fail(errc::invalid_argument, '"' + shown + "\" is not a server address; expected https://host:port");
  const auto scheme = part_of(url.get(), CURLUPART_SCHEME);
  if (scheme != "https" && scheme != "http")
    return core::fail(errc::invalid_argument, '"' + shown + "\" is not a server address; expected https://host:port");
  for (const auto part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
    if (!part_of(url.get(), part).empty())
      return core::fail(errc::invalid_argument, "a server address consists of a host, a port and a path only");
  if (scheme == "http" && !place.insecure_http && !is_loopback(part_of(url.get(), CURLUPART_HOST)))
    return core::fail(errc::invalid_argument, "the API key would be sent unencrypted to " + shown +
                                                ": use https://, or --insecure-http on a trusted network");
  auto base = part_of(url.get(), CURLUPART_URL);
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
  bool too_long = false;
};

std::size_t take(char* from, std::size_t size, std::size_t count, void* self) {
  auto& own = *static_cast<reply*>(self);
  own.too_long = own.body.size() + size * count > answer_bytes_max;
  if (own.too_long)
    return 0;
  own.body.append(from, size * count);
  return size * count;
}

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  curl_easy_setopt(handle, option, value);
}

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
    : base_{std::move(base)}, place_{std::move(place)}, zone_{std::move(zone)}, handle_{curl_easy_init()} {}

  core::result<tagged_document> ask_tagged(const api_question& what) override;
  const core::zone& zone() const override { return zone_; }
  bool is_server() const override { return true; }

private:
  core::result<reply> send(const api_question& what);
  void prepare(const api_question& what, const std::string& url, const std::string& body, reply& into, char* problem);
  core::error failure(CURLcode code, const reply& got, const char* problem) const;
  core::error refusal(const reply& got) const;
  [[nodiscard]] core::error stranger(const reply& got) const;

  std::string base_;
  server_place place_;
  core::zone zone_;
  std::unique_ptr<CURL, release> handle_;
  std::unique_ptr<curl_slist, release> headers_;
};

core::result<tagged_document> http_api_client::ask_tagged(const api_question& what) {
  auto got = send(what);
  if (!got)
    return tl::unexpected{got.error()};
  if (got->status < 200 || got->status >= 300)
    return tl::unexpected{refusal(*got)};
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
  if (!handle_)
    return core::fail(errc::unavailable, "cannot create a libcurl handle");
  reply got;
  std::array<char, CURL_ERROR_SIZE> problem{};
  const auto url = base_ + std::string{api_root} + what.target;
  const auto body = body_text(what.body);
  if (!body)
    return tl::unexpected{body.error()};
  prepare(what, url, *body, got, problem.data());
  const auto code = curl_easy_perform(handle_.get());
  if (code != CURLE_OK)
    return tl::unexpected{failure(code, got, problem.data())};
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &got.status);
  const char* text = nullptr;
  if (curl_easy_getinfo(handle_.get(), CURLINFO_CONTENT_TYPE, &text) == CURLE_OK && text)
    got.type = text;
  if (curl_easy_getinfo(handle_.get(), CURLINFO_REDIRECT_URL, &text) == CURLE_OK && text)
    got.place = text;
  curl_header* etag = nullptr;
  if (curl_easy_header(handle_.get(), "ETag", 0, CURLH_HEADER, -1, &etag) == CURLHE_OK)
    got.etag = etag->value;
  return got;
}

void http_api_client::prepare(const api_question& what, const std::string& url, const std::string& body, reply& into,
                              char* problem) {
  auto* handle = handle_.get();
  curl_easy_reset(handle);
  curl_slist* lines = nullptr;
  // The empty `Expect:` keeps libcurl from waiting for "100 Continue".
  for (const auto& line : {"Authorization: Bearer " + place_.token, "Accept: " + std::string{what.answer_type},
                           std::string{"Content-Type: application/json"}, std::string{"Expect:"}})
    if (auto* longer = curl_slist_append(lines, line.c_str()))
      lines = longer;
  if (!what.if_match.empty())
    if (auto* longer = curl_slist_append(lines, ("If-Match: " + what.if_match).c_str()))
      lines = longer;
  headers_.reset(lines);
  set(handle, CURLOPT_HTTPHEADER, lines);
  set(handle, CURLOPT_USERAGENT, "ringmaster/" RINGMASTER_VERSION);
  set(handle, CURLOPT_URL, url.c_str());
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_ms_max);
  set(handle, CURLOPT_TIMEOUT_MS, answer_ms_max);
  set(handle, CURLOPT_ERRORBUFFER, problem);
  set(handle, CURLOPT_WRITEFUNCTION, &take);
  set(handle, CURLOPT_WRITEDATA, static_cast<void*>(&into));
  // Bypasses proxies without TLS, because a proxy would read the key.
  if (base_.starts_with("http:"))
    set(handle, CURLOPT_PROXY, "");
  if (place_.ca_file) {
    set(handle, CURLOPT_CAINFO, place_.ca_file->c_str());
    set(handle, CURLOPT_CAPATH, static_cast<const char*>(nullptr)); // otherwise the system's CA folder is trusted too
  }
  if (what.method != "GET") {
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(handle, CURLOPT_POSTFIELDS, body.c_str());
    set(handle, CURLOPT_CUSTOMREQUEST, what.method.c_str());
  }
}

core::error http_api_client::failure(CURLcode code, const reply& got, const char* problem) const {
  const auto shown = one_line(base_);
  if (got.too_long)
    return {errc::too_large, shown + ": the response exceeds 64 MiB"};
  const auto why = one_line(*problem == '\0' ? curl_easy_strerror(code) : problem);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return {errc::timeout, shown + " did not respond in time: " + why};
  if (code == CURLE_SSL_CACERT_BADFILE)
    return {errc::invalid_argument, "--ca-file: " + why};
  return {errc::unavailable, shown + " is unreachable: " + why};
}

core::error http_api_client::refusal(const reply& got) const {
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
