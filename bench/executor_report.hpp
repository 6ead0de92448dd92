#pragma once

// What executor_bench tells: one line of JSON for each.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Microseconds of user and system time for each stored run, by process.
struct executor_cpu {
  double ringmaster = 0, executor = 0;
};

struct executor_rate {
  std::string way;
  std::string shape;
  std::size_t jobs = 0;
  double seconds = 0;
  std::size_t expected = 0; ///< instants of the window
  std::size_t stored = 0;   ///< of them, as a success
  std::size_t lost = 0;     ///< of them, without a run: dropped because it was too late, too
  std::size_t doubled = 0;  ///< instants with two runs, and runs whose handler was called twice
  std::size_t unstored = 0; ///< runs of the window whose handler was called, without a stored success
  std::size_t stored_meanwhile = 0; ///< successes that reached the store while the window's clock ran, of whatever instant
  executor_cpu cpu;
  double stolen_s = 0;
  double ringmaster_mb = 0, executor_mb = 0; ///< most resident memory
  std::optional<int> ringmaster_exit, executor_exit;

  [[nodiscard]] bool clean() const { return lost == 0 && doubled == 0 && unstored == 0; }
};

struct executor_memory {
  std::size_t jobs = 0;
  bool held = false;
  std::size_t ran = 0;
  double before_mb = 0, after_mb = 0; ///< resident, before the first run and after the last
  std::optional<int> executor_exit;
};

/// From the fork to the first answer.
struct executor_starts {
  std::size_t starts = 0;
  spread_ms ms;
};

/// From the request on: to the admin for a handler, to the executor itself for a script.
struct executor_kills {
  std::size_t kills = 0;
  spread_ms stopped;  ///< the handler saw its stop
  spread_ms answered; ///< the admin answered
  spread_ms stored;   ///< the admin tells the result
  spread_ms script_ended; ///< the script's shell and its child are gone
};

[[nodiscard]] std::string to_json(const executor_rate& report);
[[nodiscard]] std::string to_json(const executor_memory& report);
[[nodiscard]] std::string to_json(const executor_starts& report);
[[nodiscard]] std::string to_json(const executor_kills& report);

} // namespace ringmaster::bench
