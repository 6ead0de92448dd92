#pragma once

#include <optional>

#include "storage/mysql/driver/session.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage::mysql {

/// Looks after the log. `maintenance.cpp` reads and reports, `purge.cpp` and `orphans.cpp` remove.
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
  core::result<void> make_room() override;
  core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                        std::span<const std::int64_t> claims) override;

private:
  core::result<std::size_t> forget_nodes(std::size_t limit);
  /// Nothing: the oldest runs are to be removed one by one.
  core::result<std::optional<core::purge_outcome>> drop_next_part(const core::purge_step& step);

  session& own_;
  /// The end of the part that was looked at last and could not be dropped, and by what age limit.
  core::log_id kept_part_{};
  core::time_point kept_before_{};
  /// The end of the part that may be dropped and loses its failed runs before, and how many runs it has.
  core::log_id emptied_part_{};
  std::size_t emptied_runs_ = 0;
};

/// maintenance.cpp. As `maintenance_store::last_before`. Throws `driver_error`.
[[nodiscard]] core::log_id last_before(session& own, core::time_point t);

/// purge.cpp. Runs of open claims in `range`, ascending. Throws `driver_error`.
[[nodiscard]] std::vector<core::log_id> held_runs(connection& db, const core::log_range& range);

} // namespace ringmaster::storage::mysql
