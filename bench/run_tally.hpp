#pragma once

// Counts of an executor's handlers, in memory that they share with the bench.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ringmaster::bench {

/// Tally of one load. Its log ids begin with 1; those above `runs_max` are only counted in the total.
struct run_tally {
  static constexpr std::size_t runs_max = std::size_t{1} << 24;

  std::atomic<std::uint64_t> runs{0};
  /// The run that began to wait last, and the time at which it noticed its stop, by CLOCK_MONOTONIC.
  std::atomic<std::int64_t> waiting{0};
  std::atomic<std::int64_t> stopped_us{0};
  std::array<std::atomic<std::uint8_t>, runs_max> times{};

  void add(std::int64_t log_id) {
    if (log_id > 0 && log_id < static_cast<std::int64_t>(runs_max))
      times[static_cast<std::size_t>(log_id)].fetch_add(1, std::memory_order_relaxed);
    runs.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] unsigned times_of(std::int64_t log_id) const {
    return log_id > 0 && log_id < static_cast<std::int64_t>(runs_max) ? times[static_cast<std::size_t>(log_id)].load() : 0U;
  }
};

/// A file of zeros that both processes map; only touched pages take memory.
class shared_tally {
public:
  enum class side { makes, opens };

  /// Maps the file. Throws `std::runtime_error`.
  shared_tally(const std::filesystem::path& file, side which);
  ~shared_tally();
  shared_tally(const shared_tally&) = delete;
  shared_tally& operator=(const shared_tally&) = delete;

  [[nodiscard]] run_tally* operator->() const { return tally_; }

private:
  run_tally* tally_ = nullptr;
};

[[nodiscard]] std::int64_t monotonic_us();

} // namespace ringmaster::bench
