#pragma once

// Requests of the console that span several objects: a search over all kinds, and the timeline of a job.

#include "core/access/principal.hpp"
#include "core/editing/object_search.hpp"
#include "core/forecast/job_timeline.hpp"
#include "core/run/run_origin.hpp"

namespace ringmaster::protocol {

struct object_query {
  core::object_search search;
  core::principal by;
};

struct objects_found {
  core::found_objects objects;
  /// Names for the runs.
  core::run_names names = {};
};

struct timeline_query {
  core::timeline_search search;
  core::principal by;
};

struct timeline_found {
  core::job_timeline timeline;
  /// Names for the runs.
  core::run_names names = {};
};

} // namespace ringmaster::protocol
