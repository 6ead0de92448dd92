#include "storage/mysql/cluster/registry.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/job/address_list.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/rows/registry_text.hpp"

namespace ringmaster::storage::mysql {

namespace {

#define RINGMASTER_GROUP_COLUMNS "SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, "
#define RINGMASTER_GROUP_TABLES                                                                                                  \
  ", t.previous, COALESCE(t.previous_until_ms, 0) FROM xxl_job_group g LEFT JOIN rm_group_token t ON t.group_id = g.id"          \
  " ORDER BY g.id"
constexpr sql groups_with_token = RINGMASTER_GROUP_COLUMNS "g.access_token" RINGMASTER_GROUP_TABLES;
constexpr sql groups_beside_token = RINGMASTER_GROUP_COLUMNS "t.token" RINGMASTER_GROUP_TABLES;
#undef RINGMASTER_GROUP_COLUMNS
#undef RINGMASTER_GROUP_TABLES

} // namespace

core::result<core::registry_state> registry_role::read() {
  return own_.db.read([&]() -> core::result<core::registry_state> {
    core::registry_state out;
    // From G8 on Java admins keep the token in their own column; the previous token is in our table everywhere.
    auto groups = own_.db.query(own_.shape.group_token ? groups_with_token : groups_beside_token);
    while (groups.next())
      out.groups.push_back({groups.id<core::group_id>(0), groups.string(1), groups.string(2),
                            groups.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
                            core::split_addresses(groups.text(4)), groups.string(5), groups.string(6),
                            core::from_ms(groups.number(7))});
    auto seen =
      own_.db.query("SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry ORDER BY id");
    while (seen.next())
      out.registrations.push_back(
        {seen.string(0), seen.string(1), seen.string(2), own_.dates.read(seen.text(3)).value_or(core::time_point{})});
    std::vector<core::registration> tokens;
    auto shown = own_.db.query("SELECT registry_key, registry_value, token FROM rm_shown_token");
    while (shown.next())
      tokens.push_back({"EXECUTOR", shown.string(0), shown.string(1), {}, shown_kind(shown.text(2))});
    join_tokens(out, std::move(tokens));
    return out;
  });
}

namespace {

// On XXL's own tables texts compare without case and trailing blanks; registrations are compared exactly.
#define RINGMASTER_EXACT_REGISTRATION \
  " WHERE registry_group = ? AND registry_key = ? AND registry_value = ? AND CAST(registry_group AS BINARY) = ?" \
  " AND CAST(registry_key AS BINARY) = ? AND CAST(registry_value AS BINARY) = ?"
constexpr const char* exact_registration = RINGMASTER_EXACT_REGISTRATION;
constexpr const char* exact_dead_registration = RINGMASTER_EXACT_REGISTRATION " AND update_time = ?";
#undef RINGMASTER_EXACT_REGISTRATION

using identity = std::tuple<std::string, std::string, std::string>;

identity identity_of(const core::registration& one) { return {one.registry_group, one.app_name, one.address}; }

/// Writes registrations on a schema whose key is not unique: a plain insert would add a row per heartbeat, and one row for each
/// node that sees a new executor at the same time. Executors with several rows (Java admins create them) are renewed together.
class plain_key {
public:
  plain_key(session& own, std::span<const core::registration> renewed) : own_{own} {
    for (const auto& one : renewed) {
      auto& seen = wanted_[identity_of(one)];
      seen = std::max(seen, one.seen);
    }
  }

  void run() {
    find();
    if (rows_.size() < wanted_.size()) {
      // Other transactions that see a new executor wait here, and then find its row.
      own_.db.execute("INSERT INTO rm_edit (id, counter) VALUES (2, 0) ON DUPLICATE KEY UPDATE counter = counter + 1");
      find();
      insert();
    }
    update();
  }

private:
  void find() {
    rows_.clear();
    std::vector<const identity*> all;
    for (const auto& [who, seen] : wanted_)
      all.push_back(&who);
    for (const auto part : padded_chunks(all.size())) {
      auto& some = own_.db.prepare("SELECT id, registry_group, registry_key, registry_value FROM xxl_job_registry"
                                   " WHERE (registry_group, registry_key, registry_value) IN ({(?,?,?),})",
                                   part.rows);
      for (std::size_t i = 0; i < part.rows; ++i) {
        const auto& [group, key, value] = *all[part.at(i)];
        some.add(group).add(key).add(value);
      }
      for (auto found = some.select(); found.next();) {
        identity who{found.string(1), found.string(2), found.string(3)};
        if (wanted_.contains(who))
          rows_[std::move(who)].push_back(found.number(0));
      }
    }
  }

  void insert() {
    std::vector<std::pair<const identity*, core::time_point>> missing;
    for (const auto& [who, seen] : wanted_)
      if (!rows_.contains(who))
        missing.emplace_back(&who, seen);
    for (const auto part : exact_chunks(missing.size())) {
      auto& some = own_.db.prepare(
        "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES {(?,?,?,?),}",
        part.rows);
      for (std::size_t i = 0; i < part.rows; ++i) {
        const auto& [who, seen] = missing[part.at(i)];
        some.add(std::get<0>(*who)).add(std::get<1>(*who)).add(std::get<2>(*who)).add(std::string{own_.dates.of(seen)});
      }
      some.run();
    }
  }

  void update() {
    std::map<core::time_point, std::vector<std::int64_t>> by_second;
    for (const auto& [who, ids] : rows_)
      for (const auto id : ids)
        by_second[core::cut_to_second(wanted_.at(who))].push_back(id);
    for (auto& [seen, ids] : by_second) {
      std::sort(ids.begin(), ids.end());
      for (const auto part : padded_chunks(ids.size())) {
        auto& some =
          own_.db.prepare("UPDATE xxl_job_registry FORCE INDEX (PRIMARY) SET update_time = ? WHERE id IN ({?,})", part.rows);
        some.add(std::string{own_.dates.of(seen)});
        for (std::size_t i = 0; i < part.rows; ++i)
          some.add(ids[part.at(i)]);
        some.run();
      }
    }
  }

  session& own_;
  std::map<identity, core::time_point> wanted_;
  std::map<identity, std::vector<std::int64_t>> rows_;
};

/// Returns the order in which every node locks the rows: two writers with different orders would wait for each other.
std::vector<core::registration> in_order(std::vector<core::registration> some) {
  std::sort(some.begin(), some.end(), [](const auto& a, const auto& b) {
    return std::tie(a.registry_group, a.app_name, a.address) < std::tie(b.registry_group, b.app_name, b.address);
  });
  return some;
}

} // namespace

void registry_role::renew(std::span<const core::registration> renewed) {
  if (!own_.shape.unique_registrations)
    return plain_key{own_, renewed}.run();
  for (const auto part : exact_chunks(renewed.size())) {
    // Where texts that differ by case share a key, the row is that of the last caller.
    auto& insert = own_.db.prepare(
      "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES {(?,?,?,?),}"
      " ON DUPLICATE KEY UPDATE registry_group = VALUES(registry_group), registry_key = VALUES(registry_key),"
      " registry_value = VALUES(registry_value), update_time = VALUES(update_time)",
      part.rows);
    for (std::size_t i = 0; i < part.rows; ++i) {
      const auto& one = renewed[part.at(i)];
      insert.add(one.registry_group).add(one.app_name).add(one.address).add(std::string{own_.dates.of(one.seen)});
    }
    insert.run();
  }
}

// There are few rows: only of executors that show another token than their group's.
void registry_role::write_tokens(std::span<const core::registration> tokens) {
  for (const auto& row : tokens) {
    if (row.shown)
      own_.db.execute("INSERT INTO rm_shown_token (registry_key, registry_value, token) VALUES (?, ?, ?)"
                      " ON DUPLICATE KEY UPDATE token = VALUES(token)",
                      row.app_name, row.address, std::string{name_of(*row.shown)});
    else
      own_.db.execute("DELETE FROM rm_shown_token WHERE registry_key = ? AND registry_value = ?", row.app_name, row.address);
  }
}

core::result<void> registry_role::in_parts(std::vector<core::registration> rows, const row_writer& write) {
  rows = in_order(std::move(rows));
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_max) {
    const auto part = std::span{rows}.subspan(begin, std::min(rows_max, rows.size() - begin));
    auto written = own_.db.transact([&]() -> core::result<void> {
      write(part);
      return {};
    });
    if (!written)
      return written;
  }
  return {};
}

core::result<void> registry_role::write(const core::registry_batch& batch, core::time_point now) {
  if (auto sound = check(batch); !sound)
    return sound;
  auto& db = own_.db;
  auto written = in_parts(batch.removed, [&](auto part) {
    for (const auto& gone : part)
      db.execute({"DELETE FROM xxl_job_registry", exact_registration}, gone.registry_group, gone.app_name, gone.address,
                 gone.registry_group, gone.app_name, gone.address);
  });
  if (written)
    written = in_parts(batch.renewed, [&](auto part) { renew(part); });
  if (written)
    written = in_parts(batch.dead, [&](auto part) {
      for (const auto& gone : part)
        db.execute({"DELETE FROM xxl_job_registry", exact_dead_registration}, gone.registry_group, gone.app_name, gone.address,
                   gone.registry_group, gone.app_name, gone.address, std::string{own_.dates.of(gone.seen)});
    });
  if (written)
    written = in_parts(batch.tokens, [&](auto part) { write_tokens(part); });
  if (!written || batch.changed_groups.empty())
    return written;
  return db.transact([&]() -> core::result<void> {
    for (const auto& changed : batch.changed_groups)
      db.execute("UPDATE xxl_job_group SET address_list = ?, update_time = ? WHERE id = ? AND address_type = 0",
                 core::address_column(changed.addresses), std::string{own_.dates.of(now)}, changed.id);
    return {};
  });
}

} // namespace ringmaster::storage::mysql
