#include "gateway/handlers/xxl/handlers.hpp"

#include <utility>

#include "core/access/user_rules.hpp"
#include "gateway/exchange/web_form.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/job_form.hpp"

namespace ringmaster::gateway::handlers {

namespace {

namespace wire = protocol::wire;
using wire::form;
using group_rights = std::vector<std::pair<core::group_id, core::group_right>>;

constexpr std::int32_t role_admin = 1;

void tell_saved_user(const exchange& ex, const protocol::saved_user&) { tell_done(ex); }

/// Reads XXL's list of groups: the user gets every permission in each. Returns nothing when the list was not sent.
core::result<std::optional<group_rights>> rights_of(const form& sent) {
  const auto list = sent.text("permission");
  if (!list)
    return std::nullopt;
  return core::parse_permission(*list).map([](group_rights rights) { return std::optional{std::move(rights)}; });
}

core::result<protocol::save_user> user_of(const form& sent) {
  const auto role = sent.int32("role");
  auto rights = rights_of(sent);
  if (!role || !rights)
    return tl::unexpected{role ? rights.error() : role.error()};
  protocol::save_user user;
  user.name = sent.text_or_empty("username");
  user.password = sent.text_or_empty("password");
  user.admin = *role == role_admin;
  user.rights = std::move(*rights);
  user.keeps_finer = true;
  return user;
}

core::result<protocol::save_user> changed_user_of(const form& sent) {
  const auto id = id_of<core::user_id>(sent, "id");
  if (!id)
    return tl::unexpected{id.error()};
  return user_of(sent).map([&](protocol::save_user user) {
    user.id = *id;
    return user;
  });
}

void save(const exchange& ex, core::result<protocol::save_user> user) {
  if (!user)
    return ex.reject(user.error());
  user->by = ex.who();
  ex.drop_body();
  ex.ask<protocol::saved_user>(ex.services().partners.users, std::move(*user), tell_saved_user);
}

} // namespace

void user_list(exchange ex) {
  auto search = read_form(ex, wire::user_search_of);
  if (!search)
    return ex.reject(search.error());
  ex.ask<protocol::user_page>(ex.services().partners.users, protocol::user_query{std::move(*search), ex.who()},
                              [](const exchange& waiting, const protocol::user_page& reply) {
                                tell_page(waiting, reply.page, wire::user_rows(reply.page.rows, waiting.style()));
                              });
}

void user_add(exchange ex) { save(ex, read_form(ex, user_of)); }

void user_update(exchange ex) { save(ex, read_form(ex, changed_user_of)); }

void user_remove(exchange ex) {
  const auto id = read_one_id<core::user_id>(ex);
  if (!id)
    return ex.reject(id.error());
  ex.ask<void>(ex.services().partners.users, protocol::remove_user{*id, ex.who()}, tell_done,
               [](const exchange& waiting, const core::error& error) {
                 return error.code == core::errc::not_found ? tell_done(waiting) : waiting.fail(error);
               });
}

void password_change(exchange ex) {
  const auto form = form_of(ex);
  if (!form)
    return ex.reject(form.error());
  protocol::change_password change{form->text_or_empty("oldPassword"), form->text_or_empty("password"), ex.who()};
  ex.drop_body();
  ex.ask<void>(ex.services().partners.users, std::move(change), tell_done);
}

} // namespace ringmaster::gateway::handlers
