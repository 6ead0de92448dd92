#include "core/access/user_rules.hpp"

#include <algorithm>

#include "core/columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Maximum length of a refused item in an error.
constexpr std::size_t shown_name_chars = 40;

tl::unexpected<error> misfit_user(refusal why, std::string context, std::string subject = {}) {
  return refuse(errc::invalid_argument, why, std::move(context), std::move(subject));
}

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

} // namespace

result<void> check_user_name(std::string_view typed) {
  if (is_blank(typed))
    return misfit_user(refusal::user_name_empty, "the user name is empty");
  const auto name = trimmed(typed);
  const auto length = count_characters(name);
  if (length < user_name_chars_min || length > user_name_chars_max)
    return misfit_user(refusal::name_length, "a user name must have 4 to 20 characters, not " + std::to_string(length));
  if (std::any_of(name.begin(), name.end(), is_control))
    return misfit_user(refusal::none, "a user name must not contain control characters");
  if (has_hidden_characters(name))
    return misfit_user(refusal::none, std::string{"name: "}.append(no_hidden_characters));
  return {};
}

result<void> check_password(std::string_view typed) {
  if (is_blank(typed))
    return misfit_user(refusal::password_empty, "the password is empty");
  if (typed.size() > long_password_bytes_max)
    return misfit_user(refusal::too_long, "password is longer than " + std::to_string(long_password_bytes_max) + " bytes",
                       "password");
  return {};
}

result<void> check_password(std::string_view typed, password_form form) {
  if (auto sound = check_password(typed); !sound)
    return sound;
  if (form != password_form::argon2id) {
    const auto length = count_characters(trimmed(typed));
    if (length < password_chars_min || length > password_chars_max)
      return misfit_user(refusal::name_length, "a password that Java admins can read must have 4 to 20 characters");
    return {};
  }
  if (count_characters(typed) < own_password_chars_min)
    return misfit_user(refusal::password_short,
                       "a password must have at least " + std::to_string(own_password_chars_min) + " characters");
  return {};
}

result<std::vector<std::pair<group_id, group_right>>> parse_permission(std::string_view list) {
  if (!fits(list, permission_chars))
    return misfit_user(refusal::too_long, "permission is longer than " + std::to_string(permission_chars) + " characters",
                 "permission");
  std::vector<std::pair<group_id, group_right>> rights;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    const auto item = trimmed(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (item.empty())
      continue;
    const auto id = parse_int32(item);
    if (!id || *id < 1)
      return fail(errc::invalid_argument, "the parameter permission has \"" +
                                            std::string{cut_characters(valid_utf8(item), shown_name_chars)} +
                                            "\" where the id of a group must be");
    rights.emplace_back(group_id{*id}, group_right::editor);
  }
  std::sort(rights.begin(), rights.end());
  rights.erase(std::unique(rights.begin(), rights.end()), rights.end());
  return rights;
}

std::string permission_text(const std::vector<std::pair<group_id, group_right>>& rights) {
  std::string text;
  for (const auto& [group, right] : rights)
    if (right == group_right::editor)
      (text.empty() ? text : text += ',') += std::to_string(number(group));
  return text;
}

} // namespace ringmaster::core
