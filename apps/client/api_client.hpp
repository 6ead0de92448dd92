#pragma once

// The client of the administration commands: a running server, or the store of the configuration. Requests and responses are
// those of /api/v1 (docs/openapi.json) in both cases, so there is one set of commands and one JSON format.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "apps/terminal/command_options.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// JSON with members in the order of the API.
using api_document = nlohmann::ordered_json;

/// A request to /api/v1.
struct api_question {
  /// `GET`, `POST`, `PUT`, `DELETE`.
  std::string method = "GET";
  /// Path and query after `/api/v1`, encoded: `/jobs?limit=50`.
  std::string target;
  /// JSON body; null: none.
  api_document body = {};
  /// Expected type of the response. Any type other than JSON is returned as text.
  std::string_view answer_type = "application/json";
  /// ETag of the object to edit; empty: edit unconditionally.
  std::string if_match = {};
};

struct tagged_document {
  api_document document;
  /// Value for `If-Match`; empty: the response has no ETag.
  std::string etag = {};
};

class api_client {
public:
  virtual ~api_client() = default;

  /// Sends the request and blocks for a finite time. Returns null for a response without a body. Errors: those of the API, with
  /// its texts; `unavailable` and `timeout` without a response; `unsupported` for operations of the other kind of client.
  [[nodiscard]] virtual core::result<tagged_document> ask_tagged(const api_question& what) = 0;
  /// Sends the request and returns the response without its ETag.
  [[nodiscard]] core::result<api_document> ask(const api_question& what) {
    return ask_tagged(what).map([](tagged_document&& answer) { return std::move(answer.document); });
  }

  /// Returns the time zone for displayed times.
  [[nodiscard]] virtual const core::zone& zone() const = 0;

  /// Returns whether the client is a server, which can reach executors.
  [[nodiscard]] virtual bool is_server() const = 0;
};

/// Returns the server named on the command line or by RINGMASTER_SERVER, else the store. Naming a configuration on the command
/// line selects the store. Errors: those of both.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_api_client(const client_options& options);

/// Returns the named server; null: none is named. Errors: as above.
[[nodiscard]] core::result<std::unique_ptr<api_client>> open_named_server(const client_options& options);

/// Returns the named server, for operations that only a server can do because it reaches executors. Errors: also
/// `invalid_argument` when none is named.
[[nodiscard]] core::result<std::unique_ptr<api_client>> open_server(const client_options& options);

} // namespace ringmaster::apps
