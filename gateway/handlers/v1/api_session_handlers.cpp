#include <utility>

#include "gateway/auth/browser_safety.hpp"
#include "gateway/exchange/admission.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/exchange/sessions.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/wire/v1/api_about.hpp"
#include "protocol/wire/v1/api_users.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace wire = protocol::wire;

namespace {

void refuse_sign_in(const exchange& ex, const core::error& error) {
  if (error.why == core::refusal::sign_in_wrong)
    return ex.problem(401, error.context);
  ex.fail(error);
}

void tell_session(const exchange& ex, const protocol::signed_in& reply, bool remember) {
  tell_json(ex, wire::api_session(reply.who, reply.must_change_password, csrf_token(reply.session), reply.expires), 200,
            cookies_of(ex, reply, remember));
}

/// Returns the cookie's value with which the caller is signed in; empty with an API key.
std::string current_session(const exchange& ex) {
  const auto& token = ex.entrance().csrf_token;
  if (!token.empty())
    for (auto& each : sessions_of(ex))
      if (csrf_token(each) == token)
        return std::move(each);
  return {};
}

} // namespace

void session_open(exchange ex) {
  // A page of another site could sign a user in with an account of its own: there is no session yet, and so no CSRF token.
  if (const auto foreign = foreign_site(ex.request()); !foreign.empty())
    return ex.problem(403, foreign);
  auto wanted = read_json(ex, wire::parse_api_sign_in);
  if (!wanted)
    return;
  const bool remember = wanted->remember;
  const auto opened = [remember](const exchange& waiting, const protocol::signed_in& reply) {
    end_former_sessions(waiting, [reply, remember](const exchange& ended) { tell_session(ended, reply, remember); });
  };
  const auto& users = ex.services().partners.users;
  const auto& remote = ex.request().remote_address;
  if (!wanted->one_time.empty())
    return ex.ask<protocol::signed_in>(users, protocol::one_time_sign_in{std::move(wanted->one_time), remote}, opened,
                                       refuse_sign_in);
  ex.ask<protocol::signed_in>(
    users, protocol::sign_in{std::move(wanted->name), std::move(wanted->password), remember, remote}, opened, refuse_sign_in);
}

void session_show(exchange ex) {
  const auto& entry = ex.entrance();
  tell_json(ex, wire::api_session(entry.who, entry.must_change_password, entry.csrf_token, entry.expires));
}

void session_end(exchange ex) {
  end_sessions(ex, [](const exchange& waiting, const std::optional<core::error>& failed) {
    if (failed)
      return waiting.fail(*failed);
    waiting.respond({204, {}, {}, expired_cookies(waiting)});
  });
}

void session_list(exchange ex) {
  auto query = read_list_query(ex, wire::api_session_search_of);
  if (!query)
    return;
  ex.ask<protocol::session_page>(ex.services().partners.users,
                                 protocol::session_query{std::move(query->first), current_session(ex), ex.who()},
                                 [from = query->second](const exchange& waiting, const protocol::session_page& reply) {
                                   const auto& [rows, total, capped] = reply.page;
                                   tell_json(waiting, wire::api_page(wire::api_sessions(rows, reply.current),
                                                                     next_position(from, rows.size(), total), total, capped));
                                 });
}

void session_remove(exchange ex) {
  const auto id = id_in_path<core::session_id>(ex);
  if (id)
    ex.ask<void>(ex.services().partners.users, protocol::end_session{*id, ex.who()}, tell_nothing);
}

void about(exchange ex) {
  find_session(
    ex,
    [](const exchange& waiting, const protocol::identified&, const std::string&) {
      const auto& web = waiting.services().web;
      const wire::api_server server{web.version, web.zone.name(), waiting.services().now(), web.glue,
                                    web.elastic_unsupported};
      tell_json(waiting, wire::api_about(web.language, web.demo, &server));
    },
    [](const exchange& visitor) {
      const auto& web = visitor.services().web;
      tell_json(visitor, wire::api_about(web.language, web.demo, nullptr));
    });
}

} // namespace ringmaster::gateway::handlers::v1
