#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Accepted runs, until their result is safe (at an admin or in a file) and a log file detects their copies. They outlive the
/// process: after a kill, the next process reports the runs left open. Any thread; only `grow` blocks. Runs that are not in it
/// are ignored, so repeated calls are harmless.
class taken_runs {
public:
  virtual ~taken_runs() = default;

  /// Adds a run. Returns false if the same run is in it; another run with the same id is added. Errors: `unavailable` when there
  /// is no room; the context is the text of the response.
  virtual core::result<bool> take(const core::trigger_request& request) = 0;
  [[nodiscard]] virtual bool contains(const core::run_identity& which) const = 0;
  /// Removes a run that was not accepted after all.
  virtual void forget(const core::run_identity& which) = 0;
  /// Marks a run whose body is called from now on.
  virtual void begin(const core::run_identity& which) = 0;
  /// Stores a result. The first one stands; a long message is cut.
  virtual void settle(const core::run_report& report) = 0;
  /// Removes a run whose result is safe and whose log file exists.
  virtual void remove(const core::run_identity& which) = 0;
  /// Closes a run whose result is safe but whose log file is missing: it is not reported again, and copies are still refused.
  virtual void close(const core::run_identity& which) = 0;

  /// Returns the runs of `job` without a result.
  [[nodiscard]] virtual std::vector<core::run_report> open_of(core::job_id job) const = 0;
  /// Returns results for the runs that an earlier process left open, in the order of acceptance; once. They stay in it as
  /// settled.
  virtual std::vector<core::run_report> left() = 0;
  /// Returns some of the closed runs; their codes have no meaning.
  [[nodiscard]] virtual std::vector<core::run_report> closed(std::size_t limit) const = 0;

  /// Returns whether more room is needed soon.
  [[nodiscard]] virtual bool is_scarce() const = 0;
  /// Makes more room. Errors: `unavailable`, e.g. the disk is full.
  virtual core::result<void> grow() = 0;
};

} // namespace ringmaster::actors
