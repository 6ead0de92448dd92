#pragma once

#include <cstddef>
#include <deque>
#include <unordered_set>

#include "core/ids.hpp"

namespace ringmaster::actors {

/// Ids of the last runs that were sent to an executor, each once, up to a limit: then the oldest is forgotten.
class sent_ids {
public:
  explicit sent_ids(std::size_t ids_max) : ids_max_{ids_max} {}

  void add(core::log_id run) {
    if (!known_.insert(run).second)
      return;
    order_.push_back(run);
    if (order_.size() <= ids_max_)
      return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  [[nodiscard]] bool contains(core::log_id run) const { return known_.contains(run); }

private:
  std::size_t ids_max_;
  std::unordered_set<core::log_id> known_;
  std::deque<core::log_id> order_;
};

} // namespace ringmaster::actors
