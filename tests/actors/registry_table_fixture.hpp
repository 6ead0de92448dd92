#pragma once

// A registry table with a plain value as its store.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "actors/executors/registry_table.hpp"

namespace ringmaster::test::registry_tables {

using namespace std::chrono_literals;
using actors::registry_table;
using names = std::vector<std::string>;

inline constexpr auto t0 = core::from_ms(1'772'452'800'000);

inline core::group group(std::int32_t id, std::string app) {
  return {core::group_id{id}, std::move(app), "Title", core::address_type::automatic, {}};
}
inline core::group manual_group(std::int32_t id, std::string app, names addresses) {
  return {core::group_id{id}, std::move(app), "Title", core::address_type::manual, std::move(addresses)};
}

inline core::registration row(std::string app, std::string address, core::time_point seen,
                              std::string registry_group = "EXECUTOR") {
  return {std::move(registry_group), std::move(app), std::move(address), seen};
}

inline protocol::registry_beat beat(std::string app, std::string address, bool app_header = false) {
  return {"EXECUTOR", std::move(app), std::move(address), app_header};
}

/// A table with a plain value as its store. The steady clock shows `t`; the civil clock is `ahead` of it.
struct registry {
  explicit registry(core::time_point start = t0) : table{90s, when(start)} {}

  static registry_table::steady when(core::time_point t) { return registry_table::steady{t.time_since_epoch()}; }
  [[nodiscard]] registry_table::moment moment(core::time_point t) const { return {when(t), t + ahead}; }

  bool beat(const protocol::registry_beat& one, core::time_point t) { return table.beat(one, moment(t)); }
  void sweep(core::time_point t) { table.sweep(when(t)); }
  void read(core::time_point t) { table.take(stored, table.mark(), moment(t)); }
  /// Sweeps every second and reads every five.
  void pass(core::time_point from, core::time_point to) {
    for (auto t = from; t <= to; t += 1s) {
      sweep(t);
      if ((t - from) % 5s == 0s)
        read(t);
    }
  }
  /// Writes as the store does.
  core::registry_batch write(bool renewals) {
    auto batch = table.begin_write(renewals);
    auto remove = [this](auto which) { std::erase_if(stored.registrations, which); };
    for (const auto& gone : batch.removed)
      remove([&](const auto& row) { return row.same_identity(gone); });
    for (const auto& renewed : batch.renewed) {
      const auto known = std::find_if(stored.registrations.begin(), stored.registrations.end(),
                                      [&](const auto& row) { return row.same_identity(renewed); });
      const auto shown = known == stored.registrations.end() ? std::nullopt : known->shown;
      remove([&](const auto& row) { return row.same_identity(renewed); });
      stored.registrations.push_back(renewed);
      stored.registrations.back().shown = shown;
      stored.registrations.back().seen = std::chrono::floor<std::chrono::seconds>(renewed.seen);
    }
    for (const auto& gone : batch.dead)
      remove([&](const auto& row) { return row.same_identity(gone) && row.seen == gone.seen; });
    for (const auto& token : batch.tokens)
      for (auto& row : stored.registrations)
        if (row.same_identity(token))
          row.shown = token.shown;
    for (const auto& changed : batch.changed_groups)
      for (auto& group : stored.groups)
        if (group.id == changed.id)
          group.addresses = changed.addresses;
    table.written();
    return batch;
  }
  [[nodiscard]] names addresses(std::int32_t id) {
    if (auto next = table.changed_view())
      view = next;
    return view ? view->groups.at(id).addresses : names{"no view"};
  }
  [[nodiscard]] names stored_addresses() const {
    names rows;
    for (const auto& row : stored.registrations)
      rows.push_back(row.address);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  core::registry_state stored{{group(1, "pay")}, {}};
  core::milliseconds ahead{0};
  registry_table table;
  std::shared_ptr<const protocol::registry_view> view;
};

} // namespace ringmaster::test::registry_tables
