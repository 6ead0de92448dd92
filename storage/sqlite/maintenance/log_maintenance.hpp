#pragma once

#include <vector>

#include "storage/sqlite/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::sqlite {

/// Maintenance of the log. `log_maintenance.cpp` reads and reports, `purge.cpp` and `dangling_rows.cpp` remove.
class maintenance_role final : public maintenance_store {
public:
  explicit maintenance_role(session& own) : own_{own} {}

  core::result<core::log_span> span() override;
  core::result<core::log_id> last_before(core::time_point t) override;
  core::result<core::open_page> open_runs(const core::open_search& search) override;
  core::result<core::day_counts> count_runs(const core::log_range& range, const core::day_bounds& days) override;
  core::result<void> write_report(std::span<const core::day_report> days, core::time_point now) override;
  core::result<core::purge_outcome> purge(const core::purge_step& step) override;
  core::result<std::size_t> forget_taken_intents(core::time_point before, std::size_t limit) override;
  core::result<std::size_t> forget_orphans(std::size_t limit) override;
  core::result<std::size_t> purge_audits(core::time_point before, std::size_t limit) override;
  core::result<void> make_room() override { return {}; }
  core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                        std::span<const std::int64_t> claims) override;

private:
  session& own_;
};

/// See `maintenance_store::last_before` (`log_maintenance.cpp`). Inside a transaction.
[[nodiscard]] core::log_id last_before(session& own, core::time_point t);

/// Returns the runs of open claims in `range`, ascending (`purge.cpp`). Inside a transaction.
[[nodiscard]] std::vector<core::log_id> held_runs(connection& db, const core::log_range& range);

} // namespace ringmaster::storage::sqlite
