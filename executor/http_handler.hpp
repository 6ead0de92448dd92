#pragma once

// A ready handler that calls a URL: the job's parameter says which.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "executor/handlers.hpp"

namespace ringmaster::executor {

struct http_handler_options {
  /// What may be called: each a scheme, host and port, and maybe the beginning of a path that ends with a slash, e.g.
  /// `https://reports.example.com/nightly/`. Nothing else is, so an empty list calls nothing.
  std::vector<std::string> allowed = {};
  /// Of one call, unless the parameter asks for less; at most a day.
  std::chrono::milliseconds timeout{60'000};
  /// Of the answer that is logged; the rest is read and dropped.
  std::size_t answer_bytes_max = 64 * 1024;
  /// Certificates to trust at https addresses, a PEM file. Empty: the system's.
  std::string ca_file = {};
};

/// Makes the handler. Its parameter is `url=… [method=POST] [data="…"] [content_type=…] [timeout_ms=…]`; without `method` it is
/// GET, with `data` POST. A status from 200 to 299 is success; the answer is logged. Redirects are not followed, no proxy of the
/// environment is used, only http and https are spoken, and a stop of the run ends the call. Errors: `invalid_argument` for an
/// entry that is no such address, or the timeout.
[[nodiscard]] core::result<handler> make_http_handler(http_handler_options options);

} // namespace ringmaster::executor
