#pragma once

// Reports of firing_bench: one line of JSON for each bench run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/run_book.hpp"
#include "bench/trouble.hpp"

namespace ringmaster::bench {

/// CPU seconds by process.
struct cpu_shares {
  double ringmaster = 0, store = 0, executors = 0;
};

/// Maximum resident memory by process; that of the executors is not reported.
struct memory_peaks {
  double ringmaster = 0, store = 0;
};

/// Account of API reads during a load.
struct read_account {
  double per_second = 0;
  spread_ms ms; ///< from each due time to its answer
  std::size_t failed = 0;
};

/// Account of viewers of /api/v1/now in the second half of a load, next to the first half without them.
struct viewer_account {
  std::size_t viewers = 0;
  read_account reads;
  double unchanged = 0; ///< part of the answers that were 304, 0 to 1
  double bytes = 0;     ///< mean size of an answer with its head
  spread_ms late_without, late_with;       ///< lateness of the instants of each half
  double percent_without = 0, percent_with = 0; ///< CPU time of the server in each half, in percent of one core
};

/// Account of an apply in the middle of a load.
struct apply_account {
  std::size_t jobs = 0;
  double seconds = 0; ///< seconds of the command, which also reads the file
  spread_ms late;     ///< lateness of the load's instants while it ran, and in the two seconds after it
};

struct load_report {
  std::string store;
  std::string shape; ///< rate, even, spread or burst
  std::size_t jobs = 0;
  double rate = 0; ///< offered firings per second
  double seconds = 0;
  std::string callbacks;
  std::size_t expected = 0;
  std::size_t lost = 0;
  std::size_t doubled = 0;
  std::size_t unstored = 0;
  std::uint64_t refused = 0;
  std::size_t cycles = 0; ///< runs of the window that were received, acknowledged and stored as a success
  window_account seen;
  cpu_shares cpu;
  memory_peaks memory;
  double stolen_s = 0; ///< taken by the hypervisor while the window's clock ran: it may explain late firings
  double ready_ms = 0;
  std::optional<int> exit_status; ///< exit status of the server after SIGTERM
  std::size_t prefilled = 0;      ///< finished runs in the log at the start
  std::optional<trouble_account> trouble;
  std::optional<read_account> reads;
  std::optional<apply_account> applied;
  std::optional<viewer_account> viewers;

  [[nodiscard]] bool clean() const { return lost == 0 && doubled == 0 && unstored == 0; }
};

struct ingest_report {
  std::string store;
  std::size_t connections = 0;
  std::size_t results = 0;
  std::size_t acknowledged = 0;
  std::size_t unstored = 0;
  std::uint64_t refused = 0;
  double seconds = 0; ///< from the first request to the last answer
  cpu_shares cpu;
  std::optional<int> exit_status;

  [[nodiscard]] bool clean() const { return acknowledged == results && unstored == 0; }
};

/// Times of one kind of page.
struct page_times {
  std::string name;
  spread_ms ms;
  std::int64_t total = 0; ///< highest total in a reply
};

struct page_report {
  std::string store;
  std::size_t jobs = 0;
  std::size_t runs = 0;
  std::size_t requests = 0; ///< requests per page
  std::vector<page_times> pages;
  std::optional<int> exit_status;
};

struct idle_report {
  std::string store;
  std::size_t jobs = 0;
  double seconds = 0;
  double apply_ms = 0; ///< first start: an empty store, all jobs declared
  double ready_ms = 0; ///< second start: all jobs in the store, none declared
  cpu_shares cpu;
  double rss_mb = 0;
  memory_peaks memory;
  std::optional<int> exit_status;
};

[[nodiscard]] std::string to_json(const load_report& report);
[[nodiscard]] std::string to_json(const ingest_report& report);
[[nodiscard]] std::string to_json(const idle_report& report);
[[nodiscard]] std::string to_json(const page_report& report);

} // namespace ringmaster::bench
