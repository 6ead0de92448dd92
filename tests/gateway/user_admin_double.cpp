// Doubles of group_admin and user_admin.

#include <utility>

#include "tests/gateway/admin_rows.hpp"

namespace ringmaster::test {

namespace {

core::group_record a_group() {
  core::group_record record;
  record.group = {core::group_id{1}, "app-1", "First", core::address_type::automatic, {"http://a:1/", "http://b:1/"}};
  record.updated = at(a_second);
  return record;
}

/// Returns the list of permissions; `only: ` marks one that replaces finer permissions, which XXL's form keeps.
std::string text_of_rights(const std::optional<std::vector<std::pair<core::group_id, group_right>>>& rights, bool keeps_finer) {
  if (!rights)
    return "-";
  std::string text;
  for (const auto& [group, right] : *rights)
    text.append(text.empty() ? "" : ",").append(std::to_string(core::number(group))).append("=").append(core::stored_name(right));
  return keeps_finer ? text : "only: " + text;
}

core::principal who_has(const std::string& session) {
  const auto with = [](std::int32_t id, std::string name, group_right right) {
    core::principal who{core::user_id{id}, std::move(name)};
    if (right != group_right::none)
      who.rights = {{core::group_id{1}, right}};
    return who;
  };
  if (session == "viewer")
    return with(2, "vera", group_right::viewer);
  if (session == "operator")
    return with(3, "otto", group_right::operate);
  if (session == "editor")
    return with(4, "edda", group_right::editor);
  if (session == "stranger")
    return with(5, "stan", group_right::none);
  if (session == "admin" || session == "mona")
    return core::principal{core::user_id{session == "admin" ? 1 : 6}, session, true};
  return {};
}

core::result<void> check_own(const core::principal& by, core::user_id user) {
  if (by.admin || by.user == user)
    return {};
  return tl::unexpected{core::not_permitted(by, "needs the permission of an administrator to have API keys of another user")};
}

} // namespace

protocol::group_admin::behavior_type group_admin_double::make_behavior() {
  return {
    [this](const protocol::save_group& m) {
      const auto& d = m.draft;
      const auto line = line_of("save_group", text_of(m.id), d.app_name, d.title, d.type, d.address_list);
      return script->answer(line + text_of_seen(m.seen), m.by, check_admin(m.by), protocol::saved_group{core::group_id{9}});
    },
    [this](const protocol::remove_group& m) {
      return script->answer_done(line_of("remove_group", m.id) + text_of_seen(m.seen), m.by, check_admin(m.by));
    },
    [this](const protocol::group_query& m) {
      return script->answer(line_of("group_query", m.id), m.by, check_right(m.by, group_right::viewer, m.id),
                            protocol::group_page{page_of(a_group())});
    },
    [this](const protocol::group_page_query& m) {
      const auto& s = m.search;
      return script->answer(line_of("group_page_query", s.app_name_part, s.title_part, text_of(s.window)), m.by,
                            check_admin(m.by), protocol::group_page{page_of(a_group())});
    },
    [this](const protocol::visible_groups_query& m) {
      const auto order = m.find.order ? std::to_string(static_cast<int>(*m.find.order)) : "-";
      auto line = m.with_figures ? line_of("visible_groups_query", m.find.part, order, m.find.descending, text_of(m.window))
                                 : line_of("visible_groups_query");
      return script->answer(line, m.by, {}, protocol::group_page{page_of(a_group()), {{core::group_id{1}, 7, true}}});
    },
  };
}

caf::result<protocol::identified> user_admin_double::identify_key(const protocol::identify_key& m) {
  auto name = m.key.substr(core::api_key_prefix.size());
  name = name.substr(0, name.find('-'));
  script->note_key(m.key + "@" + m.remote);
  if (name == "throttled")
    return protocol::to_caf({core::errc::too_large, "try again in 7 s", core::refusal::none, "7"});
  if (name == "broken")
    return protocol::to_caf({core::errc::unavailable, "the store is away"});
  auto who = who_has(name);
  if (who.name.empty())
    return protocol::to_caf({core::errc::not_found, "no such key"});
  return protocol::identified{std::move(who), false};
}

protocol::user_admin::behavior_type user_admin_double::make_behavior() {
  return {
    [this](const protocol::sign_in& m) {
      return script->answer(line_of("sign_in", m.name, m.password, m.remember, m.remote),
                            protocol::signed_in{"s-new", who_has("admin"), false, std::chrono::hours{24 * 7}, at(a_second)});
    },
    [this](const protocol::one_time_sign_in& m) {
      return script->answer(line_of("one_time_sign_in", m.token, m.remote),
                            protocol::signed_in{"s-new", who_has("admin"), false, std::chrono::hours{24 * 7}, at(a_second)});
    },
    [this](const protocol::sign_out& m) -> caf::result<void> {
      if (auto refused = script->note(line_of("sign_out", m.session)))
        return protocol::to_caf(*refused);
      return {};
    },
    [](const protocol::identify& m) -> caf::result<protocol::identified> {
      if (m.session == "broken")
        return protocol::to_caf({core::errc::unavailable, "the store is away"});
      auto who = who_has(m.session);
      if (who.name.empty())
        return protocol::to_caf({core::errc::not_found, "no such session"});
      return protocol::identified{std::move(who), m.session == "mona", at(a_second)};
    },
    [this](const protocol::user_query& m) {
      const auto& s = m.search;
      const auto role = s.admin ? std::optional{*s.admin ? 1 : 0} : std::nullopt;
      return script->answer(line_of("user_query", s.name_part, text_of(role), text_of(s.window)), m.by, check_admin(m.by),
                            protocol::user_page{page_of(a_user()), {{core::user_id{4}, at(a_second), 2, 3, true}}});
    },
    [this](const protocol::user_by_id& m) {
      return script->answer(line_of("user_by_id", m.id), m.by, check_admin(m.by), protocol::user_found{a_user()});
    },
    [this](const protocol::save_user& m) {
      const auto rights = text_of_rights(m.rights, m.keeps_finer);
      return script->answer(line_of("save_user", text_of(m.id), m.name, m.password, m.admin, rights) + text_of_seen(m.seen),
                            m.by, check_admin(m.by), protocol::saved_user{core::user_id{8}});
    },
    [this](const protocol::remove_user& m) {
      return script->answer_done(line_of("remove_user", m.id) + text_of_seen(m.seen), m.by, check_admin(m.by));
    },
    [this](const protocol::change_password& m) {
      return script->answer_done(line_of("change_password", m.old_password, m.password), m.by, {});
    },
    [this](const protocol::audit_query& m) {
      const auto& s = m.search;
      core::audit_row row{12, at(a_second), core::user_id{1}, "admin"};
      row.changes = "a: 1 -> 2\nb: \"\" -> \"x\"";
      auto line = line_of("audit_query", s.user_name.value_or("-"), text_of(s.before), std::to_string(s.limit));
      if (s.action || s.from || s.to || !s.text_part.empty())
        line += " of " + line_of(s.action ? core::stored_name(*s.action) : "-", text_of(s.from), text_of(s.to), s.text_part);
      return script->answer(line, m.by, check_admin(m.by), protocol::audit_list{{std::move(row)}});
    },
    [this](const protocol::changes_query& m) {
      const auto* job = std::get_if<core::job_id>(&m.object);
      const auto group = job ? group_of(*job) : std::get<core::group_id>(m.object);
      core::audit_row row{12, at(a_second), core::user_id{1}, "admin"};
      row.at += core::milliseconds{1250}; // in the second of the job's last edit
      row.changes = "a: 1 -> 2\nb: \"\" -> \"x\"\npassword: changed";
      return script->answer(line_of("changes_query", job ? "job" : "group", core::group_id{group}, text_of(m.window.before),
                                    std::to_string(m.window.limit)),
                            m.by, check_right(m.by, group_right::viewer, group), protocol::audit_list{{std::move(row)}});
    },
    [this](const protocol::identify_key& m) { return identify_key(m); },
    [this](const protocol::add_key& m) {
      return script->answer(line_of("add_key", m.name, text_of(m.user), text_of(m.expires)), m.by,
                            check_own(m.by, m.user.value_or(m.by.user)),
                            protocol::added_key{core::api_key_id{5}, "rmk_told-once"});
    },
    [this](const protocol::remove_key& m) {
      return script->answer_done(line_of("remove_key", m.id), m.by,
                                 check_own(m.by, core::number(m.id) < 1000 ? m.by.user : core::user_id{}));
    },
    [this](const protocol::key_query& m) {
      const auto& s = m.search;
      core::api_key key{core::api_key_id{5}, "ci", core::user_id{1}, "admin", at(a_second), std::nullopt, at(a_second)};
      return script->answer(line_of("key_query", text_of(s.user), s.after, std::to_string(s.limit)), m.by,
                            check_own(m.by, s.user.value_or(m.by.user)), protocol::key_list{{std::move(key)}});
    },
    [this](const protocol::session_query& m) {
      const core::open_session one{core::session_id{9}, core::user_id{1}, "admin", at(a_second), at(a_second), {}, "10.0.0.8"};
      return script->answer(line_of("session_query", text_of(m.search.user), text_of(m.search.window), m.current), m.by,
                            check_own(m.by, m.search.user.value_or(m.by.user)),
                            protocol::session_page{page_of(one), core::session_id{9}});
    },
    [this](const protocol::end_session& m) {
      return script->answer_done(line_of("end_session", m.session), m.by,
                                 check_own(m.by, core::number(m.session) < 1000 ? m.by.user : core::user_id{}));
    },
    [this](const protocol::user_settings_query& m) {
      core::user_settings settings;
      settings.theme = "dark";
      settings.refresh_s = 10;
      return script->answer(line_of("user_settings_query"), m.by, core::result<void>{},
                            protocol::user_settings_found{std::move(settings)});
    },
    [this](const protocol::save_user_settings& m) {
      const auto& s = m.settings;
      return script->answer_done(line_of("save_user_settings", s.language.value_or("-"), s.zone.value_or("-"),
                                         s.theme.value_or("-"), s.start_page.value_or("-"), s.refresh_s.value_or(0),
                                         s.keys.value_or(false)),
                                 m.by, core::result<void>{});
    },
  };
}

} // namespace ringmaster::test
