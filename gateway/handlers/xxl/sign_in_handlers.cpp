#include "gateway/handlers/xxl/handlers.hpp"

#include <optional>
#include <string>
#include <utility>

#include "gateway/console/console_pages.hpp"
#include "gateway/exchange/admission.hpp"
#include "gateway/exchange/sessions.hpp"
#include "gateway/exchange/web_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

using protocol::wire::dialect;

/// Returns true when the browser leaves the page for the answer, so that JSON would be shown to the user.
bool is_navigation(const protocol::http_request& request) noexcept {
  const auto* mode = request.find_header("Sec-Fetch-Mode");
  return mode && *mode == "navigate";
}

void open_session(const exchange& ex, const protocol::signed_in& reply, bool remember) {
  auto headers = cookies_of(ex, reply, remember);
  if (is_navigation(ex.request()))
    return ex.redirect(303, "/", std::move(headers));
  ex.tell(protocol::wire::success(ex.style()), std::move(headers));
}

void close_session(const exchange& ex) { ex.tell(protocol::wire::success(ex.style()), expired_cookies(ex)); }

constexpr core::localized user_label{"账号", "帳號", "User name"};
constexpr core::localized password_label{"密码", "密碼", "Password"};
constexpr core::localized remember_label{"记住密码", "記住密碼", "Remember me"};
constexpr core::localized button_label{"登录", "登入", "Sign in"};

std::string input(std::string_view type, std::string_view name, std::string_view label) {
  return std::string{"<p><label>"}
    .append(label)
    .append(" <input type=\"")
    .append(type)
    .append("\" name=\"")
    .append(name)
    .append(type == "checkbox" ? "\" value=\"on\"></label></p>" : "\" required></label></p>");
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
    ex.services().partners.users, std::move(wanted), [remember](const exchange& waiting, const protocol::signed_in& reply) {
      end_former_sessions(waiting, [reply, remember](const exchange& ended) { open_session(ended, reply, remember); });
    });
}

void sign_out(exchange ex) {
  end_sessions(ex, [](const exchange& waiting, const std::optional<core::error>& failed) {
    if (failed)
      return waiting.fail(*failed);
    close_session(waiting);
  });
}

void sign_in_page(exchange ex) {
  if (is_page_wanted(ex))
    return former_page(ex);
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
