#include "protocol/wire/v1/api_users.hpp"

#include <algorithm>
#include <set>

#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

using group_rights = std::vector<std::pair<core::group_id, core::group_right>>;

/// More groups than any column of permissions holds.
constexpr std::size_t rights_max = 10'000;

void append_right(std::string& out, const std::pair<core::group_id, core::group_right>& each) {
  json_object row{out};
  row.number("group", number(each.first));
  row.text("right", core::stored_name(each.second));
}

void append_user_members(json_object& row, const core::user_card& user) {
  row.number("id", number(user.id));
  row.text("name", user.name);
  row.boolean("admin", user.admin);
  row.raw("rights", api_rights(user.rights));
}

/// Returns a JSON array with one text for each line.
std::string lines_of(std::string_view changes) {
  std::vector<std::string_view> lines;
  while (!changes.empty()) {
    const auto end = std::min(changes.find('\n'), changes.size());
    lines.push_back(changes.substr(0, end));
    changes.remove_prefix(std::min(end + 1, changes.size()));
  }
  return json_array(lines);
}

std::string fields_of(const core::audit_row& change) {
  return json_array(core::fields_of(change.field_values, change.changes), [](std::string& out, const core::field_change& each) {
    json_object field{out};
    field.text("name", each.name);
    each.before ? field.text("before", *each.before) : field.null("before");
    each.after ? field.text("after", *each.after) : field.null("after");
  });
}

void append_audit_row(std::string& out, const core::audit_row& change) {
  json_object row{out};
  row.number("id", change.id);
  append_instant(row, "at_ms", change.at);
  row.number("user", number(change.user));
  row.text("user_name", change.user_name);
  append_text_or_null(row, "remote", change.remote);
  row.text("action", core::stored_name(change.action));
  row.text("object", core::stored_name(change.object));
  row.number("object_id", change.object_id);
  row.text("object_name", change.object_name);
  row.raw("changes", lines_of(change.changes));
  row.raw("fields", fields_of(change));
}

std::optional<group_rights> read_rights(api_members& in) {
  group_rights rights;
  std::set<core::group_id> named;
  const bool given = in.objects("rights", rights_max, [&rights, &named](api_members& each) {
    const auto group = core::group_id{each.needed_id("group")};
    const auto right = core::find_group_right(each.needed_text("right"));
    if (!right)
      each.wrong("right", "must be viewer, operator or editor");
    if (!named.insert(group).second)
      each.wrong("group", "is named twice");
    rights.emplace_back(group, right.value_or(core::group_right::none));
  });
  std::sort(rights.begin(), rights.end());
  return given ? std::optional{std::move(rights)} : std::nullopt;
}

void append_key(std::string& out, const core::api_key& key) {
  json_object row{out};
  row.number("id", number(key.id));
  row.text("name", key.name);
  row.number("user", number(key.user));
  append_text_or_null(row, "user_name", key.user_name);
  append_instant(row, "created_ms", key.created);
  append_instant(row, "expires_ms", key.expires);
  append_instant(row, "used_ms", key.used);
}

} // namespace

std::string api_rights(const group_rights& rights) { return json_array(rights, append_right); }

std::string api_user_row(const core::user_card& user) {
  return json_object_of([&user](json_object& row) { append_user_members(row, user); });
}

std::string api_users(const std::vector<core::user_card>& users, const std::vector<core::user_activity>& activity) {
  auto next = activity.begin();
  return json_array(users, [&](std::string& out, const core::user_card& user) {
    json_object row{out};
    append_user_members(row, user);
    const auto known = next != activity.end() ? *next++ : core::user_activity{};
    append_instant(row, "last_sign_in_ms", known.last_sign_in);
    row.number("sessions", known.sessions);
    row.number("keys", known.keys);
    row.boolean("must_change_password", known.known_password);
  });
}

std::string api_audit(const std::vector<core::audit_row>& rows) { return json_array(rows, append_audit_row); }

core::result<core::user_search> api_user_search_of(const form& sent, const api_cursor& from) {
  return boolean_of(sent, "admin").map([&](std::optional<bool> admin) {
    return core::user_search{sent.text_or_empty("name"), admin, {static_cast<std::size_t>(from.place), from.limit}};
  });
}

core::audit_search api_changes_window_of(const api_cursor& from) {
  core::audit_search window;
  if (from.place > 0)
    window.before = from.place;
  window.limit = from.limit;
  return window;
}

core::result<core::audit_search> api_audit_search_of(const form& sent, const api_cursor& from) {
  auto search = api_changes_window_of(from);
  search.user_name = sent.text("user");
  if (const auto object = sent.text("object")) {
    search.object = core::find_audit_object(*object);
    if (!search.object)
      return core::fail(core::errc::invalid_argument,
                        "the parameter object must be job, group, run, user, api_key, source, alarm, setting, elastic_job or"
                        " elastic_host");
  }
  if (const auto action = sent.text("action")) {
    search.action = core::find_audit_action(*action);
    if (!search.action)
      return core::fail(core::errc::invalid_argument, "unknown action in the parameter action");
  }
  const auto id = api_number_of(sent, "object_id");
  const auto from_ms = instant_of(sent, "from_ms");
  const auto to_ms = instant_of(sent, "to_ms");
  if (!id || !from_ms || !to_ms)
    return tl::unexpected{!id ? id.error() : !from_ms ? from_ms.error() : to_ms.error()};
  search.object_id = *id;
  search.from = *from_ms;
  search.to = *to_ms;
  search.text_part = sent.text_or_empty("q");
  if (search.text_part.size() > core::audit_part_bytes)
    return core::fail(core::errc::invalid_argument,
                      "the parameter q is longer than " + std::to_string(core::audit_part_bytes) + " bytes");
  return search;
}

core::result<api_user> parse_api_user(std::string_view body, user_use use) {
  return read_api_object(body, [use](api_members& in) {
    api_user user;
    if (use == user_use::add)
      user.name = in.needed_text("name");
    user.password = use == user_use::add ? in.needed_text("password") : in.text("password");
    user.admin = in.required_boolean("admin");
    user.rights = read_rights(in);
    return user;
  });
}

core::result<api_passwords> parse_api_passwords(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    auto old_one = in.needed_text("old_password");
    return api_passwords{std::move(old_one), in.needed_text("password")};
  });
}

std::string api_session(const core::principal& who, bool must_change_password, std::string_view csrf_token,
                        std::optional<core::time_point> expires) {
  return json_object_of([&](json_object& session) {
    session.number("user", number(who.user));
    session.text("name", who.name);
    session.boolean("admin", who.admin);
    session.raw("rights", api_rights(who.rights));
    session.text("by", csrf_token.empty() ? "key" : "session");
    session.boolean("must_change_password", must_change_password);
    append_text_or_null(session, "csrf_token", csrf_token);
    append_instant(session, "expires_ms", expires);
  });
}

std::string api_keys(const std::vector<core::api_key>& keys) { return json_array(keys, append_key); }

std::string api_new_key(core::api_key_id id, std::string_view key) {
  return json_object_of([&](json_object& made) {
    made.number("id", number(id));
    made.text("key", key);
  });
}

core::result<core::api_key_search> api_key_search_of(const form& sent, const api_cursor& from) {
  return api_id_of(sent, "user").map([&](std::optional<std::int32_t> user) {
    core::api_key_search search;
    if (user)
      search.user = core::user_id{*user};
    search.after = core::api_key_id{from.place};
    search.limit = from.limit;
    return search;
  });
}

std::string api_sessions(const std::vector<core::open_session>& sessions, std::optional<core::session_id> current) {
  return json_array(sessions, [current](std::string& out, const core::open_session& each) {
    json_object row{out};
    row.number("id", number(each.id));
    row.number("user", number(each.user));
    row.text("user_name", each.user_name);
    append_instant(row, "opened_ms", each.opened);
    append_instant(row, "used_ms", each.used);
    append_instant(row, "expires_ms", each.expires);
    append_text_or_null(row, "remote", each.remote);
    row.boolean("current", each.id == current);
  });
}

core::result<core::session_search> api_session_search_of(const form& sent, const api_cursor& from) {
  return api_id_of(sent, "user").map([&](std::optional<std::int32_t> user) {
    core::session_search search;
    if (user)
      search.user = core::user_id{*user};
    search.window = {static_cast<std::size_t>(from.place), from.limit};
    return search;
  });
}

std::string api_user_settings(const core::user_settings& settings) {
  return json_object_of([&](json_object& out) {
    append_text_or_null(out, "language", settings.language.value_or(""));
    append_text_or_null(out, "zone", settings.zone.value_or(""));
    append_text_or_null(out, "theme", settings.theme.value_or(""));
    append_text_or_null(out, "start_page", settings.start_page.value_or(""));
    settings.refresh_s ? out.number("refresh_s", *settings.refresh_s) : out.raw("refresh_s", "null");
    settings.keys ? out.boolean("keys", *settings.keys) : out.raw("keys", "null");
  });
}

core::result<core::user_settings> parse_api_user_settings(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
           core::user_settings settings;
           settings.language = in.maybe_text("language");
           settings.zone = in.maybe_text("zone");
           settings.theme = in.maybe_text("theme");
           settings.start_page = in.maybe_text("start_page");
           if (const auto seconds = in.maybe_number("refresh_s", 1, core::refresh_seconds_max))
             settings.refresh_s = static_cast<std::int32_t>(*seconds);
           settings.keys = in.optional_boolean("keys");
           return settings;
         })
    .and_then([](core::user_settings&& settings) {
      return core::check_user_settings(settings).map([&] { return std::move(settings); });
    });
}

core::result<api_key_request> parse_api_key(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    api_key_request wanted;
    wanted.name = in.needed_text("name");
    if (const auto user = in.maybe_id("user"))
      wanted.user = core::user_id{*user};
    if (const auto expires = in.maybe_number("expires_ms", 1, core::latest_ms))
      wanted.expires = core::from_ms(*expires);
    return wanted;
  });
}

} // namespace ringmaster::protocol::wire
