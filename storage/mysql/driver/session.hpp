#pragma once

// What the role objects of one store share.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/run/run.hpp"
#include "core/run/trigger_text.hpp"
#include "core/zone/zone.hpp"
#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/schema_shape.hpp"
#include "storage/rows/datetime_text.hpp"

namespace ringmaster::storage::mysql {

/// One start of a database server: connection numbers mean something only together with it.
struct server_start {
  /// Of the server's host and port.
  std::string name;
  /// Epoch seconds by its own clock.
  std::int64_t at = 0;

  /// `@db1:3306:1795413782`, as in a list of connections.
  [[nodiscard]] std::string text() const;
  /// Nothing where the list, of an older release say, names none.
  [[nodiscard]] static std::optional<server_start> find_in(std::string_view list);
  /// The same start, but for the rounding of seconds.
  [[nodiscard]] bool is(const server_start& other) const noexcept;
};

/// Throws `driver_error`.
[[nodiscard]] server_start read_server_start(connection& db);

/// The open connections of this process to one database and the life of its node, so that whoever fences the node can end them.
/// Shared by all stores of a database; safe from any thread.
class process_connections {
public:
  /// The numbers of an earlier start of the server are forgotten: it gives them out again.
  void opened(std::int64_t id, const server_start& server);
  void closed(std::int64_t id);
  void entered(const core::node_incarnation& life);
  [[nodiscard]] std::optional<core::node_incarnation> life() const;
  /// `12,15,@db1:3306:1795413782`, as in `rm_node.connections`: the connections and the start of the server that numbered them.
  [[nodiscard]] std::string list() const;
  [[nodiscard]] bool contains(std::int64_t id) const;

private:
  mutable std::mutex guard_;
  std::set<std::int64_t> ids_;
  std::optional<server_start> server_;
  std::optional<core::node_incarnation> life_;
};

/// How texts for people are stored beside Java admins.
struct text_style {
  core::language reader = core::language::en;
  core::trigger_tail tail = core::trigger_tail::remark;
  /// The tail is that of the release that made the tables.
  bool tail_by_schema = true;
};

/// One store's connection and what its roles need beside it. Used by one thread at a time.
class session {
public:
  session(connection_settings settings, core::zone database_zone, core::zone schedules, text_style style,
          std::shared_ptr<process_connections> process);
  ~session();

  /// Errors: `fenced` when `owner` is not current. Inside a transaction: holds a shared lock on the row of the node's life (not
  /// on that of its beat) to its end, so that no fence commits before it.
  [[nodiscard]] core::result<void> check_current(const core::node_incarnation& owner);

  /// `count` new revisions, inside a transaction that began as an edit (`begin_edit`); the first one. Throws `driver_error`.
  [[nodiscard]] std::int64_t take_revisions(std::size_t count);

  /// Writes the connections of this process into the row of its node, if it has entered. Throws `driver_error`.
  void publish_connections();

  connection db;
  datetime_text dates;
  /// Of the connection that is open: read again with each new one.
  schema_facts facts;
  schema_shape shape;
  server_start server;
  const core::zone schedule_zone;
  /// Its tail is looked up with each connection, as the shape.
  text_style texts;
  const std::shared_ptr<process_connections> own;

private:
  void opened();

  std::int64_t known_id_ = 0;
};

/// `text` itself if it is plain ASCII, else `core::valid_utf8` of it: one odd byte from outside must not make the server refuse a
/// batch.
[[nodiscard]] std::string storable(std::string_view text);

} // namespace ringmaster::storage::mysql
