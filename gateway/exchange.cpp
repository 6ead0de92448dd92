#include "gateway/exchange.hpp"

#include <exception>
#include <utility>

#include "core/language.hpp"
#include "gateway/browser_safety.hpp"
#include "gateway/routes.hpp"
#include "protocol/wire/json_text.hpp"
#include "protocol/wire/reply_codec.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::string_view internal_text = "internal error";
constexpr core::localized away_text{"数据库或组件暂不可用，请查看服务端日志", "資料庫或元件暫不可用，請查看伺服端日誌",
                                    "the database or a component is not available now; see the log"};
/// As XXL-JOB writes it.
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
  case 413: return "Content Too Large";
  case 503: return "Service Unavailable";
  default: return "Internal Server Error";
  }
}

/// Drivers tell users, hosts and paths in these. Who is outside is told of by its subject, and that may be shown.
bool is_private(const core::error& error) noexcept {
  using core::errc;
  return (error.code == errc::unavailable || error.code == errc::timeout) && error.why == core::refusal::none &&
         error.subject.empty();
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

exchange::exchange(const gateway_services& services, const gateway::route& row, arrival at, protocol::http_exchange&& message)
  : services_{&services},
    row_{&row},
    how_{speech_of(message.request, row.by, services.web)},
    shared_{std::make_shared<shared_part>(shared_part{std::move(message.request), std::move(at)})},
    reply_{std::move(message.reply)} {}

void exchange::drop_body() const noexcept { std::string{}.swap(shared_->request.body); }

void exchange::succeed() const { answer(json(std::string{protocol::wire::plain_success}), 200); }

void exchange::refuse(std::string_view msg) const { answer(json(protocol::wire::encode_reply(500, msg)), 500); }

void exchange::problem(unsigned status, std::string_view detail, protocol::http_headers headers) const {
  std::string body = R"({"type":"about:blank","title":)";
  protocol::wire::append_json(body, title(status));
  body.append(R"(,"status":)").append(std::to_string(status)).append(R"(,"detail":)");
  protocol::wire::append_json(body, detail);
  body.append("}");
  respond({status, "application/problem+json", std::move(body), std::move(headers)});
}

void exchange::respond(protocol::http_response&& response) const {
  const auto status = static_cast<int>(response.status);
  answer(std::move(response), status);
}

void exchange::fail(const core::error& error) const {
  const bool ours = error.code == core::errc::internal;
  if (ours)
    services_->log->error("{}: {}", row_->path, error.context);
  if (row_->who.who != access::executor && is_private(error))
    return fail_away(error);
  const std::string_view text = ours ? internal_text : std::string_view{error.context};
  if (row_->who.who == access::executor)
    refuse(text);
  else if (row_->by != spoken::none)
    refuse_with(200, protocol::wire::message_of(error, how_));
  else
    problem(http_status(error.code), text);
}

void exchange::fail_away(const core::error& error) const {
  services_->log->warn("{}: {}", row_->path, error.context);
  const auto text = away_text.in(how_.language);
  if (row_->by != spoken::none)
    refuse_with(200, text);
  else
    problem(http_status(error.code), text);
}

void exchange::reject(const core::error& error) const {
  if (error.why != core::refusal::none)
    fail(error);
  else if (row_->by != spoken::none)
    refuse_with(400, protocol::wire::message_of(error, how_));
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
  answer({status, std::string{web_type}, protocol::wire::failure(msg, how_), std::move(headers)}, code);
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

void exchange::leave_unanswered() const { count("none"); }

void exchange::broke(const char* what) const noexcept {
  try {
    fail({core::errc::internal, what});
  } catch (...) {
    // Out of memory even for this: the reply answers for itself when it is dropped.
  }
}

void exchange::answer(protocol::http_response&& response, int code) const {
  // A success may still come.
  if (shared_->silent && code != 200)
    return leave_unanswered();
  if (std::exchange(shared_->done, true))
    return;
  // Executors read no header, and get as few bytes as possible.
  if (row_->who.who != access::executor)
    add_safety_headers(response);
  count(std::to_string(code));
  reply_->send(std::move(response));
}

void exchange::count(const std::string& code) const {
  services_->metrics.count_reply(row_->path, code, std::chrono::steady_clock::now() - begun_);
}

} // namespace ringmaster::gateway
