#include "apps/server/first_admin.hpp"

#include "apps/server/assembly.hpp"
#include "apps/server/secrets.hpp"
#include "gateway/auth/secrets.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

namespace {

constexpr const char* admin_name = "admin";

core::result<bool> has_users(storage::store& store) {
  return store.users().page({{}, {}, {0, 1}}).map([](const auto& page) { return page.total > 0; });
}

core::result<std::string> stored_form(storage::store& store, const std::string& password) {
  const auto form = store.users().password_form();
  if (!form)
    return tl::unexpected<core::error>{form.error()};
  return gateway::stored_password(password, *form);
}

/// Returns the password of an interrupted start, else a new one.
core::result<std::string> obtain_password(const config::settings& settings) {
  auto known = find_admin_password(settings);
  if (!known)
    return tl::unexpected<core::error>{known.error()};
  if (*known)
    return std::move(**known);
  auto made = gateway::random_password();
  if (made)
    if (auto kept = keep_admin_password(settings, *made); !kept)
      return tl::unexpected<core::error>{kept.error()};
  return made;
}

} // namespace

core::result<std::optional<first_admin>> make_first_admin(storage::store& store, const config::settings& settings) {
  const auto somebody = has_users(store);
  if (!somebody)
    return tl::unexpected<core::error>{somebody.error()};
  if (*somebody)
    return std::nullopt;
  auto password = obtain_password(settings);
  if (!password)
    return tl::unexpected<core::error>{password.error()};
  const auto hash = stored_form(store, *password);
  if (!hash)
    return tl::unexpected<core::error>{hash.error()};
  const auto made = store.users().add_first(admin_name, *hash, system_now());
  if (!made)
    return tl::unexpected<core::error>{made.error()};
  if (*made)
    return first_admin{admin_name, std::move(*password), secrets_file(settings)};
  // Another node created the administrator, with the password in that node's file.
  if (auto gone = keep_admin_password(settings, ""); !gone)
    return tl::unexpected<core::error>{gone.error()};
  return std::nullopt;
}

} // namespace ringmaster::apps
