#pragma once

// Where the commands of administration put their questions: a running server, or the store of the configuration. Questions and
// answers are those of /api/v1 (docs/openapi.json) in both cases, so there is one set of commands, and `--json` is one document.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "apps/terminal/command_options.hpp"
#include "core/result.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Members stay in the order of the API.
using api_document = nlohmann::ordered_json;

/// A question of /api/v1.
struct api_question {
  /// `GET`, `POST`, `PUT`, `DELETE`.
  std::string method = "GET";
  /// Behind `/api/v1`, with its query, encoded: `/jobs?limit=50`.
  std::string target;
  /// JSON; null: none.
  api_document body = {};
  /// Of the answer. Another one than JSON comes as a text.
  std::string_view answer_type = "application/json";
  /// Of an edit: the ETag of what it is about; empty: whatever it is.
  std::string if_match = {};
};

struct tagged_document {
  api_document document;
  /// As `If-Match` wants it; empty: it has none.
  std::string etag = {};
};

class api_client {
public:
  virtual ~api_client() = default;

  /// Null for an answer without a body. Blocks, for a finite time. Errors: those that the API answers, in their words;
  /// `unavailable` and `timeout` when nobody does; `unsupported` for what only the other kind of client can do.
  [[nodiscard]] virtual core::result<tagged_document> ask_tagged(const api_question& what) = 0;
  /// The same without its ETag.
  [[nodiscard]] core::result<api_document> ask(const api_question& what) {
    return ask_tagged(what).map([](tagged_document&& answer) { return std::move(answer.document); });
  }

  /// In which people are shown times.
  [[nodiscard]] virtual const core::zone& zone() const = 0;

  /// It is a server, which talks to executors.
  [[nodiscard]] virtual bool is_server() const = 0;
};

/// The server that is named on the command line or by the environment (`RINGMASTER_SERVER`), else the store. Who names a
/// configuration on the command line means the store. Errors: those of both.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_api_client(const client_options& options);

/// The server that is named; null: none is. Errors: as above.
[[nodiscard]] core::result<std::unique_ptr<api_client>> open_named_server(const client_options& options);

/// For what a server alone can do, because it talks to executors. Errors: also `invalid_argument` when none is named.
[[nodiscard]] core::result<std::unique_ptr<api_client>> open_server(const client_options& options);

} // namespace ringmaster::apps
