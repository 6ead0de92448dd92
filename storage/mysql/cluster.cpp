#include "storage/mysql/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "storage/mysql/past_lives.hpp"

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

} // namespace

core::result<core::node_life> cluster_role::enter(const std::string& node, const std::string& address) {
  std::string named;
  auto life = own_.db.transact([&]() -> core::result<core::node_life> {
    auto& db = own_.db;
    // A switch of modes ends every life that it sees, so none begins beside it.
    (void) db.query("SELECT mode FROM rm_mode WHERE id = 1 LOCK IN SHARE MODE").next();
    named = own_.own->list();
    const auto first = lock_past_lives(db) + 1;
    db.execute("INSERT INTO rm_node (id, incarnation, beat, state, address, connections) VALUES (?, ?, 0, 'up', ?, ?)"
               " ON DUPLICATE KEY UPDATE incarnation = incarnation + 1, beat = 0, state = 'up', address = VALUES(address),"
               " connections = VALUES(connections)",
               node, first, address, named);
    auto row = db.query("SELECT incarnation FROM rm_node WHERE id = ?", node);
    if (!row.next())
      return core::fail(core::errc::internal, "the row of node " + node + " is gone");
    return core::node_life{node, row.number(0)};
  });
  if (!life)
    return life;
  own_.own->entered(*life);
  // A connection that another thread opened meanwhile did not know of this life yet.
  if (own_.own->list() != named)
    static_cast<void>(own_.db.read([this]() -> core::result<void> {
      own_.publish_connections();
      return {};
    }));
  return life;
}

core::result<void> cluster_role::beat(const core::node_life& life, std::int64_t beat) {
  return own_.db.read([&]() -> core::result<void> {
    auto& db = own_.db;
    if (db.execute("UPDATE rm_node SET beat = ? WHERE id = ? AND incarnation = ? AND state = 'up'", beat, life.node,
                   life.incarnation) == 1)
      return {};
    // No row changed: the life is over, or this very beat is in the row already.
    auto row = db.query("SELECT 1 FROM rm_node WHERE id = ? AND incarnation = ? AND state = 'up'", life.node, life.incarnation);
    if (row.next())
      return {};
    return core::fail(core::errc::fenced,
                      "incarnation " + std::to_string(life.incarnation) + " of node " + life.node + " is over");
  });
}

core::result<std::vector<core::node_row>> cluster_role::nodes() {
  return own_.db.read([&]() -> core::result<std::vector<core::node_row>> {
    std::vector<core::node_row> out;
    auto found = own_.db.query("SELECT id, incarnation, beat, state, address FROM rm_node ORDER BY id");
    while (found.next())
      out.push_back({found.string(0), found.number(1), found.number(2), node_state_of(found.text(3)), found.string(4)});
    return out;
  });
}

core::result<bool> cluster_role::fence(const core::node_row& seen) {
  // A client that stands still in a claim holds the very row that the fence has to write: its connections go first.
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
  return own_.db.transact([&]() -> core::result<bool> {
    return own_.db.execute(
             "UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced' WHERE id = ? AND incarnation = ? AND beat = ?"
             " AND state = 'up'",
             seen.id, seen.incarnation, seen.beat) == 1;
  });
}

/// Ends what the node's row names, but nothing that a living node or this process names too: after a restart of the server its
/// numbers begin anew. Whatever fails here is left to the lock wait and to the server's own time limit.
void cluster_role::end_connections(const std::string& node) {
  std::set<std::int64_t> theirs;
  std::set<std::int64_t> spared;
  auto found = own_.db.query("SELECT id, connections FROM rm_node WHERE id = ? OR state = 'up'", node);
  while (found.next())
    (found.text(0) == node ? theirs : spared).merge(numbers_in(found.text(1)));
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

core::result<void> cluster_role::leave(const core::node_life& life) {
  return own_.db.read([&]() -> core::result<void> {
    own_.db.execute("UPDATE rm_node SET state = 'down' WHERE id = ? AND incarnation = ? AND state = 'up'", life.node,
                    life.incarnation);
    return {};
  });
}

} // namespace ringmaster::storage::mysql
