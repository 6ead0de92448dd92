#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "actors/executor/callbacks/report_queue.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results on their way to admins, request by request. A refused request is halved until the individually refused result is
/// alone; it is set aside and the others continue. If two results are refused alone and none was accepted before or between, no
/// admin accepts anything now. A member of an actor's state.
class report_flight {
public:
  using batch_ptr = std::shared_ptr<const std::vector<core::run_report>>;
  enum class step : std::uint8_t {
    /// There is a next request.
    go_on,
    /// All results were accepted, except those set aside.
    done,
    /// No admin accepts anything.
    give_up
  };

  /// `refused_before`: results refused alone by earlier flights since the last accepted one.
  report_flight(std::vector<core::run_report>&& reports, unsigned refused_before);

  /// Returns the next request; empty: none.
  const batch_ptr& next();
  /// Processes the response to a request and returns the next step.
  step accepted();
  step refused();

  [[nodiscard]] const batch_ptr& batch() const noexcept { return batch_; }
  [[nodiscard]] bool was_told(core::log_id run) const { return told_.contains(run); }
  /// Returns all results that no admin is known to have.
  [[nodiscard]] std::vector<core::run_report> untold() const;
  [[nodiscard]] const std::vector<core::run_report>& aside() const noexcept { return aside_; }
  [[nodiscard]] std::size_t size() const noexcept;
  /// Returns the count for the next flight.
  [[nodiscard]] unsigned refused_in_row() const noexcept { return refused_; }

private:
  [[nodiscard]] step onward() const noexcept { return rest_.empty() ? step::done : step::go_on; }

  report_queue rest_;
  batch_ptr batch_ = std::make_shared<std::vector<core::run_report>>();
  std::vector<core::run_report> aside_;
  std::unordered_set<core::log_id> told_;
  /// Maximum number of reports in the next request.
  std::size_t limit_ = report_queue::batch_max;
  /// This many of the next reports were refused together.
  std::size_t suspects_ = 0;
  unsigned refused_ = 0;
  bool any_taken_ = false;
};

} // namespace ringmaster::actors
