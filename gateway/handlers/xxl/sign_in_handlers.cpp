#include "gateway/handlers/xxl/handlers.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/auth/session_cookie.hpp"
#include "gateway/exchange/admission.hpp"
#include "gateway/exchange/web_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

using protocol::wire::dialect;

/// Returns true when the browser leaves the page for the answer, so that JSON would be shown to the user.
bool is_navigation(const protocol::http_request& request) noexcept {
  const auto* mode = request.find_header("Sec-Fetch-Mode");
  return mode && *mode == "navigate";
}

/// Sets `mine` for the dialect and removes the other dialect's cookie, so that the next request cannot use another user's
/// session.
protocol::http_headers cookies(const exchange& ex, std::string mine) {
  protocol::http_headers headers{{"Set-Cookie", std::move(mine)}};
  const auto other = other_dialect(ex.style().dialect);
  if (has_cookie_of(ex.request(), other))
    headers.emplace_back("Set-Cookie", expired_session_cookie(other, ex.secure_cookies()));
  return headers;
}

/// Ends all `sessions`, also after an error; then calls `then` with an error, if there was one.
void end_sessions(const exchange& ex, std::vector<std::string> sessions, std::optional<core::error> failed,
                  const std::function<void(const exchange&, const std::optional<core::error>&)>& then) {
  if (sessions.empty())
    return then(ex, failed);
  protocol::sign_out order{std::move(sessions.back())};
  sessions.pop_back();
  ex.ask<void>(
    ex.services().partners.users, std::move(order),
    [sessions, failed, then](const exchange& waiting) { end_sessions(waiting, sessions, failed, then); },
    [sessions, then](const exchange& waiting, const core::error& error) { end_sessions(waiting, sessions, error, then); });
}

void open_session(const exchange& ex, const protocol::signed_in& reply, bool remember) {
  const auto secure = ex.secure_cookies();
  // XXL-JOB keeps the cookie for 68 years; here it lasts as long as the session can.
  const auto kept_for = remember ? std::optional{std::chrono::ceil<std::chrono::seconds>(reply.max_age)} : std::nullopt;
  auto headers = cookies(ex, session_cookie(reply.session, kept_for, ex.style().dialect, secure));
  if (is_navigation(ex.request()))
    return ex.redirect(303, "/", std::move(headers));
  ex.tell(protocol::wire::success(ex.style()), std::move(headers));
}

// Ends the sessions that the browser had before: no page needs them any more.
void replace_sessions(const exchange& ex, const protocol::signed_in& reply, bool remember) {
  end_sessions(ex, sessions_in(ex.request(), ex.style().dialect), std::nullopt,
               [reply, remember](const exchange& waiting, const std::optional<core::error>& failed) {
                 if (failed)
                   waiting.services().log->warn("a session from before the sign-in could not be ended: {}", failed->context);
                 open_session(waiting, reply, remember);
               });
}

void close_session(const exchange& ex) {
  const auto secure = ex.secure_cookies();
  ex.tell(protocol::wire::success(ex.style()), cookies(ex, expired_session_cookie(ex.style().dialect, secure)));
}

constexpr core::localized user_label{"账号", "帳號", "User name"};
constexpr core::localized password_label{"密码", "密碼", "Password"};
constexpr core::localized remember_label{"记住密码", "記住密碼", "Remember me"};
constexpr core::localized button_label{"登录", "登入", "Sign in"};

std::string input(std::string_view type, std::string_view name, std::string_view label) {
  return std::string{"<p><label>"}.append(label).append(" <input type=\"").append(type).append("\" name=\"").append(name).append(
    type == "checkbox" ? "\" value=\"on\"></label></p>" : "\" required></label></p>");
}

std::string page_text(std::string_view action, core::language reader) {
  const std::string title{button_label.in(reader)};
  std::string text = "<!doctype html><html><head><meta charset=\"utf-8\"><title>" + title +
                     " - Ringmaster</title></head><body><h1>" + title + "</h1><form method=\"post\" action=\"";
  text.append(action).append("\">");
  text += input("text", "userName", user_label.in(reader)) + input("password", "password", password_label.in(reader)) +
          input("checkbox", "ifRemember", remember_label.in(reader));
  return text + "<p><button type=\"submit\">" + title + "</button></p></form></body></html>\n";
}

} // namespace

void sign_in(exchange ex) {
  const auto form = form_of(ex);
  if (!form)
    return ex.reject(form.error());
  const bool remember = form->text("ifRemember") == "on";
  protocol::sign_in wanted{form->text_or_empty("userName"), form->text_or_empty("password"), remember,
                         ex.request().remote_address};
  ex.drop_body();
  ex.ask<protocol::signed_in>(
    ex.services().partners.users, std::move(wanted),
    [remember](const exchange& waiting, const protocol::signed_in& reply) { replace_sessions(waiting, reply, remember); });
}

void sign_out(exchange ex) {
  end_sessions(ex, sessions_in(ex.request(), ex.style().dialect), std::nullopt,
               [](const exchange& waiting, const std::optional<core::error>& failed) {
                 if (failed)
                   return waiting.fail(*failed);
                 close_session(waiting);
               });
}

void sign_in_page(exchange ex) {
  find_session(
    ex, [](const exchange& waiting, const protocol::identified&, const std::string&) { waiting.redirect(303, "/"); },
    [](const exchange& visitor) {
      const auto* target = visitor.style().dialect == dialect::xxl2 ? "/login" : "/auth/doLogin";
      visitor.respond({200,
                       "text/html;charset=utf-8",
                       page_text(visitor.location(target), visitor.style().language),
                       {{"Cache-Control", "no-store"}}});
    });
}

} // namespace ringmaster::gateway::handlers
