#include "core/rules/access_rules.hpp"

#include <algorithm>

#include "core/columns.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/text/md5.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t stored_name_chars = 50;

/// Returns `3, 4 viewer, 7 operator`: groups of XXL's list have no word.
std::string rights_text(const group_rights& rights) {
  std::string out;
  for (const auto& [group, right] : rights) {
    out += (out.empty() ? "" : ", ") + std::to_string(number(group));
    if (right != group_right::editor)
      out += ' ' + std::string{stored_name(right)};
  }
  return out;
}

audit_line change_line(std::string_view name, std::string_view before, std::string_view after) {
  return {std::string{name} + ": \"" + std::string{before} + "\" -> \"" + std::string{after} + '"',
          {std::string{name}, std::string{before}, std::string{after}}};
}

std::string_view role_name(bool admin) noexcept { return admin ? "admin" : "user"; }

bool gives_less(const user_card& before, const user_card& after) {
  if (before.admin)
    return !after.admin;
  const principal now{after.id, {}, after.admin, after.rights};
  return std::any_of(before.rights.begin(), before.rights.end(),
                     [&](const auto& had) { return !now.may(had.second, had.first); });
}

/// Returns permissions in ascending order, one per group, without empty ones.
group_rights in_order(const group_rights& rights) {
  group_rights out;
  for (const auto& [group, right] : rights)
    if (right != group_right::none)
      add_right(out, group, right);
  return out;
}

error rights_too_long(std::string_view field) {
  return {errc::invalid_argument, std::string{field} + " is longer than its column", refusal::too_long, std::string{field}};
}

} // namespace

std::string password_mark(std::string_view password_hash) {
  std::string out;
  for (const auto byte : md5(password_hash)) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

group_rights listed_rights(std::string_view permission) {
  group_rights out;
  while (!permission.empty()) {
    const auto end = std::min(permission.find(','), permission.size());
    if (const auto id = parse_int32(trimmed(permission.substr(0, end))))
      add_right(out, group_id{*id}, group_right::editor);
    permission.remove_prefix(std::min(end + 1, permission.size()));
  }
  return out;
}

void add_right(group_rights& rights, group_id group, group_right right) {
  const auto at =
    std::lower_bound(rights.begin(), rights.end(), group, [](const auto& each, auto id) { return each.first < id; });
  if (at == rights.end() || at->first != group)
    rights.insert(at, {group, right});
  else
    at->second = std::max(at->second, right);
}

namespace {

/// Returns the groups of `rights` that are not in `others`.
std::vector<group_id> groups_only_in(const group_rights& rights, const group_rights& others) {
  std::vector<group_id> out;
  for (const auto& [group, right] : rights)
    if (std::none_of(others.begin(), others.end(), [id = group](const auto& other) { return other.first == id; }))
      out.push_back(group);
  return out;
}

} // namespace

result<user_edit> plan_edit(const user_secret* before, const user_draft& draft) {
  user_edit edit;
  if (before)
    edit.after = before->card;
  else
    edit.after.name = draft.name;
  if (!fits(edit.after.name, stored_name_chars))
    return tl::unexpected{rights_too_long("username")};
  edit.after.admin = draft.admin;
  if (draft.rights)
    edit.after.rights = in_order(*draft.rights);
  if (draft.rights && draft.keeps_finer && before)
    for (const auto& [group, right] : before->card.rights)
      if (right != group_right::editor)
        add_right(edit.after.rights, group, right);
  std::string listed;
  for (const auto& [group, right] : edit.after.rights)
    if (right == group_right::editor)
      listed += (listed.empty() ? "" : ",") + std::to_string(number(group));
    else
      edit.finer.emplace_back(group, right);
  if (listed.size() > permission_chars)
    return tl::unexpected{rights_too_long("permission")};
  if (!listed.empty())
    edit.permission = std::move(listed);

  const user_card nobody;
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

result<void> check_groups(const user_edit& edit, const std::vector<group_id>& groups) {
  for (const auto group : edit.new_groups)
    if (!std::binary_search(groups.begin(), groups.end(), group))
      return fail(errc::invalid_argument, "permissions: unknown group " + std::to_string(number(group)));
  return {};
}

error is_last_admin(const user_card& user) {
  return {errc::conflict, "user " + valid_utf8(user.name) + " is the last administrator: add another one first"};
}

result<void> check_seen(const user_card& before, std::string_view seen) {
  return check_seen(before, seen, "user " + valid_utf8(before.name));
}

error no_such_user(std::string_view name) { return {errc::not_found, "unknown user " + valid_utf8(name)}; }

error no_such_user(user_id user) { return {errc::not_found, "user " + std::to_string(number(user)) + " does not exist"}; }

error user_name_is_taken(std::string_view name) {
  return {errc::conflict, "there is a user " + valid_utf8(name) + " already", refusal::user_repeated};
}

error password_has_changed() { return {errc::conflict, "the password has changed in the meantime"}; }

error no_session() { return {errc::not_found, "there is no such session"}; }

result<void> check_sessions_of(const principal& by, user_id user) {
  if (by.admin || (by.user == user && user != user_id{}))
    return {};
  return tl::unexpected{not_permitted(by, "needs the permission of an administrator to see or end sessions of user " +
                                            std::to_string(number(user)))};
}

result<void> check_own_password(const principal& by, user_id user) {
  if (by.user == user && user != user_id{})
    return {};
  return tl::unexpected{
    not_permitted(by, "may only change their own password here, not that of user " + std::to_string(number(user)))};
}

error no_such_key() { return {errc::not_found, "there is no such API key"}; }

error key_is_taken() { return {errc::conflict, "there is such an API key already"}; }

result<void> check_keys_of(const principal& by, user_id user) {
  if (by.admin || (by.user == user && user != user_id{}))
    return {};
  return tl::unexpected{not_permitted(by, "needs the permission of an administrator to have API keys of user " +
                                            std::to_string(number(user)))};
}

result<void> check_draft(const api_key_draft& draft, time_point now) {
  if (is_blank(draft.name))
    return fail(errc::invalid_argument, "the name of an API key is empty");
  if (!fits(draft.name, api_key_name_chars_max))
    return tl::unexpected{rights_too_long("name")};
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (valid_utf8(draft.name) != draft.name || std::any_of(draft.name.begin(), draft.name.end(), is_control))
    return fail(errc::invalid_argument, "the name of an API key must be UTF-8 without control characters");
  if (draft.expires && *draft.expires <= now)
    return fail(errc::invalid_argument, "the end of the API key is in the past");
  return {};
}

result<void> check_key_count(std::int64_t count) {
  if (count < static_cast<std::int64_t>(api_keys_max))
    return {};
  return fail(errc::too_large, "a user has at most " + std::to_string(api_keys_max) + " API keys");
}

std::vector<audit_line> changes_of(const api_key_draft& draft, const user_card& user) {
  std::vector<audit_line> lines{change_line("user", "", user.name)};
  if (draft.expires)
    lines.push_back(change_line("expires_ms", "", std::to_string(to_ms(*draft.expires))));
  return lines;
}

audit_row audit_of_user(const principal& by, audit_action action, const user_card& user, const std::vector<audit_line>& changes,
                        time_point now) {
  return audit_of(by, action, audit_object::user, number(user.id), user.name, changes, now);
}

} // namespace ringmaster::core
