// Settings of the console by user.

#include "storage/admin/access.hpp"

namespace ringmaster::storage {

core::result<core::user_settings> user_role::settings(core::user_id user) {
  return own_.read([&]() -> core::result<core::user_settings> {
    core::user_settings out;
    auto row = own_.query("SELECT language, zone, theme, start_page, refresh_s, single_keys FROM rm_user_settings"
                          " WHERE user_id = ?",
                          user);
    if (!row.next())
      return out;
    out.language = row.optional_string(0);
    out.zone = row.optional_string(1);
    out.theme = row.optional_string(2);
    out.start_page = row.optional_string(3);
    if (!row.is_null(4))
      out.refresh_s = row.number32(4);
    if (!row.is_null(5))
      out.keys = row.number(5) != 0;
    return out;
  });
}

core::result<void> user_role::save_settings(core::user_id user, const core::user_settings& settings) {
  return own_.edit([&]() -> core::result<void> {
    // Locks the user: the settings of a user who is being removed are not written after the removal.
    if (!held_user(own_, user))
      return tl::unexpected{core::no_such_user(user)};
    own_.execute("DELETE FROM rm_user_settings WHERE user_id = ?", user);
    if (settings == core::user_settings{})
      return {};
    own_.execute("INSERT INTO rm_user_settings (user_id, language, zone, theme, start_page, refresh_s, single_keys)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?)",
                 user, settings.language, settings.zone, settings.theme, settings.start_page, settings.refresh_s,
                 settings.keys);
    return {};
  });
}

} // namespace ringmaster::storage
