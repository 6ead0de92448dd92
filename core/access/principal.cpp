#include "core/access/principal.hpp"

#include <array>

namespace ringmaster::core {

namespace {

constexpr std::array<std::pair<group_right, std::string_view>, 3> names{
  {{group_right::viewer, "viewer"}, {group_right::operate, "operator"}, {group_right::editor, "editor"}}};

} // namespace

std::string_view stored_name(group_right right) noexcept {
  const auto found = std::find_if(names.begin(), names.end(), [right](const auto& each) { return each.first == right; });
  return found != names.end() ? found->second : std::string_view{};
}

std::optional<group_right> find_group_right(std::string_view name) noexcept {
  const auto found = std::find_if(names.begin(), names.end(), [name](const auto& each) { return each.second == name; });
  return found != names.end() ? std::optional{found->first} : std::nullopt;
}

const principal& local_operator() {
  static const principal self{user_id{}, "local", true};
  return self;
}

error not_permitted(const principal& who, std::string_view what) {
  return {errc::forbidden, "user " + who.name + ' ' + std::string{what}, refusal::not_permitted, who.name};
}

result<void> check_right(const principal& who, group_right wanted, group_id group) {
  const auto own = who.right_in(group);
  if (own >= wanted)
    return {};
  const std::string has{own == group_right::none ? std::string_view{"none"} : stored_name(own)};
  return tl::unexpected{not_permitted(who, "needs the permission " + std::string{stored_name(wanted)} + " in group " +
                                             std::to_string(number(group)) + " and has " + has + " there")};
}

result<void> check_right_anywhere(const principal& who, group_right wanted) {
  const auto suffices = [wanted](const auto& each) { return each.second >= wanted; };
  if (who.admin || std::any_of(who.rights.begin(), who.rights.end(), suffices))
    return {};
  return tl::unexpected{not_permitted(who, "needs the permission " + std::string{stored_name(wanted)} + " in some group")};
}

result<void> check_admin(const principal& who) {
  if (who.admin)
    return {};
  return tl::unexpected{not_permitted(who, "needs the permission of an administrator")};
}

} // namespace ringmaster::core
