#pragma once

// The API of a running server.

#include <memory>

#include "apps/client/api_client.hpp"

namespace ringmaster::apps {

struct server_place {
  /// `https://host:port` and perhaps a context path.
  std::string url;
  std::string token;
  std::optional<std::string> ca_file = {};
  bool insecure_http = false;
};

/// Nothing is sent yet. Redirections are not followed: the key is for this server alone. Errors: `invalid_argument` for what is
/// no address of a server, and for one to which the key would go in the clear.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_http_desk(const server_place& place);

} // namespace ringmaster::apps
