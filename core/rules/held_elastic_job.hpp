#pragma once

#include "core/elastic/stored_rows.hpp"

namespace ringmaster::core {

/// A stored elastic job of any owner, or of none.
struct held_elastic_job {
  elastic::elastic_job_row row;
  /// Items run or wait, so that the job cannot be removed yet. Only set for jobs that a prune would remove.
  bool busy = false;
};

} // namespace ringmaster::core
