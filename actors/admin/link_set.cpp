#include "actors/admin/link_set.hpp"

#include <utility>

namespace ringmaster::actors {

link_set::link_set(protocol::trigger_pool::pointer owner, link_tools tools, logger log)
  : owner_{owner}, tools_{std::move(tools)}, log_{std::move(log)} {}

link_set::~link_set() {
  for (auto& [address, known] : links_)
    caf::anon_send_exit(known.link, caf::exit_reason::user_shutdown);
}

const protocol::executor_link& link_set::of(const std::string& address, steady now) {
  auto& known = links_[address];
  known.used = now;
  if (!known.link) {
    known.link = owner_->spawn<protocol::with_state<executor_link_state, protocol::executor_link>>(tools_, address, registry_);
    watcher_.watch(owner_, known.link, [this, address](const caf::error& reason) { ended(address, reason); });
  }
  return known.link;
}

// Its calls would never be answered and their claims never be closed in this life: only the next one can decide about them.
void link_set::ended(const std::string& address, const caf::error& reason) {
  if (!reason || reason == caf::exit_reason::unreachable || reason == caf::exit_reason::user_shutdown)
    return;
  log_->critical("the link to {} ended unexpectedly: {}", address, caf::to_string(reason));
  owner_->quit(reason);
}

void link_set::change_registry(const protocol::registry_change& change) {
  registry_ = change.view;
  for (auto& [address, known] : links_)
    protocol::send(owner_, known.link, change);
}

void link_set::drop_unused(steady now, std::chrono::nanoseconds age) {
  std::erase_if(links_, [&](const auto& entry) { return now - entry.second.used > age; });
}

} // namespace ringmaster::actors
