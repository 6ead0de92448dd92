#include "actors/executors/replaced_processes.hpp"

#include <algorithm>

namespace ringmaster::actors {

void replaced_processes::add(const std::string& address, const caf::node_id& older) {
  auto& processes = by_address_[address].processes;
  std::erase(processes, older);
  processes.push_back(older);
  if (processes.size() > processes_max)
    processes.pop_front();
}

bool replaced_processes::keeps_out(const std::string& address, const caf::node_id& process, steady now) const {
  const auto found = by_address_.find(address);
  if (found == by_address_.end())
    return false;
  const auto& [processes, until] = found->second;
  return (!until || now < *until) && std::find(processes.begin(), processes.end(), process) != processes.end();
}

void replaced_processes::note_link(const std::string& address) {
  if (const auto found = by_address_.find(address); found != by_address_.end())
    found->second.until.reset();
}

void replaced_processes::note_loss(const std::string& address, bool goodbye, steady now) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end())
    return;
  if (goodbye)
    by_address_.erase(found);
  else
    found->second.until = now + kept_after_loss;
}

void replaced_processes::sweep(steady now) {
  std::erase_if(by_address_, [now](const auto& each) { return each.second.until && *each.second.until <= now; });
}

} // namespace ringmaster::actors
