// Executor groups and registrations.

#include "storage/sqlite/cluster/registry.hpp"

#include "core/job/address_list.hpp"
#include "storage/rows/registry_text.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_groups[] =
  "SELECT g.id, g.app_name, g.title, g.address_type, g.address_list, t.token, t.previous, t.previous_until_ms"
  " FROM xxl_job_group g LEFT JOIN rm_group_token t ON t.group_id = g.id ORDER BY g.id";
constexpr char list_registrations[] =
  "SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry ORDER BY id";
constexpr char renew[] =
  "UPDATE xxl_job_registry SET update_time = ?4 WHERE registry_group = ?1 AND registry_key = ?2 AND registry_value = ?3";
constexpr char insert[] =
  "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES (?1, ?2, ?3, ?4)";
constexpr char remove[] = "DELETE FROM xxl_job_registry WHERE registry_group = ?1 AND registry_key = ?2 AND registry_value = ?3";
constexpr char remove_dead[] =
  "DELETE FROM xxl_job_registry WHERE registry_group = ?1 AND registry_key = ?2 AND registry_value = ?3 AND update_time = ?4";
constexpr char list_tokens[] = "SELECT registry_key, registry_value, token FROM rm_shown_token";
constexpr char write_shown[] =
  "INSERT INTO rm_shown_token (registry_key, registry_value, token) VALUES (?1, ?2, ?3) "
  "ON CONFLICT (registry_key, registry_value) DO UPDATE SET token = excluded.token";
constexpr char remove_shown[] = "DELETE FROM rm_shown_token WHERE registry_key = ?1 AND registry_value = ?2";
constexpr char write_group[] = "UPDATE xxl_job_group SET address_list = ?2, update_time = ?3 WHERE id = ?1 AND address_type = 0";

} // namespace

core::result<core::registry_state> registry_role::read() {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::registry_state> {
    core::registry_state state;
    auto groups = db.prepare(list_groups);
    groups.with();
    while (groups.step())
      state.groups.push_back({groups.id<core::group_id>(0), std::string{groups.text(1)}, std::string{groups.text(2)},
                              groups.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
                              core::split_addresses(groups.text(4)), std::string{groups.text(5)}, std::string{groups.text(6)},
                              groups.time_ms(7)});
    auto rows = db.prepare(list_registrations);
    rows.with();
    while (rows.step())
      state.registrations.push_back({std::string{rows.text(0)}, std::string{rows.text(1)}, std::string{rows.text(2)},
                                     own_.dates.read(rows.text(3)).value_or(core::time_point{})});
    std::vector<core::registration> tokens;
    auto shown = db.prepare(list_tokens);
    shown.with();
    while (shown.step())
      tokens.push_back({"EXECUTOR", std::string{shown.text(0)}, std::string{shown.text(1)}, {}, shown_kind(shown.text(2))});
    join_tokens(state, std::move(tokens));
    return state;
  });
}

core::result<void> registry_role::write(const core::registry_batch& batch, core::time_point now) {
  if (auto sound = check(batch); !sound)
    return sound;
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    for (const auto& row : batch.removed)
      db.run(remove, row.registry_group, row.app_name, row.address);
    for (const auto& row : batch.renewed) {
      const auto& seen = own_.dates.of(row.seen);
      if (db.run(renew, row.registry_group, row.app_name, row.address, seen) == 0)
        db.run(insert, row.registry_group, row.app_name, row.address, seen);
    }
    for (const auto& row : batch.dead)
      db.run(remove_dead, row.registry_group, row.app_name, row.address, own_.dates.of(row.seen));
    for (const auto& row : batch.tokens) {
      if (row.shown)
        db.run(write_shown, row.app_name, row.address, name_of(*row.shown));
      else
        db.run(remove_shown, row.app_name, row.address);
    }
    for (const auto& group : batch.changed_groups) {
      auto list = core::address_column(group.addresses);
      db.run(write_group, group.id, list, own_.dates.of(now));
    }
    return {};
  });
}

} // namespace ringmaster::storage::sqlite
