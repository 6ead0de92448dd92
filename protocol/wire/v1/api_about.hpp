#pragma once

// Sign-in and facts about the server in /api/v1.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text/language.hpp"
#include "core/time.hpp"

namespace ringmaster::protocol::wire {

struct api_sign_in {
  std::string name;
  std::string password;
  /// The session outlives the browser.
  bool remember = false;
  /// Token of a one-time link, in place of the members above; empty: none.
  std::string one_time = {};
};
/// Reads `name`, `password`, `remember` (default: false); or `one_time` alone. Errors: `invalid_argument`.
[[nodiscard]] core::result<api_sign_in> parse_api_sign_in(std::string_view body);

/// Facts that pages need, for users.
struct api_server {
  std::string version;
  /// Name of the zone in which schedules without a zone of their own are read.
  std::string schedule_zone;
  core::time_point now;
  /// Users may enter scripts.
  bool glue = false;
  /// Options of elastic jobs that are refused, by their names.
  std::vector<std::string> elastic_unsupported = {};
};

/// Returns the product and its languages; `demo`: a server of `ringmaster demo`; `server`: null for visitors.
[[nodiscard]] std::string api_about(core::language language, bool demo, const api_server* server);

} // namespace ringmaster::protocol::wire
