#pragma once

// Decides whether a node admits an executor over a native link. Pure.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/access_token.hpp"
#include "core/cluster/cluster_mode.hpp"
#include "core/job/group.hpp"
#include "core/time.hpp"
#include "protocol/link_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct link_admission {
  static constexpr auto wrong_token = "the access token is wrong";

  /// Reason of a refusal, for users; empty: admitted.
  std::string refusal;
  core::token_kind token = core::token_kind::common;
  /// All groups of its app name, ascending.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;

  /// Returns true if the executor may get runs of this group: with a group's token it gets only runs of that group.
  [[nodiscard]] bool serves(core::group_id group) const noexcept;
};

/// Facts that decide in addition to the hello.
struct link_rules {
  /// Never null. If the current one is blank, no token is needed, as over HTTP.
  std::shared_ptr<const core::common_tokens> common;
  core::time_point now{};
  core::cluster_mode mode = core::cluster_mode::native;
  /// Returns why an HTTP address may not be called; empty: it may.
  const std::function<std::string(std::string_view address)>& judge;
  /// `protocol::host_key` of the other end of the connection; empty: unknown.
  std::string_view peer_host = {};
};

/// Returns all groups of this app name, ascending.
[[nodiscard]] std::shared_ptr<const std::vector<core::group_id>> groups_of(const std::string& app_name,
                                                                           const protocol::registry_view& view);

/// Decides on an executor by the token rules of HTTP (XXL wire §1.3). In addition, the app name must have a group, and with a
/// group's token the HTTP address must be at the other end of the connection. registry_monitor decides whether another group has
/// the address. `token`: the one whose knowledge the executor has proved.
[[nodiscard]] link_admission admit_link(const protocol::link_hello& hello, std::string_view token,
                                        const protocol::registry_view& view, const link_rules& rules);

/// Returns why a challenge is pointless; empty: the executor may prove that it knows a token.
[[nodiscard]] std::string refusal_of_version(const protocol::link_hello& hello);

/// Returns the tokens that an executor of this app name may know: the common one, those of its groups, and the former ones while
/// they count. Views point into `view` and `rules`.
[[nodiscard]] std::vector<std::string_view> tokens_for(const std::string& app_name, const protocol::registry_view& view,
                                                       const link_rules& rules);

} // namespace ringmaster::actors
