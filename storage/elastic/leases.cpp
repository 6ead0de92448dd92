// Leases of slots: E0, E15, and the guard of coordinators.

#include "storage/elastic/leases.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "storage/elastic/elastic_role.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

constexpr std::size_t cluster_id_chars = 32;

elastic::lease_row lease_in(const sql_rows& row) {
  elastic::lease_row out{{static_cast<std::uint32_t>(row.number(0)), row.number(3)}, std::nullopt};
  if (!row.is_null(1))
    out.holder = core::node_incarnation{row.string(1), row.number(2)};
  return out;
}

template <class Leases>
std::vector<slot_number> slots_in(const Leases& all) {
  std::vector<slot_number> out;
  for (const auto& each : all)
    if (each.slot < core::slot_count)
      out.push_back(slot_number{static_cast<std::int32_t>(each.slot)});
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Takes leases in one transaction.
class lease_taking {
public:
  lease_taking(admin_session& own, const core::node_incarnation& owner) : own_{own}, owner_{owner} {}

  std::vector<elastic::slot_lease> run(std::span<const elastic::lease_wish> wanted) {
    own_.query_in("SELECT slot, node, incarnation, epoch FROM ej_lease WHERE slot IN ({?,}) ORDER BY slot $for_update",
                  slots_in(wanted), [&](const sql_rows& row) {
                    const auto lease = lease_in(row);
                    rows_[lease.lease.slot] = lease;
                  });
    std::vector<elastic::slot_lease> out;
    std::vector<sql_value> values;
    for (const auto& wish : wanted)
      if (const auto found = rows_.find(wish.slot); found != rows_.end())
        if (take(found->second, wish.above, values))
          out.push_back(found->second.lease);
    own_.execute_rows("INSERT INTO ej_lease (slot, node, incarnation, epoch) VALUES {(?, ?, ?, ?),} $on_conflict(slot)"
                      " node = $new_value(node), incarnation = $new_value(incarnation), epoch = $new_value(epoch)",
                      values, 4);
    return out;
  }

private:
  /// Returns whether the slot is the owner's now; adds the row to `values` if it changes.
  bool take(elastic::lease_row& row, std::int64_t above, std::vector<sql_value>& values) {
    const bool mine = row.holder == owner_;
    if (!mine && row.holder && is_alive(*row.holder))
      return false;
    if (mine && row.lease.epoch > above)
      return true;
    row.lease.epoch = std::max(row.lease.epoch, above) + 1;
    row.holder = owner_;
    for (const auto& value : {value_of(row.lease.slot), value_of(owner_.node), value_of(owner_.incarnation),
                              value_of(row.lease.epoch)})
      values.push_back(value);
    return true;
  }

  bool is_alive(const core::node_incarnation& holder) {
    const auto [at, is_new] = alive_.try_emplace({holder.node, holder.incarnation});
    if (is_new)
      at->second = own_.check_current(holder).has_value();
    return at->second;
  }

  admin_session& own_;
  const core::node_incarnation& owner_;
  std::map<std::uint32_t, elastic::lease_row> rows_;
  std::map<std::pair<std::string, std::int64_t>, bool> alive_;
};

} // namespace

std::set<std::uint32_t> hold_leases(admin_session& own, const core::node_incarnation& owner,
                                    std::span<const elastic::slot_lease> known) {
  std::map<std::uint32_t, elastic::lease_row> rows;
  own.query_in("SELECT slot, node, incarnation, epoch FROM ej_lease WHERE slot IN ({?,}) ORDER BY slot $for_share",
               slots_in(known), [&](const sql_rows& row) {
                 const auto lease = lease_in(row);
                 rows[lease.lease.slot] = lease;
               });
  std::set<std::uint32_t> out;
  for (const auto& each : known)
    if (const auto found = rows.find(each.slot);
        found != rows.end() && found->second.lease == each && found->second.holder == owner)
      out.insert(each.slot);
  return out;
}

core::result<elastic::cluster_mark> elastic_role::mark(const std::string& fresh_id) {
  if (fresh_id.empty() || fresh_id.size() > cluster_id_chars)
    return core::fail(core::errc::invalid_argument, "the id of a cluster has 1 to 32 characters");
  return own_.edit([&]() -> core::result<elastic::cluster_mark> {
    own_.execute("UPDATE ej_meta SET cluster_id = ? WHERE id = 1 AND cluster_id = ''", fresh_id);
    auto row = own_.query("SELECT cluster_id, host_change FROM ej_meta WHERE id = 1");
    if (!row.next())
      return core::fail(core::errc::unavailable, "the table ej_meta has no row");
    return elastic::cluster_mark{row.string(0), row.number(1)};
  });
}

core::result<std::vector<elastic::slot_lease>> elastic_role::take_leases(const core::node_incarnation& owner,
                                                                         std::span<const elastic::lease_wish> wanted) {
  return own_.edit([&]() -> core::result<std::vector<elastic::slot_lease>> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    return lease_taking{own_, owner}.run(wanted);
  });
}

core::result<void> elastic_role::release_leases(const core::node_incarnation& owner,
                                                std::span<const elastic::slot_lease> held) {
  return own_.edit([&]() -> core::result<void> {
    auto sorted = std::vector(held.begin(), held.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
    for (const auto& each : sorted)
      own_.execute("UPDATE ej_lease SET node = NULL WHERE slot = ? AND epoch = ? AND node = ? AND incarnation = ?", each.slot,
                   each.epoch, owner.node, owner.incarnation);
    return {};
  });
}

core::result<std::vector<elastic::lease_row>> elastic_role::leases() {
  return own_.read([&]() -> core::result<std::vector<elastic::lease_row>> {
    std::vector<elastic::lease_row> out;
    auto rows = own_.query("SELECT slot, node, incarnation, epoch FROM ej_lease ORDER BY slot");
    while (rows.next())
      out.push_back(lease_in(rows));
    return out;
  });
}

} // namespace ringmaster::storage
