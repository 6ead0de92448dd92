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
  tell_json(ex, wire::api_session(reply.who, reply.must_change_password, csrf_token(reply.session)), 200,
            cookies_of(ex, reply, remember));
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
  ex.ask<protocol::signed_in>(
    ex.services().partners.users,
    protocol::sign_in{std::move(wanted->name), std::move(wanted->password), remember, ex.request().remote_address},
    [remember](const exchange& waiting, const protocol::signed_in& reply) {
      end_former_sessions(waiting, [reply, remember](const exchange& ended) { tell_session(ended, reply, remember); });
    },
    refuse_sign_in);
}

void session_show(exchange ex) {
  const auto& entry = ex.entrance();
  tell_json(ex, wire::api_session(entry.who, entry.must_change_password, entry.csrf_token));
}

void session_end(exchange ex) {
  end_sessions(ex, [](const exchange& waiting, const std::optional<core::error>& failed) {
    if (failed)
      return waiting.fail(*failed);
    waiting.respond({204, {}, {}, expired_cookies(waiting)});
  });
}

void about(exchange ex) {
  find_session(
    ex,
    [](const exchange& waiting, const protocol::identified&, const std::string&) {
      const auto& web = waiting.services().web;
      const wire::api_server server{web.version, web.zone.name(), waiting.services().now(), web.glue};
      tell_json(waiting, wire::api_about(web.language, &server));
    },
    [](const exchange& visitor) { tell_json(visitor, wire::api_about(visitor.services().web.language, nullptr)); });
}

} // namespace ringmaster::gateway::handlers::v1
