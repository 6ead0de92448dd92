#include "storage/mysql/registry.hpp"

#include <algorithm>
#include <tuple>

#include "storage/mysql/batches.hpp"
#include "storage/registry_text.hpp"

namespace ringmaster::storage::mysql {

core::result<core::registry_state> registry_role::read() {
  return own_.db.read([&]() -> core::result<core::registry_state> {
    core::registry_state out;
    auto groups = own_.db.query("SELECT id, app_name, title, address_type, address_list FROM xxl_job_group ORDER BY id");
    while (groups.next())
      out.groups.push_back({groups.id<core::group_id>(0), groups.string(1), groups.string(2),
                            groups.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
                            split_addresses(groups.text(4))});
    auto seen =
      own_.db.query("SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry ORDER BY id");
    while (seen.next())
      out.registrations.push_back(
        {seen.string(0), seen.string(1), seen.string(2), own_.dates.read(seen.text(3)).value_or(core::time_point{})});
    return out;
  });
}

namespace {

/// The order in which every node locks the rows: two that write the same ones in different orders would wait for each other.
std::vector<core::registration> in_order(std::vector<core::registration> some) {
  std::sort(some.begin(), some.end(), [](const auto& a, const auto& b) {
    return std::tie(a.registry_group, a.app_name, a.address) < std::tie(b.registry_group, b.app_name, b.address);
  });
  return some;
}

} // namespace

void registry_role::renew(const std::vector<core::registration>& unordered) {
  const auto renewed = in_order(unordered);
  for (const auto part : exact_chunks(renewed.size())) {
    auto& insert = own_.db.prepare(
      "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES {(?,?,?,?),}"
      " ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)",
      part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& one = renewed[part.at(i)];
      insert.add(one.registry_group).add(one.app_name).add(one.address).add(std::string{own_.dates.of(one.seen)});
    }
    insert.run();
  }
}

core::result<void> registry_role::write(const core::registry_batch& batch, core::time_point now) {
  if (auto sound = check(batch); !sound)
    return sound;
  return own_.db.transact([&]() -> core::result<void> {
    auto& db = own_.db;
    for (const auto& gone : in_order(batch.removed))
      db.execute("DELETE FROM xxl_job_registry WHERE registry_group = ? AND registry_key = ? AND registry_value = ?",
                 gone.registry_group, gone.app_name, gone.address);
    renew(batch.renewed);
    for (const auto& gone : in_order(batch.dead))
      db.execute("DELETE FROM xxl_job_registry"
                 " WHERE registry_group = ? AND registry_key = ? AND registry_value = ? AND update_time = ?",
                 gone.registry_group, gone.app_name, gone.address, std::string{own_.dates.of(gone.seen)});
    for (const auto& changed : batch.changed_groups)
      db.execute("UPDATE xxl_job_group SET address_list = ?, update_time = ? WHERE id = ? AND address_type = 0",
                 address_column(changed.addresses), std::string{own_.dates.of(now)}, changed.id);
    return {};
  });
}

} // namespace ringmaster::storage::mysql
