#include "gateway/exchange/admission.hpp"

#include <utility>

#include "core/text/text.hpp"
#include "gateway/auth/browser_safety.hpp"
#include "gateway/auth/session_cookie.hpp"
#include "gateway/exchange/route.hpp"
#include "gateway/exchange/sessions.hpp"

namespace ringmaster::gateway {

namespace {

using protocol::wire::dialect;

constexpr core::localized change_password_first{"请先修改密码 (change your password first)", "請先修改密碼 (change your password first)",
                                                "change your password first"};
// Texts that clients of 3.x look for (XXL admin §8.3).
constexpr std::string_view not_signed_in = "com.xxl.sso.core.exception.XxlSsoException: not login for path:";
constexpr std::string_view not_admin =
  "com.xxl.sso.core.exception.XxlSsoException: permission limit, current login-user does not have role:ADMIN";

/// Refuses a request without a valid session, and removes an unknown session's cookie from the client.
void refuse_visitor(const exchange& ex) {
  if (ex.row().by == dialect_set::none)
    return ex.problem(401, "sign in or send an API key", {{"WWW-Authenticate", "Bearer"}});
  protocol::http_headers headers;
  if (!sessions_of(ex).empty())
    headers.emplace_back("Set-Cookie", expired_session_cookie(cookie_name(ex.style().dialect), ex.secure_cookies()));
  if (ex.style().dialect == dialect::xxl2)
    return ex.redirect(302, "/toLogin", std::move(headers));
  ex.refuse_with(200, std::string{not_signed_in} + ex.path(), std::move(headers));
}

void refuse_role(const exchange& ex) {
  if (ex.row().by != dialect_set::none && ex.style().dialect == dialect::xxl3)
    return ex.refuse_with(200, not_admin);
  if (const auto checked = core::check_admin(ex.who()); !checked)
    ex.fail(checked.error());
}

void refuse_key(const exchange& ex, const core::error& why) {
  if (why.code == core::errc::not_found)
    return ex.problem(401, "unknown or expired API key", {{"WWW-Authenticate", "Bearer error=\"invalid_token\""}});
  ex.fail(why);
}

/// Returns true for an `If-Match` that the operation ignores: a client that sends it relies on it.
bool is_vain_condition(const exchange& ex) {
  const auto& row = ex.row();
  return row.path.starts_with("/api/v1/") && row.changes() && !row.takes_if_match && ex.request().find_header("If-Match");
}

void enter(const exchange& ex, const protocol::identified& found, std::string csrf = {}) {
  const auto& services = ex.services();
  if (!services.requests.take(found.who.user, services.self->clock().now())) {
    constexpr std::string_view said = "too many requests of this user: try again in a second";
    const protocol::http_headers later{{"Retry-After", "1"}};
    return ex.row().by == dialect_set::none ? ex.problem(429, said, later) : ex.refuse_with(429, said, later);
  }
  auto who = found.who;
  who.remote = ex.request().remote_address;
  ex.enter({std::move(who), found.must_change_password, std::move(csrf), found.expires});
  const auto& needed = ex.row().who;
  if (found.must_change_password && !needed.before_password_change)
    return ex.fail({core::errc::forbidden, std::string{change_password_first.in(ex.style().language)}});
  if (needed.who == access::admin && !ex.who().admin)
    return refuse_role(ex);
  call_handler(ex);
}

void enter_with_session(const exchange& ex, const protocol::identified& found, const std::string& session) {
  // XXL-JOB's clients know no CSRF token; foreign_site and SameSite protect these routes.
  if (ex.row().by != dialect_set::none)
    return enter(ex, found);
  auto token = csrf_token(session);
  const auto* shown = ex.request().find_header("X-CSRF-Token");
  if (ex.row().changes() && !core::equal_in_constant_time(shown ? std::string_view{*shown} : std::string_view{}, token))
    return ex.problem(403, "missing or wrong X-CSRF-Token: send the value that GET /api/v1/session returns");
  enter(ex, found, std::move(token));
}

void admit_program(const exchange& ex, std::string key) {
  ex.ask<protocol::identified>(
    ex.services().partners.users, protocol::identify_key{std::move(key), ex.request().remote_address},
    [](const exchange& waiting, const protocol::identified& found) { enter(waiting, found); }, refuse_key);
}

void ask_whose(const exchange& ex, std::vector<std::string> sessions, const found_handler& with_session,
               const visitor_handler& without) {
  if (sessions.empty())
    return without(ex);
  auto session = std::move(sessions.front());
  sessions.erase(sessions.begin());
  ex.ask<protocol::identified>(
    ex.services().partners.users, protocol::identify{session, ex.request().remote_address},
    [=](const exchange& waiting, const protocol::identified& found) { with_session(waiting, found, session); },
    [=](const exchange& waiting, const core::error& error) {
      if (error.code != core::errc::not_found)
        return waiting.fail(error);
      ask_whose(waiting, sessions, with_session, without);
    });
}

bool has_unexpected_query(const exchange& ex) {
  const auto& row = ex.row();
  const auto mark = ex.request().target.find('?');
  return row.path.starts_with("/api/v1/") && !row.takes_query && mark != std::string::npos &&
         mark + 1 < ex.request().target.size();
}

} // namespace

void call_handler(const exchange& ex) {
  if (has_unexpected_query(ex))
    return ex.problem(400, "this path accepts no query parameters");
  if (is_vain_condition(ex))
    return ex.problem(400, "If-Match is not supported for this operation");
  ex.row().handle(ex);
}

void find_session(const exchange& ex, found_handler with_session, visitor_handler without) {
  ask_whose(ex, sessions_of(ex), with_session, without);
}

void admit_person(const exchange& ex) {
  const auto& row = ex.row();
  // No page of another site can make a browser send an API key.
  if (row.by == dialect_set::none && needs_session(row.who.who))
    if (auto key = shown_key(ex.request()))
      return admit_program(ex, std::move(*key));
  if (row.changes()) {
    if (const auto foreign = foreign_site(ex.request()); !foreign.empty())
      return row.by == dialect_set::none ? ex.problem(403, foreign) : ex.refuse_with(403, foreign);
  }
  if (!needs_session(row.who.who))
    return call_handler(ex);
  find_session(ex, enter_with_session, refuse_visitor);
}

} // namespace ringmaster::gateway
