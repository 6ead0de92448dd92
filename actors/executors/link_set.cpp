#include "actors/executors/link_set.hpp"

#include <utility>

#include "actors/executors/absent_link.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::actors {

link_set::link_set(protocol::trigger_pool::pointer owner, link_tools tools, core::milliseconds misfire_after,
                   protocol::wall_clock clock, logger log)
  : owner_{owner}, tools_{std::move(tools)}, misfire_after_{misfire_after}, clock_{std::move(clock)}, log_{std::move(log)} {}

link_set::~link_set() {
  for (auto& [address, known] : links_)
    caf::anon_send_exit(known.link, caf::exit_reason::user_shutdown);
}

const protocol::executor_link& link_set::of(const std::string& address, steady now, const protocol::executor_link& except) {
  const auto native = natives_.find(address);
  return native != natives_.end() && native->second != except ? native->second : own(address, now);
}

const protocol::executor_link& link_set::own(const std::string& address, steady now) {
  auto& known = links_[address];
  known.used = now;
  if (!known.link) {
    known.link = make(address);
    watcher_.watch(owner_, known.link, [this, address](const caf::error& reason) { ended(address, reason); });
  }
  return known.link;
}

protocol::executor_link link_set::make(const std::string& address) {
  if (protocol::is_native_only(address))
    return owner_->spawn<protocol::with_state<absent_link_state, protocol::absent_link>>(
      absent_link_tools{protocol::trigger_pool{owner_}, misfire_after_, clock_}, address);
  return owner_->spawn<protocol::with_state<executor_link_state, protocol::executor_link>>(tools_, address, registry_);
}

void link_set::change_native(protocol::native_link_update&& update) {
  const auto known = natives_.find(update.address);
  if (!update.up && (known == natives_.end() || known->second != update.link))
    return; // it was replaced meanwhile
  const auto waits = links_.find(update.address);
  if (waits != links_.end() && waits->second.link && protocol::is_native_only(update.address))
    protocol::send(owner_, caf::actor_cast<protocol::absent_link>(waits->second.link), update);
  if (update.up)
    natives_.insert_or_assign(std::move(update.address), std::move(update.link));
  else
    natives_.erase(known);
}

bool link_set::is_absent(const std::string& address) const {
  return protocol::is_native_only(address) && !natives_.contains(address);
}

bool link_set::is_one_process(const std::string& address) const {
  return protocol::is_native_only(address) || natives_.contains(address) || once_registered_.contains(address);
}

// The link's calls would never be answered and their claims never be closed in this incarnation: only the next one can decide
// about them.
void link_set::ended(const std::string& address, const caf::error& reason) {
  if (!reason || reason == caf::exit_reason::unreachable || reason == caf::exit_reason::user_shutdown)
    return;
  log_->critical("the link to {} ended unexpectedly: {}", address, caf::to_string(reason));
  owner_->quit(reason);
}

void link_set::change_registry(const protocol::registry_change& change) {
  registry_ = change.view;
  if (once_registered_.size() > registered_max)
    once_registered_.clear();
  once_registered_.insert(registry_->registered.begin(), registry_->registered.end());
  for (auto& [address, known] : links_)
    protocol::send(owner_, known.link, change);
}

void link_set::drop_unused(steady now, std::chrono::nanoseconds age) {
  std::erase_if(links_, [&](const auto& entry) { return now - entry.second.used > age; });
}

} // namespace ringmaster::actors
