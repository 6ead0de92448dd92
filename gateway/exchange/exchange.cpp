#include "gateway/exchange/exchange.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "core/editing/edit_tag.hpp"
#include "core/text/language.hpp"
#include "core/text/text.hpp"
#include "gateway/auth/browser_safety.hpp"
#include "gateway/exchange/route.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/v1/api_refusal_words.hpp"
#include "protocol/wire/xxl/reply_codec.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::string_view internal_text = "internal error";
constexpr core::localized away_text{"数据库或组件暂不可用，请查看服务端日志", "資料庫或元件暫不可用，請查看伺服端日誌",
                                    "the database or a component is not available now; see the log"};
/// Content type as XXL-JOB writes it.
constexpr std::string_view web_type = "application/json;charset=UTF-8";

protocol::http_response json(std::string body) {
  protocol::http_response response;
  response.body = std::move(body);
  return response;
}

std::string_view title(unsigned status) noexcept {
  switch (status) {
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 409: return "Conflict";
  case 412: return "Precondition Failed";
  case 413: return "Content Too Large";
  case 415: return "Unsupported Media Type";
  case 416: return "Range Not Satisfiable";
  case 428: return "Precondition Required";
  case 429: return "Too Many Requests";
  case 503: return "Service Unavailable";
  default: return "Internal Server Error";
  }
}

/// Returns the type of a problem where no `errc` gives it; clients may compare it.
std::string_view kind_of(unsigned status) noexcept {
  switch (status) {
  case 400: return "invalid_argument";
  case 401: return "not_signed_in";
  case 403: return "forbidden";
  case 404: return "not_found";
  case 405: return "method_not_allowed";
  case 409: return "conflict";
  case 412: return "changed_meanwhile";
  case 413: return "too_large";
  case 415: return "unsupported_media_type";
  case 416: return "range_not_satisfiable";
  case 428: return "if_match_needed";
  case 429: return "too_many";
  case 503: return "unavailable";
  default: return "internal";
  }
}

std::string problem_body(std::string_view kind, unsigned status, std::string_view detail,
                         const std::function<void(protocol::wire::json_object&)>& more = {}) {
  std::string body;
  {
    protocol::wire::json_object problem{body};
    problem.text("type", std::string{"urn:ringmaster:"}.append(kind));
    problem.text("title", title(status));
    problem.number("status", status);
    problem.text("detail", detail);
    if (more)
      more(problem);
  }
  return body;
}

/// Returns true for an error whose text may hold users, hosts and paths from a driver. An error about an outside component has a
/// subject and may be shown.
bool is_private(const core::error& error) noexcept {
  using core::errc;
  return (error.code == errc::unavailable || error.code == errc::timeout) && error.why == core::refusal::none &&
         error.subject.empty();
}

/// Returns the last part of a problem's type: the name of the `errc`, or `not_permitted` for a missing permission.
std::string_view kind_of(const core::error& error) noexcept {
  const bool lacks_permission =
    error.why == core::refusal::not_permitted || error.why == core::refusal::child_not_permitted;
  return lacks_permission ? "not_permitted" : core::to_string(error.code);
}

/// Returns the seconds to wait before the next try; empty when another try is of no use.
std::string_view seconds_to_wait(const core::error& error) noexcept {
  const auto& text = error.subject;
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return error.code == core::errc::too_large && is_number ? std::string_view{text} : std::string_view{};
}

/// Returns the reply style. XXL-JOB's paths answer in the language of the server, as in XXL-JOB; our own API in the client's.
protocol::wire::reply_style style_for(const protocol::http_request& request, const gateway::route& row, const web_rules& rules) {
  auto style = reply_style_of(request, row.by, rules);
  if (std::string_view{row.path}.starts_with("/api/v1/"))
    if (const auto* wanted = request.find_header("Accept-Language"))
      style.language = accepted_language(*wanted).value_or(style.language);
  return style;
}

} // namespace

unsigned http_status(core::errc code) noexcept {
  switch (code) {
  case core::errc::invalid_argument: return 400;
  case core::errc::not_found: return 404;
  case core::errc::conflict: return 409;
  case core::errc::unavailable: return 503;
  case core::errc::fenced: return 503;
  case core::errc::timeout: return 503;
  case core::errc::unsupported: return 500;
  case core::errc::too_large: return 413;
  case core::errc::internal: return 500;
  case core::errc::forbidden: return 403;
  }
  return 500;
}

std::string problem_json(core::errc code, std::string_view detail) {
  return problem_body(core::to_string(code), http_status(code), detail);
}

exchange::exchange(const gateway_services& services, const gateway::route& row, arrival at, protocol::http_exchange&& message)
  : services_{&services},
    row_{&row},
    style_{style_for(message.request, row, services.web)},
    shared_{std::make_shared<shared_part>(shared_part{std::move(message.request), std::move(at)})},
    reply_{std::move(message.reply)} {}

std::string_view exchange::parameter(std::string_view name) const noexcept {
  for (const auto& [each, value] : shared_->at.parameters)
    if (each == name)
      return value;
  return {};
}

void exchange::drop_body() const noexcept { std::string{}.swap(shared_->request.body); }

void exchange::succeed() const { answer(json(std::string{protocol::wire::plain_success}), 200); }

void exchange::refuse(std::string_view msg) const { answer(json(protocol::wire::encode_reply(500, msg)), 500); }

void exchange::problem(unsigned status, std::string_view detail, protocol::http_headers headers) const {
  respond({status, std::string{problem_type}, problem_body(kind_of(status), status, detail), std::move(headers)});
}

void exchange::respond(protocol::http_response&& response) const {
  const auto status = static_cast<int>(response.status);
  answer(std::move(response), status);
}

std::string exchange::words_of(const core::error& error) const {
  if (error.code == core::errc::internal)
    services_->log->error("{}: {}", row_->path, error.context);
  else if (row_->who.who != access::executor && is_private(error))
    services_->log->warn("{}: {}", row_->path, error.context);
  return detail_of(error);
}

std::string exchange::detail_of(const core::error& error) const {
  if (error.code == core::errc::internal)
    return row_->by == dialect_set::none ? std::string{internal_text} : protocol::wire::message_of(error, style_);
  if (row_->who.who != access::executor && is_private(error))
    return std::string{away_text.in(style_.language)};
  if (row_->who.who == access::executor)
    return error.context;
  if (row_->by == dialect_set::none && error.why != core::refusal::none)
    return protocol::wire::api_message_of(error, style_.language);
  return protocol::wire::message_of(error, style_);
}

std::string exchange::problem_of(const core::error& error) const {
  return problem_body(kind_of(error), http_status(error.code), words_of(error));
}

void exchange::fail(const core::error& error) const {
  if (row_->who.who == access::executor)
    return refuse(words_of(error));
  const auto wait = seconds_to_wait(error);
  protocol::http_headers headers;
  if (!wait.empty())
    headers.emplace_back("Retry-After", wait);
  if (row_->by != dialect_set::none)
    refuse_with(200, words_of(error), std::move(headers));
  else if (!wait.empty())
    problem(429, words_of(error), std::move(headers));
  else if (core::is_edited_meanwhile(error))
    problem(412, error.context);
  else
    respond({http_status(error.code), std::string{problem_type}, problem_of(error), {}});
}

void exchange::fail_as_edited(const core::error& error, std::string_view by, std::optional<core::time_point> at) const {
  constexpr unsigned changed = 412;
  auto body = problem_body(kind_of(changed), changed, error.context, [&](protocol::wire::json_object& problem) {
    protocol::wire::append_text_or_null(problem, "changed_by", by);
    protocol::wire::append_instant(problem, "changed_ms", at);
  });
  respond({changed, std::string{problem_type}, std::move(body), {}});
}

void exchange::reject(const core::error& error) const {
  if (error.why != core::refusal::none)
    fail(error);
  else if (row_->by != dialect_set::none)
    refuse_with(400, protocol::wire::message_of(error, style_));
  else
    problem(400, error.context);
}

void exchange::tell(std::string reply, protocol::http_headers headers) const {
  headers.emplace_back("Cache-Control", "no-store");
  answer({200, std::string{web_type}, std::move(reply), std::move(headers)}, 200);
}

void exchange::refuse_with(unsigned status, std::string_view msg, protocol::http_headers headers) const {
  headers.emplace_back("Cache-Control", "no-store");
  const int code = status == 200 ? 500 : static_cast<int>(status);
  answer({status, std::string{web_type}, protocol::wire::failure(msg, style_), std::move(headers)}, code);
}

void exchange::redirect(unsigned status, std::string_view path, protocol::http_headers headers) const {
  headers.emplace_back("Location", location(path));
  headers.emplace_back("Cache-Control", "no-store");
  respond({status, {}, {}, std::move(headers)});
}

void exchange::keep_silent() const {
  shared_->silent = true;
  reply_->keep_silent();
}

void exchange::hold(std::chrono::milliseconds longer) const {
  shared_->held = longer;
  reply_->hold(longer);
}

std::function<bool()> exchange::is_awaited() const {
  return [reply = reply_] { return reply->is_awaited(); };
}

void exchange::note_refused(refused_for why, std::string app_name, std::string address) const {
  const auto& services = *services_;
  services.metrics.count_refused(why);
  const auto& remote = request().remote_address;
  if (!services.refused.note({why, app_name, address, remote, {}, {}, 0}, services.now()))
    return;
  constexpr std::array said{"wrong access token", "no group has this app name",
                            "the address is outside security.executor_networks"};
  const auto shown = [](const std::string& text) { return core::cut_bytes(text, refused_executors::text_bytes_max); };
  services.log->warn("executor refused: app \"{}\", address \"{}\", from {}: {}", shown(app_name), shown(address), remote,
                     said[static_cast<std::size_t>(why)]);
}

void exchange::leave_unanswered() const { count("none"); }

void exchange::broke(const char* what) const noexcept {
  try {
    fail({core::errc::internal, what});
  } catch (...) {
    // No memory even for this: the reply answers with 500 when it is dropped.
  }
}

void exchange::answer(protocol::http_response&& response, int code) const {
  // A later success may still be sent.
  if (shared_->silent && code != 200)
    return leave_unanswered();
  if (std::exchange(shared_->done, true))
    return;
  // Executors read no headers, and get as few bytes as possible.
  if (row_->who.who != access::executor)
    add_safety_headers(response, services_->web.tls);
  count(std::to_string(code));
  reply_->send(std::move(response));
}

void exchange::count(const std::string& code) const {
  services_->metrics.count_reply(row_->path, code, std::chrono::steady_clock::now() - begun_);
}

} // namespace ringmaster::gateway
