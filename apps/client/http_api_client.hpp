#pragma once

// The client of a running server.

#include <memory>

#include "apps/client/api_client.hpp"

namespace ringmaster::apps {

struct server_place {
  /// `https://host:port`, optionally with a context path.
  std::string url;
  std::string token;
  std::optional<std::string> ca_file = {};
  bool insecure_http = false;
};

/// Creates a client; sends nothing yet. It does not follow redirects, because the key is for this server alone. Errors:
/// `invalid_argument` for an invalid server address, and for one to which the key would be sent unencrypted.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_http_desk(const server_place& place);

} // namespace ringmaster::apps
