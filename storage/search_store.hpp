#pragma once

// Search over all kinds of objects. A role of the store; errors and threads are described in storage/store.hpp.

#include <functional>

#include "core/access/principal.hpp"
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
};

/// Size of a portion: some milliseconds.
inline constexpr std::size_t jobs_looked_at_once = 4000;

} // namespace ringmaster::storage
