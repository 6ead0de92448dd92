#include "actors/executors/waiting_run.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

void result_groups::add(const protocol::send_listener& listener, protocol::send_result&& result) {
  auto of = std::find_if(groups_.begin(), groups_.end(), [&](const auto& each) { return each.first == listener; });
  if (of == groups_.end())
    of = groups_.insert(groups_.end(), {listener, protocol::send_results{}});
  of->second.items.push_back(std::move(result));
}

std::vector<waiting_run> runs_of(runs_by_time&& waiting) {
  std::vector<waiting_run> runs;
  runs.reserve(waiting.size());
  for (auto& [when, one] : waiting)
    runs.push_back(std::move(one));
  return runs;
}

std::vector<protocol::send_batch> to_batches(std::vector<waiting_run>&& runs) {
  std::vector<protocol::send_batch> batches;
  for (auto& one : runs) {
    auto of = std::find_if(batches.begin(), batches.end(), [&](const auto& each) { return each.listener == one.listener; });
    if (of == batches.end())
      of = batches.insert(batches.end(), protocol::send_batch{{}, one.listener});
    of->runs.push_back(std::move(one.run));
  }
  return batches;
}

} // namespace ringmaster::actors
