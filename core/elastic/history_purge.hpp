#pragma once

// Removal of old runs, fires and plans of elastic jobs, in steps.

#include <cstddef>

#include "core/elastic/elastic_ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Place from which a step continues.
struct purge_place {
  /// Runs up to this one are done.
  item_run_id run{};
  /// Fires of earlier jobs are done, and those of this one before `fire`.
  elastic_job_id job{};
  time_point fire{};
  friend bool operator==(const purge_place&, const purge_place&) = default;
};

struct purge_done {
  std::size_t removed = 0;
  purge_place next;
  /// There are no more rows of this kind to remove.
  bool complete = false;
};

} // namespace ringmaster::core::elastic
