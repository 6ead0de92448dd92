#pragma once

// Who may call: the token rules of executors (XXL wire §1.3) and those of operators. Pure.

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

/// What the executors of a group may show besides the token of all; empty: nothing.
struct group_tokens {
  core::group_id group{};
  std::string current;
  /// Until then.
  std::string previous;
  core::time_point previous_until{};
  /// All groups of this app name, ascending: one executor serves them all.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;
};

/// All groups by their app names.
using token_book = std::unordered_map<std::string, group_tokens>;

/// What became of an executor's token.
struct executor_admission {
  /// The `msg` that refuses the request; empty when it may pass.
  std::string_view refusal;
  core::token_kind token = core::token_kind::common;
  /// Whose token it was; nothing: that of all.
  std::optional<core::group_id> group = {};
  /// That group and those of the same app name; null: all.
  std::shared_ptr<const std::vector<core::group_id>> groups = nullptr;
};

/// The app name that an executor of release 3.5 sends with each request; empty when the header is missing or blank.
[[nodiscard]] std::string_view app_header(const protocol::http_request& request) noexcept;

/// `groups`: null while nobody knows them yet, then every name passes. A blank common token disables the check; a blank app name
/// does not pass as a missing one does. Who sends no app name may show the token of any group.
[[nodiscard]] executor_admission admit_executor(const protocol::http_request& request, const core::common_tokens& common,
                                                const token_book* groups, core::time_point now);

/// The API key that a request shows: what `Authorization: Bearer` has, if it begins as keys do. Nothing: it shows none.
[[nodiscard]] std::optional<std::string> shown_key(const protocol::http_request& request);

/// Returns the token that an executor shows, empty without one.
[[nodiscard]] std::string_view executor_token(const protocol::http_request& request) noexcept;

/// Returns what `Authorization: Bearer …` has; nothing without such a header.
[[nodiscard]] std::optional<std::string_view> bearer_token(const protocol::http_request& request) noexcept;

/// Returns true for a request from this machine that no header marks as passed on by a proxy. Its `Host`, if any, must be a
/// loopback name or address: a page that rebinds its own name to 127.0.0.1 sends that name.
[[nodiscard]] bool is_local(const protocol::http_request& request) noexcept;

} // namespace ringmaster::gateway
