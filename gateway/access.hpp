#pragma once

// Who may call: the token rules of executors (XXL wire §1.3) and those of operators. Pure.

#include <string>
#include <string_view>
#include <unordered_set>

#include "protocol/http.hpp"

namespace ringmaster::gateway {

using app_name_set = std::unordered_set<std::string>;

/// Takes the same time wherever the first difference is.
[[nodiscard]] bool equal_in_constant_time(std::string_view given, std::string_view expected) noexcept;

/// The app name that an executor of release 3.5 sends with each request; empty when the header is missing or blank.
[[nodiscard]] std::string_view app_header(const protocol::http_request& request) noexcept;

/// The `msg` that refuses an executor's request; empty when it may pass. `known_apps`: null while nobody knows them yet, then
/// every name passes. A blank `token` disables the check; a blank app name does not pass as a missing one does.
[[nodiscard]] std::string_view executor_refusal(const protocol::http_request& request, std::string_view token,
                                                const app_name_set* known_apps);

/// The request carries `Authorization: Bearer TOKEN`; or, with `trust_loopback`, comes from this machine and no header says that
/// a proxy passed it on.
[[nodiscard]] bool is_operator(const protocol::http_request& request, std::string_view token, bool trust_loopback) noexcept;

} // namespace ringmaster::gateway
