#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "gateway/exchange/exchange.hpp"

namespace ringmaster::gateway::handlers::v1 {

/// Edits of the jobs of one request. Each is begun a pause after the one before, so that edits of other users and, on SQLite with
/// its only writer, claims and heartbeats have their turn. Answers the request when the outcome of each job is known. A job
/// that is not begun in time has the status 503. Lives in its messages and timers; used inside gateway_actor only.
class paced_edits : public std::enable_shared_from_this<paced_edits> {
public:
  /// Edits that wait for their answers at once. Most of them wait for runs that are on their way, and hold no connection.
  static constexpr std::size_t open_max = 64;
  /// The pause as a multiple of the shortest duration of an edit so far, which is the time of the store alone; its limits; and
  /// the pause before the first answer.
  static constexpr int pause_factor = 4;
  static constexpr std::chrono::milliseconds pause_min{1};
  static constexpr std::chrono::milliseconds pause_max{50};
  static constexpr std::chrono::milliseconds first_pause{10};

  /// Sends the message about the job at a position, and calls `close` with the answer.
  using ask_function = std::function<void(const exchange&, const std::shared_ptr<paced_edits>&, std::size_t)>;

  paced_edits(const exchange& ex, std::vector<core::job_id> jobs, ask_function ask);

  /// Begins with the first job. Without a job, nothing is answered.
  void begin() { begin_next(); }
  [[nodiscard]] core::job_id job(std::size_t at) const { return items_[at].job; }
  /// Returns the time within which an edit that is begun now must be answered.
  [[nodiscard]] std::chrono::milliseconds left() const;
  /// Notes the result of the job at a position, as JSON.
  void close(std::size_t at, std::string_view done);
  /// Notes the failure of the job at a position.
  void close(std::size_t at, const core::error& error);

private:
  using steady = std::chrono::steady_clock::time_point;

  struct item {
    core::job_id job;
    steady begun = {};
    std::string outcome = {};
  };

  void begin_next();
  /// Begins the next job after a pause.
  void rest();
  [[nodiscard]] std::chrono::milliseconds pause() const;
  void refuse_rest();
  void note_problem(item& of, const core::error& error) const;
  /// Answers the request if nothing is open.
  void end_if_complete();
  [[nodiscard]] steady now() const { return ex_.services().self->clock().now(); }

  exchange ex_;
  ask_function ask_;
  /// Jobs in the order of the request, `next_` of which have begun or were refused.
  std::vector<item> items_;
  steady begun_;
  std::size_t next_ = 0;
  std::size_t open_ = 0;
  /// Shortest duration of an edit that succeeded.
  std::optional<steady::duration> shortest_;
};

} // namespace ringmaster::gateway::handlers::v1
