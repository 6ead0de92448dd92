#pragma once

// The type `http` of elastic jobs: a call instead of code (docs/elastic_jobs.md).

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

namespace ringmaster::executor::elastic {

struct http_type_options {
  /// Permitted addresses, as in `http_handler_options`. An empty list permits nothing.
  std::vector<std::string> allowed = {};
  /// Maximum size of the logged response; the rest is read and dropped.
  std::size_t answer_bytes_max = 64 * 1024;
  /// Trusted certificates for https addresses, a PEM file. Empty: the system's.
  std::string ca_file = {};
};

/// Creates the code of the type, for `elastic_handlers::add_type("http", …)`. It calls the job's property `http.uri` with
/// ElasticJob's ShardingContext as JSON in the header `shardingContext`, in ASCII. The response is logged. A status from 300 on
/// fails the run, unless `http.fail.on.status` is false. Redirects are not followed, proxies of the environment are not used. A
/// stop, also by the end of the run's lease, drops the call at once. Errors: `invalid_argument` for an invalid permitted address.
[[nodiscard]] core::result<elastic_body> make_http_type(http_type_options options);

} // namespace ringmaster::executor::elastic
