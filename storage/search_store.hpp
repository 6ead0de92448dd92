#pragma once

// Reads of the console that span several objects: the search over all kinds, and open alarms. A role of the store; errors and
// threads are described in storage/store.hpp.

#include <cstddef>
#include <functional>

#include "core/access/principal.hpp"
#include "core/alarm/open_alarm.hpp"
#include "core/editing/object_search.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

class search_store {
public:
  virtual ~search_store() = default;

  /// Returns the best matches among the objects that `by` may see. Jobs are looked at in portions of
  /// `jobs_looked_at_once`, the newest first; `go_on` is asked between two portions, and false ends the search (`truncated`). Ids
  /// are found along their index in any case.
  virtual core::result<core::found_objects> find(const core::object_search& search, const core::principal& by,
                                                 const std::function<bool()>& go_on) = 0;

  /// Returns the oldest alarms that are not finished, at most `limit`. Locks nothing, so that senders of alarms never wait for
  /// it. Errors: `forbidden` for non-administrators.
  virtual core::result<core::open_alarm_list> open_alarms(std::size_t limit, const core::principal& by) = 0;
};

/// Size of a portion: some milliseconds.
inline constexpr std::size_t jobs_looked_at_once = 4000;

} // namespace ringmaster::storage
