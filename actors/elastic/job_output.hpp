#pragma once

// Results of the decisions about one elastic job: what its coordinator sends.

#include <cstdint>
#include <string>
#include <vector>

#include "actors/elastic/job_facts.hpp"
#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/time.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// One moment by both clocks.
struct job_moment {
  core::elastic::steady_time now{};
  core::time_point wall{};
};

/// Writes of one message to elastic_writer.
struct job_writes {
  std::uint64_t number = 0;
  std::vector<core::elastic::elastic_op> ops;
};

/// Everything that follows from the inputs since the last output. `done` leaves before `sends`: a host frees the slot of an ended
/// run with the receipt, and the next grant may need it.
struct job_output {
  std::vector<job_writes> writes = {};
  std::vector<protocol::host_events_done> done = {};
  std::vector<protocol::host_send> sends = {};
  /// Items whose rows are to be read, and passed to `rows_read`.
  std::vector<core::elastic::item_number> rereads = {};
  /// The job is to be read and passed to `change`.
  bool read_job = false;
  /// The job is to be read and passed to `load`: what memory knows about it is outdated.
  bool reload = false;
  /// The slot has another owner, or is released: nothing of this job is decided here any more.
  bool ended = false;
  /// For the log.
  std::vector<std::string> problems = {};
  /// For the error handler of the job, if it notifies users.
  std::vector<protocol::item_error> errors = {};
  /// For the metrics.
  std::vector<job_fact> facts = {};
  /// At this moment.
  item_counts items = {};
};

} // namespace ringmaster::actors
