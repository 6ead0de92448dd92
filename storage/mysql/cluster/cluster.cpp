#include "storage/mysql/cluster/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "storage/mysql/cluster/retired_incarnations.hpp"
#include "storage/rows/orphans.hpp"

namespace ringmaster::storage::mysql {

namespace {

std::string_view stored_name(core::node_state state) noexcept {
  switch (state) {
  case core::node_state::up: return "up";
  case core::node_state::fenced: return "fenced";
  case core::node_state::down: return "down";
  }
  return "down";
}

core::node_state node_state_of(std::string_view stored) noexcept {
  for (const auto state : {core::node_state::up, core::node_state::fenced})
    if (stored == stored_name(state))
      return state;
  return core::node_state::down;
}

std::set<std::int64_t> numbers_in(std::string_view list) {
  std::set<std::int64_t> out;
  while (!list.empty()) {
    const auto word = list.substr(0, list.find(','));
    std::int64_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{})
      out.insert(number);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return out;
}

/// Returns the counter in the answer to SHOW CREATE TABLE, which is up to date where information_schema may be cached; 1 without
/// one: a table that never had a row.
std::int64_t counter_in(std::string_view definition) {
  constexpr std::string_view name = " AUTO_INCREMENT=";
  const auto options = definition.rfind("\n) ENGINE=");
  const auto at = options == std::string_view::npos ? options : definition.find(name, options);
  std::int64_t counter = 1;
  if (at != std::string_view::npos)
    std::from_chars(definition.data() + at + name.size(), definition.data() + definition.size(), counter);
  return counter;
}

/// Returns true if the incarnation is the current one of its node.
bool is_up(connection& db, const core::node_incarnation& incarnation) {
  return db.query("SELECT 1 FROM rm_node WHERE id = ? AND incarnation = ? AND state = 'up'", incarnation.node,
                  incarnation.incarnation)
    .next();
}

bool is_as_read(connection& db, const std::string& node, const core::entry_terms& entry) {
  auto row = db.query("SELECT incarnation, beat, state FROM rm_node WHERE id = ? FOR UPDATE", node);
  return row.next() ? entry.admits(row.number(0), row.number(1), node_state_of(row.text(2)))
                    : entry.admits(0, 0, core::node_state::down);
}

/// Locks the incarnation. Throws an error that is `lock_held` while one of its claims is in progress; MySQL 5.7 waits for it
/// first.
void lock_incarnation(connection& db, const std::string& node) {
  (void) db.query(db.skills().skip ? sql{"SELECT incarnation FROM rm_life WHERE node = ? FOR UPDATE NOWAIT"}
                                   : sql{"SELECT incarnation FROM rm_life WHERE node = ? FOR UPDATE"},
                  node)
    .next();
}

} // namespace

core::result<core::node_incarnation> cluster_role::enter(const std::string& node, const std::string& address,
                                                  const core::entry_terms& entry) {
  std::string named;
  auto incarnation = own_.db.transact([&]() -> core::result<core::node_incarnation> {
    auto& db = own_.db;
    // A switch of modes ends every incarnation that it sees, so none may begin during it.
    (void) db.query("SELECT mode FROM rm_mode WHERE id = 1 LOCK IN SHARE MODE").next();
    named = own_.own->list();
    const auto first = std::max(lock_retired_incarnations(db), entry.above) + 1;
    // First the row that claims lock, then the row of the heartbeat: no heartbeat waits for a claim.
    db.execute("INSERT INTO rm_life (node, incarnation) VALUES (?, 0) ON DUPLICATE KEY UPDATE node = VALUES(node)", node);
    (void) db.query("SELECT incarnation FROM rm_life WHERE node = ? FOR UPDATE", node).next();
    if (!is_as_read(db, node, entry))
      return core::fail(core::errc::conflict, "the row of node " + node + " has changed since it was read");
    db.execute("INSERT INTO rm_node (id, incarnation, beat, state, address, connections, serves)"
               " VALUES (?, ?, 0, 'up', ?, ?, ?)"
               " ON DUPLICATE KEY UPDATE incarnation = GREATEST(incarnation + 1, ?), beat = 0, state = 'up',"
               " address = VALUES(address), connections = VALUES(connections), serves = VALUES(serves)",
               node, first, address, named, entry.serves, entry.above + 1);
    auto row = db.query("SELECT incarnation FROM rm_node WHERE id = ?", node);
    if (!row.next())
      return core::fail(core::errc::internal, "the row of node " + node + " is gone");
    core::node_incarnation begun{node, row.number(0)};
    db.execute("UPDATE rm_life SET incarnation = ?, process = ? WHERE node = ?", begun.incarnation, entry.process, node);
    return begun;
  });
  if (!incarnation)
    return incarnation;
  own_.own->entered(*incarnation);
  // A connection that another thread opened meanwhile did not know this incarnation yet.
  if (own_.own->list() != named)
    static_cast<void>(own_.db.read([this]() -> core::result<void> {
      own_.publish_connections();
      return {};
    }));
  return incarnation;
}

core::result<void> cluster_role::beat(const core::node_incarnation& incarnation, std::int64_t beat, core::time_point wall) {
  return own_.db.read([&]() -> core::result<void> {
    auto& db = own_.db;
    if (db.execute("UPDATE rm_node SET beat = ?, wall_ms = ? WHERE id = ? AND incarnation = ? AND state = 'up'", beat, wall,
                   incarnation.node, incarnation.incarnation) == 1)
      return {};
    // No row changed: the incarnation has ended, or the row already has this heartbeat.
    if (is_up(db, incarnation))
      return {};
    return tl::unexpected{incarnation_has_ended(incarnation)};
  });
}

core::result<std::vector<core::node_row>> cluster_role::nodes() {
  return own_.db.read([&]() -> core::result<std::vector<core::node_row>> {
    std::vector<core::node_row> out;
    auto found = own_.db.query("SELECT n.id, n.incarnation, n.beat, n.state, n.address, l.process, n.wall_ms, n.serves"
                               " FROM rm_node n LEFT JOIN rm_life l ON l.node = n.id AND l.incarnation = n.incarnation"
                               " ORDER BY n.id");
    while (found.next())
      out.push_back({found.string(0), found.number(1), found.number(2), node_state_of(found.text(3)), found.string(4),
                     found.string(5), found.time_ms(6), found.number(7) != 0});
    return out;
  });
}

// UTC, regardless of clock changes in the session's zone. Returns at least one row, even when there is no node yet.
core::result<core::cluster_view> cluster_role::view() {
  return own_.db.read([&]() -> core::result<core::cluster_view> {
    core::cluster_view seen;
    auto found = own_.db.query(
      "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000, e.counter, n.id, n.incarnation, n.beat,"
      " n.state, n.address, n.wall_ms, n.serves FROM rm_edit e LEFT JOIN rm_node n ON 1 = 1 WHERE e.id = 1 ORDER BY n.id");
    while (found.next()) {
      seen.clock = found.time_ms(0);
      seen.revision = found.number(1);
      if (!found.is_null(2))
        seen.nodes.push_back({found.string(2), found.number(3), found.number(4), node_state_of(found.text(5)), found.string(6),
                              {}, found.time_ms(7), found.number(8) != 0});
    }
    return seen;
  });
}

core::result<core::pending_work> cluster_role::find_work(const core::node_incarnation& own) {
  return own_.db.read([&]() -> core::result<core::pending_work> {
    auto row = own_.db.query(
      "SELECT counter, EXISTS (SELECT 1 FROM rm_intent WHERE state = 0), " RINGMASTER_HAS_ALARMS ", EXISTS (SELECT 1"
      " FROM (SELECT DISTINCT node, incarnation FROM rm_claim) c LEFT JOIN rm_node n ON n.id = c.node"
      " WHERE " RINGMASTER_IS_ORPHAN " AND NOT (c.node = ? AND c.incarnation = ?)),"
      " EXISTS (SELECT 1 FROM rm_claim WHERE node = ? AND incarnation = ?), EXISTS (SELECT 1 FROM ej_inbox)"
      " FROM rm_edit WHERE id = 1",
      own.node, own.incarnation, own.node, own.incarnation);
    if (!row.next())
      return core::fail(core::errc::unavailable, "the counter of edits is gone");
    return core::pending_work{row.number(0),      row.number(1) != 0, row.number(2) != 0,
                            row.number(3) != 0, row.number(4) != 0, row.number(5) != 0};
  });
}

core::result<core::log_id> cluster_role::next_run_id() {
  return own_.db.read([&]() -> core::result<core::log_id> {
    auto& db = own_.db;
    std::int64_t next = 1;
    if (auto table = db.query("SHOW CREATE TABLE xxl_job_log"); table.next())
      next = counter_in(table.text(1));
    auto row = db.query("SELECT MAX(id) FROM xxl_job_log");
    return core::log_id{row.next() ? std::max(next, row.number(0) + 1) : next};
  });
}

// Inserting a row and deleting it again reads the counter, and a row with an explicit id raises it. This takes no lock on the
// table's definition (which a long read by others would delay), needs no privileges beyond those of every claim, and is
// replicated.
core::result<core::log_id> cluster_role::raise_run_ids(core::log_id highest) {
  return own_.db.transact([&]() -> core::result<core::log_id> {
    auto& db = own_.db;
    const auto next =
      db.insert<core::log_id>("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (0, 0, 0, 0)");
    db.execute("DELETE FROM xxl_job_log WHERE id = ?", next);
    if (core::number(next) <= core::number(highest)) {
      db.execute("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_code, handle_code) VALUES (?, 0, 0, 0, 0)", highest);
      db.execute("DELETE FROM xxl_job_log WHERE id = ?", highest);
    }
    return next;
  });
}

core::result<bool> cluster_role::fence(const core::node_row& seen) {
  // A client that is frozen in a claim holds the row that the fence has to write: its connections are ended first.
  auto still = own_.db.read([&]() -> core::result<bool> {
    auto row = own_.db.query("SELECT 1 FROM rm_node WHERE id = ? AND incarnation = ? AND beat = ? AND state = 'up'", seen.id,
                             seen.incarnation, seen.beat);
    if (!row.next())
      return false;
    end_connections(seen.id);
    return true;
  });
  if (!still || !*still)
    return still;
  // Without waiting: this connection also carries this node's own heartbeat, and a claim that the server is about to end is gone
  // at the next attempt.
  return own_.db.transact_without_waiting([&]() -> core::result<bool> {
    auto& db = own_.db;
    lock_incarnation(db, seen.id);
    // An earlier release, which does not know `serves`, may enter next under this id: it has slots.
    if (db.execute("UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced', serves = 1"
                   " WHERE id = ? AND incarnation = ? AND beat = ? AND state = 'up'",
                   seen.id, seen.incarnation, seen.beat) != 1)
      return false;
    db.execute("INSERT INTO rm_life (node, incarnation, ran_out) VALUES (?, 0, ?)"
               " ON DUPLICATE KEY UPDATE incarnation = 0, ran_out = VALUES(ran_out)",
               seen.id, seen.incarnation);
    return true;
  });
}

/// Ends the connections that the node's row names if the server that assigned these numbers still runs; after a restart the
/// server gives the numbers to others, such as Java admins. Spares connections that a living node or this process names. Failures
/// here are left to the lock wait and to the server's own time limit.
void cluster_role::end_connections(const std::string& node) {
  std::set<std::int64_t> theirs;
  std::set<std::int64_t> spared;
  auto found = own_.db.query("SELECT id, connections FROM rm_node WHERE id = ? OR state = 'up'", node);
  while (found.next()) {
    const auto start = server_start::find_in(found.text(1));
    if (start && start->is(own_.server))
      (found.text(0) == node ? theirs : spared).merge(numbers_in(found.text(1)));
  }
  for (const auto id : theirs) {
    if (spared.contains(id) || own_.own->contains(id))
      continue;
    auto same = own_.db.query("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ? AND DB = DATABASE()"
                              " AND USER = SUBSTRING_INDEX(USER(), '@', 1)", id);
    if (!same.next())
      continue;
    try {
      own_.db.command("KILL " + std::to_string(id));
    } catch (const driver_error& failure) {
      if (failure.connection_lost())
        throw;
    }
  }
}

void cluster_role::end_all_connections() {
  static_cast<void>(own_.db.read([this]() -> core::result<void> {
    std::set<std::string> ids;
    for (auto found = own_.db.query("SELECT id FROM rm_node"); found.next();)
      ids.insert(found.string(0));
    for (const auto& id : ids)
      end_connections(id);
    return {};
  }));
}

core::result<void> cluster_role::serve(const core::node_incarnation& incarnation, bool serves) {
  return own_.db.read([&]() -> core::result<void> {
    auto& db = own_.db;
    // No row changed: the incarnation has ended, or the row is as it should be.
    if (db.execute("UPDATE rm_node SET serves = ? WHERE id = ? AND incarnation = ? AND state = 'up'", serves, incarnation.node,
                   incarnation.incarnation)
          == 1
        || is_up(db, incarnation))
      return {};
    return tl::unexpected{incarnation_has_ended(incarnation)};
  });
}

core::result<void> cluster_role::leave(const core::node_incarnation& incarnation) {
  return own_.db.transact([&]() -> core::result<void> {
    own_.db.execute("UPDATE rm_life SET incarnation = 0 WHERE node = ? AND incarnation = ?", incarnation.node,
                    incarnation.incarnation);
    own_.db.execute("UPDATE rm_node SET state = 'down', serves = 1 WHERE id = ? AND incarnation = ? AND state = 'up'",
                    incarnation.node, incarnation.incarnation);
    return {};
  });
}

} // namespace ringmaster::storage::mysql
