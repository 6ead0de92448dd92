#pragma once

// The history of an elastic job as users see it: runs of its items.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Runs that one call reads at most, regardless of how many match: a page may have fewer rows than asked for, and a next page.
inline constexpr std::size_t history_runs_per_call = 20'000;

/// `ej_run.state` of a run that has no end yet. Other values: `item_run_end`.
inline constexpr std::uint8_t open_run_state = 1;

/// Runs of one job, newest first.
struct elastic_history_search {
  elastic_job_id job{};
  std::optional<item_number> item = std::nullopt;
  /// As in `ej_run.state`.
  std::optional<std::uint8_t> state = std::nullopt;
  /// Only runs that were granted from here on, up to `until`.
  time_point from{};
  time_point until = from_ms(latest_ms);
  /// The page begins with the run before this one; 0: with the newest run.
  item_run_id before{};
  std::size_t limit = 50;
};

/// One run of an item.
struct elastic_run {
  item_run_id id{};
  item_number item{};
  run_cause cause;
  std::uint8_t attempt = 1;
  /// Number of the grant of its item.
  fence_number fence{};
  /// Id of its host; empty: the host is no longer known.
  std::string host;
  time_point granted{};
  /// Start of the body by the clock of its host. Unset: unknown, or the run is open.
  std::optional<time_point> started = std::nullopt;
  std::optional<time_point> ended = std::nullopt;
  /// As in `ej_run.state`.
  std::uint8_t state = open_run_state;
  std::optional<std::string> message = std::nullopt;
};

struct elastic_history {
  std::vector<elastic_run> rows;
  /// `before` of the next page; unset: this is the last one.
  std::optional<item_run_id> next = std::nullopt;
};

} // namespace ringmaster::core::elastic
