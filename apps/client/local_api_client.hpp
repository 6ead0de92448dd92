#pragma once

// A client that answers API requests from the configured store, as the operator of this machine with all permissions.

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "apps/client/api_client.hpp"
#include "apps/server/open_store.hpp"
#include "protocol/wire/v1/api_page.hpp"
#include "protocol/wire/xxl/form.hpp"

namespace ringmaster::apps {

/// Opens the store. Errors: those of `open_store`.
[[nodiscard]] core::result<std::unique_ptr<api_client>> make_store_desk(const config_options& options);

/// A parsed request.
struct store_question {
  storage::store& store;
  const config::settings& settings;
  protocol::wire::form query;
  /// Value of `{id}` in the route.
  std::int64_t id = 0;
  /// Value of `{name}` in the route.
  std::string name;
  /// Request body; empty: none.
  std::string body;
  /// `core::edit_tag` of the object to edit; empty: edit unconditionally.
  std::string seen;
  /// ETag of the response, if it has one.
  std::string& tag;
  /// The zone of schedules without their own.
  const core::zone& schedule_zone;
};

/// One route of the API, with the same responses as gateway/handlers. Permissions and operations that need a server are left out.
struct store_route {
  std::string_view method;
  std::string_view path;
  core::result<api_document> (*answer)(const store_question&);
};

[[nodiscard]] std::span<const store_route> job_routes() noexcept;
[[nodiscard]] std::span<const store_route> run_routes() noexcept;
[[nodiscard]] std::span<const store_route> people_routes() noexcept;
[[nodiscard]] std::span<const store_route> node_routes() noexcept;
[[nodiscard]] std::span<const store_route> elastic_routes() noexcept;

/// Parses JSON written by the API's writers.
[[nodiscard]] api_document parsed(const std::string& json);

/// Calls `read(query, cursor)` of an API list with the start of the page.
template <class Read>
[[nodiscard]] auto list_query(const store_question& asked, Read read,
                              protocol::wire::cursor_use use = protocol::wire::cursor_use::plain) {
  return protocol::wire::api_cursor_of(asked.query, 1, use).and_then([&](const protocol::wire::api_cursor& from) {
    return read(asked.query, from).map([&](auto search) { return std::pair{std::move(search), from}; });
  });
}

} // namespace ringmaster::apps
