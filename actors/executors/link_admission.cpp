#include "actors/executors/link_admission.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text/native_address.hpp"
#include "core/text/text.hpp"
#include "protocol/address_key.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::actors {

namespace {

/// Returns the groups of the app name, by ascending id.
std::vector<const core::group*> own_groups(const std::string& app_name, const protocol::registry_view& view) {
  std::vector<const core::group*> own;
  for (const auto& [id, group] : view.groups)
    if (group.app_name == app_name)
      own.push_back(&group);
  std::sort(own.begin(), own.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  return own;
}

std::optional<core::token_kind> kind_of(std::string_view token, const std::vector<const core::group*>& groups,
                                        const link_rules& rules) {
  using core::equal_in_constant_time;
  if (core::is_blank(rules.common->current) || core::is_common_token(*rules.common, token, rules.now))
    return core::token_kind::common;
  for (const auto* group : groups) {
    if (!group->access_token.empty() && equal_in_constant_time(token, group->access_token))
      return core::token_kind::group;
    if (!group->previous_token.empty() && rules.now < group->previous_until
        && equal_in_constant_time(token, group->previous_token))
      return core::token_kind::previous;
  }
  return std::nullopt;
}

std::string refusal_of_address(const protocol::link_hello& hello, const link_rules& rules) {
  if (!protocol::is_native_only(hello.address))
    return rules.judge ? rules.judge(hello.address) : std::string{};
  if (rules.mode == core::cluster_mode::shared)
    return "alongside Java admins an executor needs an HTTP address, because Java admins use HTTP only";
  if (!core::is_native_address(hello.address, hello.app_name))
    return "invalid address: expected ringmaster://" + hello.app_name + "/instance";
  return {};
}

/// Returns why the address is refused. A group's token does not prove where an executor is, so it must not take over the address
/// of another host.
std::string refusal_of_host(const protocol::link_hello& hello, const link_rules& rules) {
  if (protocol::is_native_only(hello.address) || protocol::host_key(hello.address) == rules.peer_host)
    return {};
  return "with a group's token the address must be on the host of this connection (" + std::string{rules.peer_host}
         + "), or ringmaster://" + hello.app_name + "/instance";
}

} // namespace

bool link_admission::serves(core::group_id group) const noexcept {
  if (!refusal.empty())
    return false;
  return token == core::token_kind::common || (groups && std::binary_search(groups->begin(), groups->end(), group));
}

std::shared_ptr<const std::vector<core::group_id>> groups_of(const std::string& app_name, const protocol::registry_view& view) {
  std::vector<core::group_id> ids;
  for (const auto& [id, group] : view.groups)
    if (group.app_name == app_name)
      ids.push_back(group.id);
  std::sort(ids.begin(), ids.end());
  return std::make_shared<const std::vector<core::group_id>>(std::move(ids));
}

std::string refusal_of_version(const protocol::link_hello& hello) {
  return protocol::is_link_version(hello.version) ? std::string{} : protocol::text_of_version_refusal(hello.version);
}

std::vector<std::string_view> tokens_for(const std::string& app_name, const protocol::registry_view& view,
                                         const link_rules& rules) {
  // A blank token admits executors without a token; they prove that they have none.
  const auto& common = *rules.common;
  std::vector<std::string_view> tokens{core::is_blank(common.current) ? std::string_view{} : common.current};
  if (core::former_counts(common, rules.now))
    tokens.push_back(common.former);
  for (const auto* group : own_groups(app_name, view)) {
    if (!group->access_token.empty())
      tokens.push_back(group->access_token);
    if (!group->previous_token.empty() && rules.now < group->previous_until)
      tokens.push_back(group->previous_token);
  }
  return tokens;
}

link_admission admit_link(const protocol::link_hello& hello, std::string_view shown, const protocol::registry_view& view,
                          const link_rules& rules) {
  if (auto why = refusal_of_version(hello); !why.empty())
    return {std::move(why)};
  const auto own = own_groups(hello.app_name, view);
  const auto token = kind_of(shown, own, rules);
  // Checks the token first: without one, a client must not learn which groups exist.
  if (!token)
    return {link_admission::wrong_token};
  if (own.empty())
    return {"no group has the app name " + hello.app_name};
  if (auto why = refusal_of_address(hello, rules); !why.empty())
    return {std::move(why)};
  if (*token != core::token_kind::common)
    if (auto why = refusal_of_host(hello, rules); !why.empty())
      return {std::move(why)};
  return {{}, *token, groups_of(hello.app_name, view)};
}

} // namespace ringmaster::actors
