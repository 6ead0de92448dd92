#pragma once

// A ready-made handler that calls the URL in the job's parameter.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "executor/handlers.hpp"

namespace ringmaster::executor {

struct http_handler_options {
  /// Permitted addresses: each a scheme, host and port, optionally with a path prefix that ends with a slash, e.g.
  /// `https://reports.example.com/nightly/`. An empty list permits nothing.
  std::vector<std::string> allowed = {};
  /// Time limit of a call, unless the parameter sets a lower one; at most a day.
  std::chrono::milliseconds timeout{60'000};
  /// Maximum size of the logged response; the rest is read and dropped.
  std::size_t answer_bytes_max = 64 * 1024;
  /// Trusted certificates for https addresses, a PEM file. Empty: the system's.
  std::string ca_file = {};
};

/// Creates the handler. Its parameter is `url=… [method=POST] [data="…"] [content_type=…] [timeout_ms=…]`. The default method is
/// GET, with `data` POST. A status from 200 to 299 is success; the response is logged. Redirects are not followed, proxies of the
/// environment are not used, only http and https are supported, and a stop of the run ends the call. Errors: `invalid_argument`
/// for an invalid permitted address or timeout.
[[nodiscard]] core::result<handler> make_http_handler(http_handler_options options);

} // namespace ringmaster::executor
