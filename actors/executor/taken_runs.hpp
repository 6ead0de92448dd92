#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Runs that were taken, from then until their result is safe (an admin has it, or a file) and a log file keeps their copies
/// away. They outlive the process: what it leaves open when it is killed is reported by its next life. Any thread; only `grow`
/// blocks. A run that is not in it is silently passed over, so that telling twice does no harm.
class taken_runs {
public:
  virtual ~taken_runs() = default;

  /// False: the same run is in it; another one of this id is no obstacle. Errors: `unavailable` when there is no room; the
  /// context is the text to answer.
  virtual core::result<bool> take(const core::trigger_request& request) = 0;
  [[nodiscard]] virtual bool contains(const core::run_identity& which) const = 0;
  /// It was not taken after all.
  virtual void forget(const core::run_identity& which) = 0;
  /// Its body is called from now on.
  virtual void begin(const core::run_identity& which) = 0;
  /// What came of it. The first result stands; a long message is cut.
  virtual void settle(const core::run_report& report) = 0;
  /// Its result is safe, and its log file is there.
  virtual void remove(const core::run_identity& which) = 0;
  /// Its result is safe, its log file is not there: nothing is reported of it any more, and copies are still refused.
  virtual void close(const core::run_identity& which) = 0;

  /// Of runs of `job`, those that have no result.
  [[nodiscard]] virtual std::vector<core::run_report> open_of(core::job_id job) const = 0;
  /// Results for what an earlier life left open, in the order in which it was taken; once. They stay in it, settled.
  virtual std::vector<core::run_report> left() = 0;
  /// Some of those that were closed: their code is no matter.
  [[nodiscard]] virtual std::vector<core::run_report> closed(std::size_t limit) const = 0;

  /// There should be more room soon.
  [[nodiscard]] virtual bool is_scarce() const = 0;
  /// Makes it. Errors: `unavailable`, e.g. the disk is full.
  virtual core::result<void> grow() = 0;
};

} // namespace ringmaster::actors
