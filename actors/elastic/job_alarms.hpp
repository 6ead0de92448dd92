#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/elastic/job_output.hpp"
#include "config/settings.hpp"
#include "core/elastic/item_alarm.hpp"

namespace ringmaster::actors {

/// Decides which alarms one elastic job raises apart from those of failed runs, and knows which items have an open one. Pure
/// state of `job_coordination`. Takeovers and waits are counted in memory: another coordinator starts at zero.
class job_alarms {
public:
  using item_number = core::elastic::item_number;
  using raised = std::optional<core::elastic::raised_alarm>;

  /// Items of a job that raise an alarm while items wait for hosts; the number of all of them is in each alarm.
  static constexpr std::size_t waiting_items_max = 16;

  explicit job_alarms(const config::elastic_settings& limits) : limits_{limits} {}

  /// Replaces the items with an open alarm by the stored ones.
  void load(const std::vector<item_number>& alarmed) { alarmed_ = {alarmed.begin(), alarmed.end()}; }
  /// The item, or the whole job, may have an open alarm.
  void note(item_number item) { alarmed_.insert(item); }
  /// A run of the item succeeds: returns whether that may end an open alarm, of the item or of the job.
  [[nodiscard]] bool ends(item_number item);

  /// A fire whose first instant is `since` begins at `wall`, or is dropped.
  [[nodiscard]] raised fired(core::time_point since, bool dropped, core::time_point wall);
  /// The plan leaves this number of enabled items without a host at a fire. `final`: they cannot wait for `unowned_after`.
  [[nodiscard]] raised unassigned(std::size_t items, bool final, core::time_point wall);
  /// An item has waited for a host. `items`: number of items that wait.
  [[nodiscard]] raised waited(item_number item, std::size_t items, core::time_point wall);
  /// No item waits for a host.
  void none_waits() { waiting_raised_ = 0; }
  /// A run that a lost process had is taken over.
  [[nodiscard]] raised taken_over(const core::elastic::host_process& from, job_moment at);

private:
  struct lost_host {
    core::elastic::host_process host;
    job_moment at;
  };

  config::elastic_settings limits_;
  std::set<item_number> alarmed_;
  bool unassigned_raised_ = false;
  std::size_t waiting_raised_ = 0;
  /// Hosts from which runs were taken over, oldest first.
  std::vector<lost_host> lost_;
};

} // namespace ringmaster::actors
