#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "actors/executors/waiting_run.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Batches of runs on their way to an executor, until their verdicts arrive. Keeps the sums of their runs and bytes within a
/// window. A batch whose deadline has passed loses its runs and keeps its share of the window: it may not have left this node.
class run_flights {
public:
  using steady = protocol::wall_clock::steady;
  static constexpr std::size_t runs_max = 2048;
  static constexpr std::size_t bytes_max = 8 * 1024 * 1024;

  struct sent_batch {
    std::vector<waiting_run> runs;
    steady sent{};
  };

  /// Returns whether so many more runs and bytes fit into the window.
  [[nodiscard]] bool has_room(std::size_t runs, std::size_t bytes) const noexcept {
    return runs_ + runs <= runs_max && bytes_ + bytes <= bytes_max;
  }
  [[nodiscard]] bool empty() const noexcept { return flights_.empty(); }
  /// Returns the time at which the oldest batch was sent; nothing if none is on its way.
  [[nodiscard]] std::optional<steady> oldest() const;
  /// Returns the number of runs that the batch was sent with; nothing if it is not on its way.
  [[nodiscard]] std::optional<std::size_t> size_of(std::uint64_t batch) const;

  /// Adds a batch and returns its number.
  std::uint64_t add(std::vector<waiting_run>&& runs, std::size_t bytes, steady now);
  /// Ends a batch that is on its way. Its runs are missing if they were taken before.
  sent_batch take(std::uint64_t batch);
  /// Takes the runs of batches sent at `until` or before.
  std::vector<sent_batch> take_late(steady until);
  /// Ends all batches.
  std::vector<sent_batch> take_all();

private:
  struct flight {
    sent_batch batch;
    std::size_t count = 0;
    std::size_t bytes = 0;
  };

  /// By number, which is the order of sending.
  std::map<std::uint64_t, flight> flights_;
  std::size_t runs_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

} // namespace ringmaster::actors
