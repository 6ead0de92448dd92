#include "protocol/wire/v1/api_keys.hpp"

#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_users.hpp"

namespace ringmaster::protocol::wire {

namespace {

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

std::string api_session(const core::principal& who, bool must_change_password, std::string_view csrf_token) {
  std::string out;
  {
    json_object session{out};
    session.number("user", number(who.user));
    session.text("name", who.name);
    session.boolean("admin", who.admin);
    session.raw("rights", api_rights(who.rights));
    session.text("by", csrf_token.empty() ? "key" : "session");
    session.boolean("must_change_password", must_change_password);
    append_text_or_null(session, "csrf_token", csrf_token);
  }
  return out;
}

std::string api_keys(const std::vector<core::api_key>& keys) { return json_array(keys, append_key); }

std::string api_new_key(core::api_key_id id, std::string_view key) {
  std::string out;
  {
    json_object made{out};
    made.number("id", number(id));
    made.text("key", key);
  }
  return out;
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

core::result<api_key_request> parse_api_key(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    api_key_request wanted;
    wanted.name = in.needed_text("name");
    if (const auto user = in.maybe_id("user"))
      wanted.user = core::user_id{*user};
    if (const auto expires = in.maybe_number("expires_ms", 1, instant_ms_max))
      wanted.expires = core::from_ms(*expires);
    return wanted;
  });
}

} // namespace ringmaster::protocol::wire
