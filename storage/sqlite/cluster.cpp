// Nodes and their lives (firing protocol §9).

#include "storage/past_lives.hpp"
#include "storage/sqlite/sqlite_store.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char find_life[] = "SELECT 1 FROM rm_node WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";
constexpr char read_incarnation[] = "SELECT incarnation FROM rm_node WHERE id = ?1";
constexpr char read_past[] = "SELECT counter FROM rm_edit WHERE id = ?1";
constexpr char insert_node[] = "INSERT INTO rm_node (id, incarnation, beat, state, address) VALUES (?1, ?2, 0, 'up', ?3)";
constexpr char enter_again[] = "UPDATE rm_node SET incarnation = ?2, beat = 0, state = 'up', address = ?3 WHERE id = ?1";
constexpr char raise_beat[] = "UPDATE rm_node SET beat = ?3 WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";
constexpr char list_nodes[] = "SELECT id, incarnation, beat, state, address FROM rm_node ORDER BY id";
constexpr char fence_node[] = "UPDATE rm_node SET incarnation = incarnation + 1, state = 'fenced' "
                              "WHERE id = ?1 AND incarnation = ?2 AND beat = ?3 AND state = 'up'";
constexpr char leave_node[] = "UPDATE rm_node SET state = 'down' WHERE id = ?1 AND incarnation = ?2 AND state = 'up'";

core::node_state state_of(std::string_view stored) {
  if (stored == "up")
    return core::node_state::up;
  return stored == "fenced" ? core::node_state::fenced : core::node_state::down;
}

} // namespace

bool is_current(connection& db, const core::node_life& life) {
  auto finding = db.prepare(find_life);
  return finding.with(life.node, life.incarnation).step();
}

core::error over(const core::node_life& life) {
  return {core::errc::fenced, "incarnation " + std::to_string(life.incarnation) + " of node " + life.node + " is over"};
}

core::result<core::node_life> cluster::enter(const std::string& node, const std::string& address) {
  return within(*session_.db, transaction_kind::write, [&](connection& db) -> core::result<core::node_life> {
    core::node_life life{node, 1};
    auto reading = db.prepare(read_incarnation);
    bool known = reading.with(node).step();
    if (known)
      life.incarnation = reading.number(0) + 1;
    else if (auto past = db.prepare(read_past); past.with(past_lives).step())
      life.incarnation = past.number(0) + 1;
    db.run(known ? enter_again : insert_node, node, life.incarnation, address);
    return life;
  });
}

core::result<void> cluster::beat(const core::node_life& life, std::int64_t beat) {
  return within(*session_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    if (db.run(raise_beat, life.node, life.incarnation, beat) != 1)
      return tl::unexpected{over(life)};
    return {};
  });
}

core::result<std::vector<core::node_row>> cluster::nodes() {
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::node_row>> {
    std::vector<core::node_row> rows;
    auto listing = db.prepare(list_nodes);
    listing.with();
    while (listing.step())
      rows.push_back({std::string{listing.text(0)}, listing.number(1), listing.number(2), state_of(listing.text(3)),
                      std::string{listing.text(4)}});
    return rows;
  });
}

core::result<bool> cluster::fence(const core::node_row& seen) {
  return within(*session_.db, transaction_kind::write, [&](connection& db) -> core::result<bool> {
    return db.run(fence_node, seen.id, seen.incarnation, seen.beat) == 1;
  });
}

core::result<void> cluster::leave(const core::node_life& life) {
  return within(*session_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    db.run(leave_node, life.node, life.incarnation);
    return {};
  });
}

core::result<void> sqlite_store::ping() {
  return within(*session_.db, transaction_kind::read, [](connection& db) -> core::result<void> {
    db.run("SELECT 1");
    return {};
  });
}

} // namespace ringmaster::storage::sqlite
