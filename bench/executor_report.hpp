#pragma once

// Reports of executor_bench: one line of JSON for each.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Microseconds of user and system time per stored run, by process.
struct executor_cpu {
  double ringmaster = 0, executor = 0;
};

struct executor_rate {
  std::string way;
  std::string shape;
  std::size_t jobs = 0;
  double seconds = 0;
  std::size_t expected = 0; ///< instants of the window
  std::size_t stored = 0;   ///< instants that were stored as a success
  std::size_t lost = 0;     ///< instants without a run, including those dropped as too late
  std::size_t doubled = 0;  ///< instants with two runs, and runs whose handler was called twice
  std::size_t unstored = 0; ///< runs of the window whose handler was called, without a stored success
  std::size_t stored_meanwhile = 0; ///< successes stored while the window's clock ran, of any instant
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

/// Time from the fork to the first answer.
struct executor_starts {
  std::size_t starts = 0;
  spread_ms ms;
};

/// Times from the request on: to the admin for a handler, to the executor itself for a script.
struct executor_kills {
  std::size_t kills = 0;
  spread_ms stopped;  ///< the handler noticed its stop
  spread_ms answered; ///< the admin answered
  spread_ms stored;   ///< the admin reports the result
  spread_ms script_ended; ///< the script's shell and its child have ended
};

[[nodiscard]] std::string to_json(const executor_rate& report);
[[nodiscard]] std::string to_json(const executor_memory& report);
[[nodiscard]] std::string to_json(const executor_starts& report);
[[nodiscard]] std::string to_json(const executor_kills& report);

} // namespace ringmaster::bench
