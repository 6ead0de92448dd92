// Nodes and their incarnations (firing protocol §9).

#include "storage/sqlite/cluster/cluster.hpp"

#include <algorithm>

#include "storage/rows/orphans.hpp"
#include "storage/rows/retired_incarnations.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char read_node[] = "SELECT incarnation, beat, state FROM rm_node WHERE id = ?1";
constexpr char write_incarnation[] = "INSERT INTO rm_life (node, incarnation, process) VALUES (?1, ?2, ?3) "
                              "ON CONFLICT (node) DO UPDATE SET incarnation = excluded.incarnation, process = excluded.process";
constexpr char read_past[] = "SELECT counter FROM rm_edit WHERE id = ?1";
constexpr char insert_node[] =
  "INSERT INTO rm_node (id, incarnation, beat, state, address, serves) VALUES (?1, ?2, 0, 'up', ?3, ?4)";
constexpr char enter_again[] =
  "UPDATE rm_node SET incarnation = ?2, beat = 0, state = 'up', address = ?3, serves = ?4 WHERE id = ?1";
constexpr char raise_beat[] = "UPDATE rm_node SET beat = ?3, wall_ms = ?4 WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";
constexpr char end_incarnation[] = "INSERT INTO rm_life (node, incarnation, ran_out) VALUES (?1, 0, ?2) "
                            "ON CONFLICT (node) DO UPDATE SET incarnation = 0, ran_out = excluded.ran_out";
constexpr char list_nodes[] =
  "SELECT n.id, n.incarnation, n.beat, n.state, n.address, coalesce(l.process, ''), n.wall_ms, n.serves FROM rm_node n "
  "LEFT JOIN rm_life l ON l.node = n.id AND l.incarnation = n.incarnation ORDER BY n.id";
constexpr char find_work_of[] =
  "SELECT counter, EXISTS (SELECT 1 FROM rm_intent WHERE state = 0), " RINGMASTER_HAS_ALARMS ", EXISTS (SELECT 1 "
  "FROM (SELECT DISTINCT node, incarnation FROM rm_claim) c LEFT JOIN rm_node n ON n.id = c.node "
  "WHERE " RINGMASTER_IS_ORPHAN " AND NOT (c.node = ?1 AND c.incarnation = ?2)), "
  "EXISTS (SELECT 1 FROM rm_claim WHERE node = ?1 AND incarnation = ?2), EXISTS (SELECT 1 FROM ej_inbox) "
  "FROM rm_edit WHERE id = 1";
constexpr char read_edit_counter[] = "SELECT counter FROM rm_edit WHERE id = 1";
// For an AUTOINCREMENT table: the next id is above both.
constexpr char read_highest_run[] = "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'xxl_job_log'), 0), "
                                    "coalesce((SELECT max(id) FROM xxl_job_log), 0))";
constexpr char raise_sequence[] = "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'xxl_job_log'";
constexpr char insert_sequence[] = "INSERT INTO sqlite_sequence (name, seq) VALUES ('xxl_job_log', ?1)";
constexpr char set_serves[] = "UPDATE rm_node SET serves = ?3 WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";
// An earlier release, which does not know `serves`, may enter next under this id: it has slots.
constexpr char fence_node[] = "UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced', serves = 1 "
                              "WHERE id = ?1 AND incarnation = ?2 AND beat = ?3 AND state = 'up'";
constexpr char leave_node[] = "UPDATE rm_node SET state = 'down', serves = 1 WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";

core::node_state state_of(std::string_view stored) {
  if (stored == "up")
    return core::node_state::up;
  return stored == "fenced" ? core::node_state::fenced : core::node_state::down;
}

core::error changed_meanwhile(const std::string& node) {
  return {core::errc::conflict, "the row of node " + node + " has changed since it was read"};
}

std::vector<core::node_row> read_nodes(connection& db) {
  std::vector<core::node_row> rows;
  auto listing = db.prepare(list_nodes);
  listing.with();
  while (listing.step())
    rows.push_back({std::string{listing.text(0)}, listing.number(1), listing.number(2), state_of(listing.text(3)),
                    std::string{listing.text(4)}, std::string{listing.text(5)}, listing.time_ms(6), listing.number(7) != 0});
  return rows;
}

} // namespace

core::result<core::node_incarnation> cluster_role::enter(const std::string& node, const std::string& address,
                                                         const core::entry_terms& entry) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::node_incarnation> {
    core::node_incarnation incarnation{node, 1};
    auto reading = db.prepare(read_node);
    bool known = reading.with(node).step();
    const bool admitted = known ? entry.admits(reading.number(0), reading.number(1), state_of(reading.text(2)))
                                : entry.admits(0, 0, core::node_state::down);
    if (!admitted)
      return tl::unexpected{changed_meanwhile(node)};
    if (known)
      incarnation.incarnation = reading.number(0) + 1;
    else if (auto past = db.prepare(read_past); past.with(retired_incarnations).step())
      incarnation.incarnation = past.number(0) + 1;
    incarnation.incarnation = std::max(incarnation.incarnation, entry.above + 1);
    db.run(known ? enter_again : insert_node, node, incarnation.incarnation, address, entry.serves);
    db.run(write_incarnation, node, incarnation.incarnation, entry.process);
    return incarnation;
  });
}

core::result<void> cluster_role::beat(const core::node_incarnation& incarnation, std::int64_t beat, core::time_point wall) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (db.run(raise_beat, incarnation.node, incarnation.incarnation, beat, wall) != 1)
      return tl::unexpected{incarnation_has_ended(incarnation)};
    return {};
  });
}

core::result<std::vector<core::node_row>> cluster_role::nodes() {
  return within(*own_.db, transaction_kind::read,
                [](connection& db) -> core::result<std::vector<core::node_row>> { return read_nodes(db); });
}

core::result<core::cluster_view> cluster_role::view() {
  return within(*own_.db, transaction_kind::read, [](connection& db) -> core::result<core::cluster_view> {
    core::cluster_view seen{read_nodes(db), std::nullopt, 0};
    auto edits = db.prepare(read_edit_counter);
    if (edits.with().step())
      seen.revision = edits.number(0);
    return seen;
  });
}

core::result<core::pending_work> cluster_role::find_work(const core::node_incarnation& own) {
  return within(*own_.db, transaction_kind::read, [&own](connection& db) -> core::result<core::pending_work> {
    auto row = db.prepare(find_work_of);
    if (!row.with(own.node, own.incarnation).step())
      return core::fail(core::errc::unavailable, "the counter of edits is gone");
    return core::pending_work{row.number(0),      row.number(1) != 0, row.number(2) != 0,
                            row.number(3) != 0, row.number(4) != 0, row.number(5) != 0};
  });
}

core::result<core::log_id> cluster_role::next_run_id() {
  return within(*own_.db, transaction_kind::read, [](connection& db) -> core::result<core::log_id> {
    auto reading = db.prepare(read_highest_run);
    return core::log_id{reading.with().step() ? reading.number(0) + 1 : 1};
  });
}

core::result<core::log_id> cluster_role::raise_run_ids(core::log_id highest) {
  return within(*own_.db, transaction_kind::write, [highest](connection& db) -> core::result<core::log_id> {
    std::int64_t given = 0;
    if (auto reading = db.prepare(read_highest_run); reading.with().step())
      given = reading.number(0);
    if (given < core::number(highest) && db.run(raise_sequence, highest) == 0)
      db.run(insert_sequence, highest);
    return core::log_id{given + 1};
  });
}

core::result<bool> cluster_role::fence(const core::node_row& seen) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<bool> {
    if (db.run(fence_node, seen.id, seen.incarnation, seen.beat) != 1)
      return false;
    db.run(end_incarnation, seen.id, seen.incarnation);
    return true;
  });
}

core::result<void> cluster_role::serve(const core::node_incarnation& incarnation, bool serves) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (db.run(set_serves, incarnation.node, incarnation.incarnation, serves) != 1)
      return tl::unexpected{incarnation_has_ended(incarnation)};
    return {};
  });
}

core::result<void> cluster_role::leave(const core::node_incarnation& incarnation) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    db.run(leave_node, incarnation.node, incarnation.incarnation);
    return {};
  });
}

} // namespace ringmaster::storage::sqlite
