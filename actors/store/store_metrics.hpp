#pragma once

// Metrics of storage_actor about the firing path's transactions.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "actors/metrics.hpp"
#include "core/result.hpp"

namespace ringmaster::actors {

enum class store_work : std::uint8_t { claim, record, control };

/// Rows that wait for the store.
struct store_queues {
  std::size_t claims = 0;
  std::size_t triggers = 0;
  std::size_t callbacks = 0;
  std::size_t open_claims = 0;
};

/// Metrics of storage_actor. Owned by their actor.
class store_metrics {
public:
  using duration = std::chrono::steady_clock::duration;

  explicit store_metrics(caf::actor_system& system);

  /// Records one transaction, from the request to the worker's answer; `rows`: runs of a claim or record.
  void done(store_work what, std::size_t rows, duration took) const;
  void failed(store_work what, core::errc why) const;
  /// Counts results and trigger codes that were written into rows, and results that were ignored.
  void stored(std::size_t callbacks, std::size_t of_callbacks, std::size_t triggers) const;
  /// Counts results that were put off because another transaction holds the rows of their runs.
  void locked(std::size_t runs) const;
  void show(const store_queues& waiting) const;

  // Recorded amounts, of this object and of others of the same actor system. Any thread.

  [[nodiscard]] std::int64_t stored_results() const noexcept { return results_->value(); }
  /// Returns the claims and results that wait for the store.
  [[nodiscard]] std::int64_t waiting_rows() const noexcept {
    return waiting_[0]->value() + waiting_[1]->value() + waiting_[2]->value();
  }
  [[nodiscard]] std::int64_t open_claims() const noexcept { return open_claims_->value(); }

private:
  static constexpr std::size_t works = 3;

  std::array<caf::telemetry::dbl_histogram*, works> time_{};
  std::array<caf::telemetry::int_histogram*, 2> rows_{};
  metric_family<caf::telemetry::int_counter>* errors_;
  caf::telemetry::int_counter* results_;
  caf::telemetry::int_counter* late_results_;
  caf::telemetry::int_counter* triggers_;
  caf::telemetry::int_counter* locked_;
  std::array<caf::telemetry::int_gauge*, works> waiting_{};
  caf::telemetry::int_gauge* open_claims_;
};

} // namespace ringmaster::actors
