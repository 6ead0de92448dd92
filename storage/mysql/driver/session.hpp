#pragma once

// State shared by the roles of one store.

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

/// One start of a database server: connection numbers are valid only together with it.
struct server_start {
  /// Host and port of the server.
  std::string name;
  /// Time of the start in epoch seconds, by the server's clock.
  std::int64_t at = 0;

  /// Returns `@db1:3306:1795413782`, as in a list of connections.
  [[nodiscard]] std::string text() const;
  /// Finds the start in a list of connections; empty where the list names none, e.g. of an older release.
  [[nodiscard]] static std::optional<server_start> find_in(std::string_view list);
  /// Returns whether it is the same start, apart from the rounding of seconds.
  [[nodiscard]] bool is(const server_start& other) const noexcept;
};

/// Throws `driver_error`.
[[nodiscard]] server_start read_server_start(connection& db);

/// The open connections of this process to one database and the incarnation of its node, so that a fencing node can end them.
/// Shared by all stores of a database; safe from any thread.
class process_connections {
public:
  /// Adds a connection. Forgets the numbers of an earlier start of the server, because the server assigns them again.
  void opened(std::int64_t id, const server_start& server);
  void closed(std::int64_t id);
  void entered(const core::node_incarnation& incarnation);
  [[nodiscard]] std::optional<core::node_incarnation> incarnation() const;
  /// Returns `12,15,@db1:3306:1795413782`, as in `rm_node.connections`: the connections and the start of the server that numbered
  /// them.
  [[nodiscard]] std::string list() const;
  [[nodiscard]] bool contains(std::int64_t id) const;

private:
  mutable std::mutex guard_;
  std::set<std::int64_t> ids_;
  std::optional<server_start> server_;
  std::optional<core::node_incarnation> incarnation_;
};

/// The form of texts stored for users where Java admins read them.
struct text_style {
  core::language reader = core::language::en;
  core::trigger_tail tail = core::trigger_tail::remark;
  /// Whether the tail is that of the XXL-JOB release that made the tables.
  bool tail_by_schema = true;
};

/// Returns the error for an ended incarnation.
[[nodiscard]] core::error incarnation_has_ended(const core::node_incarnation& incarnation);

/// Condition that an incarnation has ended, by the row that `check_current` reads. Takes the node and the incarnation.
#define RINGMASTER_HAS_ENDED "NOT EXISTS (SELECT 1 FROM rm_life WHERE node = ? AND incarnation = ?)"

/// One store's connection and the state that its roles share. Used by one thread at a time.
class session {
public:
  session(connection_settings settings, core::zone database_zone, core::zone schedules, text_style style,
          std::shared_ptr<process_connections> process);
  ~session();

  /// Checks that `owner` is current. Inside a transaction: holds a shared lock on the row of the node's incarnation (not on that
  /// of its heartbeat) until its end, so that no fence commits before it. Errors: `fenced`.
  [[nodiscard]] core::result<void> check_current(const core::node_incarnation& owner);
  /// Returns whether the number that a SELECT returns is not 0. It is one statement, without a transaction and without locks.
  template <class... Values>
  [[nodiscard]] core::result<bool> is_true(sql text, const Values&... values) {
    return db.read([&]() -> core::result<bool> {
      auto found = db.query(text, values...);
      return found.next() && found.number(0) != 0;
    });
  }

  /// Takes `count` new revisions and returns the first one, inside a transaction that began as an edit (`begin_edit`). Throws
  /// `driver_error`.
  [[nodiscard]] std::int64_t take_revisions(std::size_t count);

  /// Writes the connections of this process into the row of its node, if it has entered. Throws `driver_error`.
  void publish_connections();

  connection db;
  datetime_text dates;
  /// Facts of the open connection, read again with each new one.
  schema_facts facts;
  schema_shape shape;
  server_start server;
  const core::zone schedule_zone;
  /// The tail is determined with each connection, as the shape is.
  text_style texts;
  const std::shared_ptr<process_connections> own;

private:
  void opened();

  std::int64_t known_id_ = 0;
};

/// Returns `text` unchanged if it is plain ASCII, otherwise `core::valid_utf8` of it: one invalid byte from outside must not make
/// the server refuse a batch.
[[nodiscard]] std::string storable(std::string_view text);

} // namespace ringmaster::storage::mysql
