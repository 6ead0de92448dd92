#include "storage/editing/access_rules.hpp"

#include <algorithm>

#include "core/editing/edit_tag.hpp"
#include "core/text/md5.hpp"
#include "core/text/text.hpp"
#include "storage/editing/audit_rules.hpp"

namespace ringmaster::storage {

namespace {

constexpr std::size_t stored_name_chars = 50;
constexpr std::size_t permission_chars = 255;

/// Returns `3, 4 viewer, 7 operator`: groups of XXL's list have no word.
std::string rights_text(const group_rights& rights) {
  std::string out;
  for (const auto& [group, right] : rights) {
    out += (out.empty() ? "" : ", ") + std::to_string(core::number(group));
    if (right != core::group_right::editor)
      out += ' ' + std::string{core::stored_name(right)};
  }
  return out;
}

std::string change_line(std::string_view name, std::string_view before, std::string_view after) {
  return std::string{name} + ": \"" + std::string{before} + "\" -> \"" + std::string{after} + '"';
}

std::string_view role_name(bool admin) noexcept { return admin ? "admin" : "user"; }

bool gives_less(const core::user_card& before, const core::user_card& after) {
  if (before.admin)
    return !after.admin;
  const core::principal now{after.id, {}, after.admin, after.rights};
  return std::any_of(before.rights.begin(), before.rights.end(),
                     [&](const auto& had) { return !now.may(had.second, had.first); });
}

/// Returns permissions in ascending order, one per group, without empty ones.
group_rights in_order(const group_rights& rights) {
  group_rights out;
  for (const auto& [group, right] : rights)
    if (right != core::group_right::none)
      add_right(out, group, right);
  return out;
}

core::error rights_too_long(std::string_view field) {
  return {core::errc::invalid_argument, std::string{field} + " is longer than its column", core::refusal::too_long,
          std::string{field}};
}

} // namespace

std::string password_mark(std::string_view password_hash) {
  std::string out;
  for (const auto byte : core::md5(password_hash)) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

group_rights listed_rights(std::string_view permission) {
  group_rights out;
  while (!permission.empty()) {
    const auto end = std::min(permission.find(','), permission.size());
    if (const auto id = core::parse_int32(core::trimmed(permission.substr(0, end))))
      add_right(out, core::group_id{*id}, core::group_right::editor);
    permission.remove_prefix(std::min(end + 1, permission.size()));
  }
  return out;
}

void add_right(group_rights& rights, core::group_id group, core::group_right right) {
  const auto at =
    std::lower_bound(rights.begin(), rights.end(), group, [](const auto& each, auto id) { return each.first < id; });
  if (at == rights.end() || at->first != group)
    rights.insert(at, {group, right});
  else
    at->second = std::max(at->second, right);
}

namespace {

/// Returns the groups of `rights` that are not in `others`.
std::vector<core::group_id> groups_only_in(const group_rights& rights, const group_rights& others) {
  std::vector<core::group_id> out;
  for (const auto& [group, right] : rights)
    if (std::none_of(others.begin(), others.end(), [group](const auto& other) { return other.first == group; }))
      out.push_back(group);
  return out;
}

} // namespace

core::result<user_edit> plan_edit(const core::user_secret* before, const core::user_draft& draft) {
  user_edit edit;
  if (before)
    edit.after = before->card;
  else
    edit.after.name = draft.name;
  if (!core::fits(edit.after.name, stored_name_chars))
    return tl::unexpected{rights_too_long("username")};
  edit.after.admin = draft.admin;
  if (draft.rights)
    edit.after.rights = in_order(*draft.rights);
  if (draft.rights && draft.keeps_finer && before)
    for (const auto& [group, right] : before->card.rights)
      if (right != core::group_right::editor)
        add_right(edit.after.rights, group, right);
  std::string listed;
  for (const auto& [group, right] : edit.after.rights)
    if (right == core::group_right::editor)
      listed += (listed.empty() ? "" : ",") + std::to_string(core::number(group));
    else
      edit.finer.emplace_back(group, right);
  if (listed.size() > permission_chars)
    return tl::unexpected{rights_too_long("permission")};
  if (!listed.empty())
    edit.permission = std::move(listed);

  const core::user_card nobody;
  const auto& was = before ? before->card : nobody;
  if (!before || was.admin != draft.admin)
    edit.changes.push_back(change_line("role", before ? role_name(was.admin) : "", role_name(draft.admin)));
  if (was.rights != edit.after.rights)
    edit.changes.push_back(change_line("groups", rights_text(was.rights), rights_text(edit.after.rights)));
  const bool other_password = before && draft.password_hash && *draft.password_hash != before->password_hash;
  if (other_password)
    edit.changes.emplace_back("password: changed");
  if (!draft.keeps_finer)
    edit.new_groups = groups_only_in(edit.after.rights, was.rights);
  edit.ends_sessions = before && (other_password || gives_less(was, edit.after));
  return edit;
}

core::result<void> check_groups(const user_edit& edit, const std::vector<core::group_id>& groups) {
  for (const auto group : edit.new_groups)
    if (!std::binary_search(groups.begin(), groups.end(), group))
      return core::fail(core::errc::invalid_argument,
                        "permissions: unknown group " + std::to_string(core::number(group)));
  return {};
}

core::error is_last_admin(const core::user_card& user) {
  return {core::errc::conflict, "user " + core::valid_utf8(user.name) + " is the last administrator: add another one first"};
}

core::result<void> check_seen(const core::user_card& before, std::string_view seen) {
  return core::check_seen(before, seen, "user " + core::valid_utf8(before.name));
}

core::error no_such_user(std::string_view name) {
  return {core::errc::not_found, "unknown user " + core::valid_utf8(name)};
}

core::error no_such_user(core::user_id user) {
  return {core::errc::not_found, "user " + std::to_string(core::number(user)) + " does not exist"};
}

core::error name_is_taken(std::string_view name) {
  return {core::errc::conflict, "there is a user " + core::valid_utf8(name) + " already", core::refusal::user_repeated};
}

core::error password_has_changed() { return {core::errc::conflict, "the password has changed in the meantime"}; }

core::error no_session() { return {core::errc::not_found, "there is no such session"}; }

core::result<void> check_own_password(const core::principal& by, core::user_id user) {
  if (by.user == user && user != core::user_id{})
    return {};
  return tl::unexpected{core::not_permitted(by, "change the password of user " + std::to_string(core::number(user)))};
}

core::error no_such_key() { return {core::errc::not_found, "there is no such API key"}; }

core::error key_is_taken() { return {core::errc::conflict, "there is such an API key already"}; }

core::result<void> check_keys_of(const core::principal& by, core::user_id user) {
  if (by.admin || (by.user == user && user != core::user_id{}))
    return {};
  return tl::unexpected{core::not_permitted(by, "have API keys of user " + std::to_string(core::number(user)))};
}

core::result<void> check_draft(const core::api_key_draft& draft, core::time_point now) {
  if (core::is_blank(draft.name))
    return core::fail(core::errc::invalid_argument, "the name of an API key is empty");
  if (!core::fits(draft.name, core::api_key_name_chars_max))
    return tl::unexpected{rights_too_long("name")};
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (core::valid_utf8(draft.name) != draft.name || std::any_of(draft.name.begin(), draft.name.end(), is_control))
    return core::fail(core::errc::invalid_argument, "the name of an API key must be UTF-8 without control characters");
  if (draft.expires && *draft.expires <= now)
    return core::fail(core::errc::invalid_argument, "the end of the API key is in the past");
  return {};
}

core::result<void> check_key_count(std::int64_t count) {
  if (count < static_cast<std::int64_t>(core::api_keys_max))
    return {};
  return core::fail(core::errc::too_large, "a user has at most " + std::to_string(core::api_keys_max) + " API keys");
}

std::vector<std::string> changes_of(const core::api_key_draft& draft, const core::user_card& user) {
  std::vector<std::string> lines{change_line("user", "", user.name)};
  if (draft.expires)
    lines.push_back(change_line("expires_ms", "", std::to_string(core::to_ms(*draft.expires))));
  return lines;
}

core::audit_row audit_of_user(const core::principal& by, core::audit_action action, const core::user_card& user,
                              const std::vector<std::string>& changes, core::time_point now) {
  return audit_of(by, action, core::audit_object::user, core::number(user.id), user.name, changes, now);
}

} // namespace ringmaster::storage
