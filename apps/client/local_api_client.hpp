#pragma once

// The API's questions answered by the store of the configuration, as this machine's operator, who may everything.

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "apps/client/api_client.hpp"
#include "apps/server/open_store.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::apps {

/// Errors: those of `open_store`.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_store_desk(const config_options& options);

/// A question, taken apart.
struct store_question {
  storage::store& store;
  const config::settings& settings;
  protocol::wire::form query;
  /// Where the route has `{id}`.
  std::int64_t id = 0;
  /// Empty: none.
  std::string body;
  /// `core::edit_tag` of what the edit is about; empty: whatever it is.
  std::string seen;
  /// That of what is answered, where it has one.
  std::string& tag;
};

/// One route of the API, answered as gateway/handlers do. What they leave out here: rights, and what only a server can do.
struct store_route {
  std::string_view method;
  std::string_view path;
  core::result<api_document> (*answer)(const store_question&);
};

[[nodiscard]] std::span<const store_route> job_routes() noexcept;
[[nodiscard]] std::span<const store_route> run_routes() noexcept;
[[nodiscard]] std::span<const store_route> people_routes() noexcept;
[[nodiscard]] std::span<const store_route> node_routes() noexcept;

/// What the API's writers made, as a document.
[[nodiscard]] api_document parsed(const std::string& json);

/// `read(query, cursor)` of the API's lists, and where the page begins.
template <class Read>
[[nodiscard]] auto list_query(const store_question& asked, Read read) {
  return protocol::wire::api_cursor_of(asked.query).and_then([&](const protocol::wire::api_cursor& from) {
    return read(asked.query, from).map([&](auto search) { return std::pair{std::move(search), from}; });
  });
}

} // namespace ringmaster::apps
