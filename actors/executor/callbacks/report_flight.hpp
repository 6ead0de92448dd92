#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "actors/executor/callbacks/report_queue.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results on their way to admins, request by request. A request that is refused is halved until what is refused for itself is
/// alone and set aside; the others go on. When two are refused alone and nothing was taken before or between, it is not for
/// themselves: an admin takes nothing now. A member of an actor's state.
class report_flight {
public:
  using batch_ptr = std::shared_ptr<const std::vector<core::run_report>>;
  enum class step : std::uint8_t {
    /// There is a next request.
    go_on,
    /// All were told, but for those that are set aside.
    done,
    /// Nobody takes anything.
    give_up
  };

  /// `refused_before`: alone, by earlier flights, since the last one that was taken.
  report_flight(std::vector<core::run_report>&& reports, unsigned refused_before);

  /// The next request; empty: there is none.
  const batch_ptr& next();
  /// What became of it.
  step accepted();
  step refused();

  [[nodiscard]] const batch_ptr& batch() const noexcept { return batch_; }
  [[nodiscard]] bool was_told(core::log_id run) const { return told_.contains(run); }
  /// All that an admin does not have, as far as anybody knows.
  [[nodiscard]] std::vector<core::run_report> untold() const;
  [[nodiscard]] const std::vector<core::run_report>& aside() const noexcept { return aside_; }
  [[nodiscard]] std::size_t size() const noexcept;
  /// For the next flight.
  [[nodiscard]] unsigned refused_in_row() const noexcept { return refused_; }

private:
  [[nodiscard]] step onward() const noexcept { return rest_.empty() ? step::done : step::go_on; }

  report_queue rest_;
  batch_ptr batch_ = std::make_shared<std::vector<core::run_report>>();
  std::vector<core::run_report> aside_;
  std::unordered_set<core::log_id> told_;
  /// Reports in the next request, at most.
  std::size_t limit_ = report_queue::batch_max;
  /// So many of those that come next were refused together.
  std::size_t suspects_ = 0;
  unsigned refused_ = 0;
  bool any_taken_ = false;
};

} // namespace ringmaster::actors
