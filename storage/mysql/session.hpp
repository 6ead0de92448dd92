#pragma once

// What the role objects of one store share.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/run.hpp"
#include "core/trigger_text.hpp"
#include "core/zone.hpp"
#include "storage/datetime_text.hpp"
#include "storage/mysql/connection.hpp"
#include "storage/mysql/schema_shape.hpp"

namespace ringmaster::storage::mysql {

/// The open connections of this process to one database and the life of its node, so that whoever fences the node can end them.
/// Shared by all stores of a database; safe from any thread.
class process_connections {
public:
  void opened(std::int64_t id);
  void closed(std::int64_t id);
  void entered(const core::node_life& life);
  [[nodiscard]] std::optional<core::node_life> life() const;
  /// `12,15`, as in `rm_node.connections`.
  [[nodiscard]] std::string list() const;
  [[nodiscard]] bool contains(std::int64_t id) const;

private:
  mutable std::mutex guard_;
  std::set<std::int64_t> ids_;
  std::optional<core::node_life> life_;
};

/// How texts for people are stored beside Java admins.
struct text_style {
  core::language reader = core::language::en;
  core::trigger_tail tail = core::trigger_tail::remark;
};

/// One store's connection and what its roles need beside it. Used by one thread at a time.
class session {
public:
  session(connection_settings settings, core::zone database_zone, core::zone schedules, text_style style,
          std::shared_ptr<process_connections> process);
  ~session();

  /// Errors: `fenced` when `owner` is not current. Inside a transaction: holds a shared lock on the node's row to its end, so
  /// that no fence commits before it.
  [[nodiscard]] core::result<void> check_current(const core::node_life& owner);

  /// The first statement of every edit of jobs: what edits write stays as read until the commit, and revisions are in the order
  /// of commits. Throws `driver_error`, as the next.
  void lock_edits();

  /// `count` new revisions, inside a transaction that holds the lock; the first one.
  [[nodiscard]] std::int64_t take_revisions(std::size_t count);

  /// Writes the connections of this process into the row of its node, if it has entered. Throws `driver_error`.
  void publish_connections();

  connection db;
  datetime_text dates;
  /// Of the connection that is open: read again with each new one.
  schema_facts facts;
  schema_shape shape;
  const core::zone schedule_zone;
  const text_style texts;
  const std::shared_ptr<process_connections> own;

private:
  void opened();

  std::int64_t known_id_ = 0;
};

/// `text` itself if it is plain ASCII, else `core::valid_utf8` of it: one odd byte from outside must not make the server refuse a
/// batch.
[[nodiscard]] std::string storable(std::string_view text);

} // namespace ringmaster::storage::mysql
