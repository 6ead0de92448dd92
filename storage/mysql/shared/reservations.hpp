#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/schedule/schedule.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::storage::mysql {

/// Cache of compiled schedules by their text: most jobs share few, and a reservation holds the cluster's lock while it plans.
class rule_cache {
public:
  explicit rule_cache(core::zone where) : where_{std::move(where)} {}

  /// Valid until the next call. Errors: `invalid_argument` with XXL's text.
  [[nodiscard]] core::result<const core::schedule*> find(std::string_view type, std::string_view conf);

private:
  core::zone where_;
  std::map<std::string, core::schedule, std::less<>> rules_;
};

/// The reservations. Its methods are in `reserving.cpp` (T1s), `mode_switch.cpp`, `note_rewrites.cpp` and `reservations.cpp`.
class reservation_role final : public reservation_store {
public:
  explicit reservation_role(session& own) : own_{own}, rules_{own.schedule_zone} {}

  core::result<core::mode_state> mode() override;
  core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner, const core::reserve_window& window) override;
  core::result<std::vector<core::job_id>> unplanned() override;
  core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                        std::span<const core::dropped_instant> instants) override;
  core::result<std::size_t> put_back(const core::node_incarnation& owner) override;
  core::result<std::size_t> forget(core::time_point before, std::size_t limit) override;
  core::result<bool> hold() override;
  core::result<void> let_go() override;
  core::result<core::mode_switch> switch_mode(core::cluster_mode to, core::milliseconds patience) override;
  core::result<core::note_rewrite> rewrite_notes(core::log_id after) override;

private:
  session& own_;
  rule_cache rules_;
  /// Reserved instants up to this time are forgotten, except those that were taken after the call.
  core::time_point forgotten_{};
  /// The connection on which the guard holds the lock; 0: none.
  std::int64_t held_on_ = 0;
};

/// Makes waiting reserved instants of `node` (empty: of every node) due again and deletes them; returns their number. Instants
/// before one that another scheduler has taken stay. Called inside a transaction that holds `schedule_lock`. Throws
/// `driver_error`.
[[nodiscard]] std::size_t put_instants_back(connection& db, rule_cache& rules, const std::string& node);

} // namespace ringmaster::storage::mysql
