#pragma once

// Token rules of executors (XXL wire §1.3) and of operators. Pure.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/access/access_token.hpp"
#include "core/job/group.hpp"
#include "core/time.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Tokens that the executors of a group may show in addition to the common token; empty: none.
struct group_tokens {
  core::group_id group{};
  std::string current;
  /// Accepted until `previous_until`.
  std::string previous;
  core::time_point previous_until{};
  /// All groups with this app name, ascending: one executor serves them all.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;
};

/// Tokens of all groups by app name.
using token_book = std::unordered_map<std::string, group_tokens>;

/// Outcome of the check of an executor's token.
struct executor_admission {
  /// `msg` of the refusal; empty when the request is admitted.
  std::string_view refusal;
  core::token_kind token = core::token_kind::common;
  /// Owner of the token; without a value: the common token of all groups.
  std::optional<core::group_id> group = {};
  /// The owner group and the groups with the same app name; null: all groups.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;
};

/// Returns the app name that an executor of release 3.5 sends with each request; empty when the header is missing or blank.
[[nodiscard]] std::string_view app_header(const protocol::http_request& request) noexcept;

/// Checks an executor's token. `groups` is null until the groups are known; until then every app name passes. A blank common
/// token disables the check. A blank app name is refused, a missing one is not. An executor without an app name may show the
/// token of any group.
[[nodiscard]] executor_admission admit_executor(const protocol::http_request& request, const core::common_tokens& common,
                                                const token_book* groups, core::time_point now);

/// Returns the API key that a request shows: the value of `Authorization: Bearer` if it begins like a key; else nothing.
[[nodiscard]] std::optional<std::string> shown_key(const protocol::http_request& request);

/// Returns the token that an executor shows, empty without one.
[[nodiscard]] std::string_view executor_token(const protocol::http_request& request) noexcept;

/// Returns the value of `Authorization: Bearer …`; nothing without such a header.
[[nodiscard]] std::optional<std::string_view> bearer_token(const protocol::http_request& request) noexcept;

/// Returns true for a request from this machine that no header marks as passed on by a proxy. Its `Host`, if any, must be a
/// loopback name or address, because a page that rebinds its own name to 127.0.0.1 sends that name.
[[nodiscard]] bool is_local(const protocol::http_request& request) noexcept;

} // namespace ringmaster::gateway
