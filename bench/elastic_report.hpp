#pragma once

// Reports of elastic_bench: one line of JSON for each.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// Times of rounds. Limits of the takeover are in docs/benchmarks.md.
struct elastic_times {
  /// `takeover-kill`, `takeover-stop`, `compensate` or `reshare`.
  std::string load;
  std::size_t rounds = 0;
  /// From the kill, the end of the overrun, or the start of the new worker, to the begin of the body that follows.
  spread_ms ms;
  /// Only of `reshare`: from the instant of a fire to the begin of its body, of all short items while workers come and go.
  std::optional<spread_ms> late;
  std::optional<int> exit_status;
};

/// Item runs at a rate.
struct elastic_rate {
  std::size_t jobs = 0, items = 0; ///< items of each job
  double seconds = 0;
  std::size_t expected = 0; ///< item runs of the window
  std::size_t lost = 0;     ///< without a body
  std::size_t doubled = 0;  ///< bodies after the first one of an item in a fire
  std::size_t unstored = 0; ///< bodies without a stored success
  spread_ms late;           ///< from the instant of the fire to the begin of the body
  spread_ms last;           ///< from the instant of the fire to the begin of its last body
  double server_cpu_s = 0, workers_cpu_s = 0;
  double server_mb = 0;     ///< most resident memory
  double stolen_s = 0;
  std::optional<int> exit_status;

  [[nodiscard]] bool clean() const { return expected > 0 && lost == 0 && doubled == 0 && unstored == 0; }
};

/// Elastic jobs that do not fire.
struct elastic_idle {
  std::size_t jobs = 0;
  double seconds = 0;
  double ready_ms = 0;
  double cpu_s = 0;
  double rss_mb = 0;
  std::optional<int> exit_status;
};

[[nodiscard]] std::string to_json(const elastic_times& report);
[[nodiscard]] std::string to_json(const elastic_rate& report);
[[nodiscard]] std::string to_json(const elastic_idle& report);

} // namespace ringmaster::bench
