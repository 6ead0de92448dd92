#include "actors/executors/registry_monitor.hpp"

#include <algorithm>
#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"
#include "core/text/native_address.hpp"
#include "protocol/address_key.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Longest delay in noticing a death.
constexpr std::chrono::milliseconds tick_max{1'000};
/// Wait after a failure of the store.
constexpr std::chrono::milliseconds retry_wait{1'000};

} // namespace

registry_monitor_state::registry_monitor_state(protocol::registry_monitor::pointer self, protocol::storage_actor storage,
                                               std::vector<protocol::registry_listener> listeners, protocol::wall_clock clock,
                                               config::registry_settings settings, logger log)
  : self_{self},
    storage_{std::move(storage)},
    listeners_{std::move(listeners)},
    clock_{std::move(clock)},
    settings_{settings},
    log_{std::move(log)},
    table_{settings.dead_after, self->clock().now()} {}

protocol::registry_monitor::behavior_type registry_monitor_state::make_behavior() {
  next_tick_ = self_->clock().now();
  next_read_ = next_tick(next_tick_, settings_.reread, next_tick_);
  next_flush_ = next_tick(next_tick_, settings_.flush, next_tick_);
  arm();
  work();
  return {
    [this](const protocol::registry_beat& registration) { beat(registration); },
    [this](const protocol::registry_removal& removal) { remove(removal); },
    [this](const protocol::address_claim& claim) { return judge(claim); },
    [this](protocol::registry_hint) { look_again(); },
    [this](protocol::registry_subscription& subscription) { subscribe(std::move(subscription)); },
    [this](const protocol::executor_update& update) { note(update); },
    [this](protocol::update_subscription& subscription) { update_listeners_.push_back(std::move(subscription.listener)); },
    [this](const protocol::executors_query& query) { return list(query); },
    [this](protocol::tick_atom) { tick(); },
  };
}

caf::result<protocol::executor_list> registry_monitor_state::list(const protocol::executors_query& query) const {
  if (query.without_group)
    if (auto may = core::check_admin(query.by); !may)
      return protocol::to_caf(may.error());
  if (query.search.group)
    if (auto may = core::check_right(query.by, core::group_right::viewer, *query.search.group); !may)
      return protocol::to_caf(may.error());
  if (!table_.has_read())
    return protocol::to_caf({core::errc::unavailable, "the registry has not been read yet"});
  if (query.without_group)
    return protocol::executor_list{table_.without_group(query.search.window)};
  if (query.by_group) {
    auto counts = table_.counts(query.by);
    const auto totals = table_.totals(counts, query.by);
    return protocol::executor_list{{}, std::move(counts), totals};
  }
  auto page = table_.executors(query.search, query.by);
  for (auto& each : page.rows)
    if (const auto found = unreachable_.find(each.address);
        each.state == core::executor_state::entered && found != unreachable_.end())
      each.unreachable_since = found->second;
  return protocol::executor_list{std::move(page)};
}

template <class Registration>
bool registry_monitor_state::fits(const Registration& registration) {
  auto why = core::misfit_of(registration.registry_group, registration.app_name, registration.address);
  if (!why.empty() && !std::exchange(misfit_, true))
    log_->error("registry: ignored an invalid registration: {}", why);
  return why.empty();
}

void registry_monitor_state::beat(const protocol::registry_beat& registration) {
  if (!fits(registration))
    return;
  if (registration.token != core::token_kind::common)
    if (const auto rival = table_.rival_of(registration.app_name, registration.address); !rival.empty())
      return refuse(registration, rival);
  const bool is_new = !table_.has(registration);
  if (!table_.beat(registration, now())) {
    if (!std::exchange(full_, true))
      log_->error("registry: limit of {} registrations, or of {} with the token of one group, reached; {} of {} is ignored",
                  registry_table::registrations_max, registry_table::group_registrations_max, registration.address,
                  registration.app_name);
    return;
  }
  if (is_new)
    if (const auto end = arrivals_.admit(self_->clock().now()))
      log_->info("registry: {} of {} registered{}", registration.address, registration.app_name, *end);
  tell_heard();
  if (table_.view_stale())
    poke();
}

protocol::claim_verdict registry_monitor_state::judge(const protocol::address_claim& claim) const {
  const auto part = protocol::incomparable_part(claim.address);
  if (!part.empty() && !core::is_native_address(claim.address))
    return {"an address with " + std::string{part} + " needs the token of all executors."};
  const auto rival = table_.rival_of(claim.app_name, claim.address);
  return {rival.empty() ? std::string{} : "the address belongs to another group."};
}

void registry_monitor_state::refuse(const protocol::registry_beat& registration, const std::string& rival) {
  if (const auto end = refusals_.admit(self_->clock().now()))
    log_->warn("registry: {} of {} refused: the address belongs to {}{}", registration.address, registration.app_name, rival,
               *end);
}

void registry_monitor_state::remove(const protocol::registry_removal& removal) {
  if (!fits(removal))
    return;
  log_->info("registry: {} of {} removed", removal.address, removal.app_name);
  table_.remove(removal);
  full_ = false;
  poke();
}

void registry_monitor_state::subscribe(protocol::registry_subscription&& subscription) {
  if (const auto& view = table_.last_view())
    protocol::send(self_, subscription.listener, protocol::registry_change{view});
  listeners_.push_back(std::move(subscription.listener));
}

void registry_monitor_state::note(const protocol::executor_update& update) {
  if (update.reachable) {
    unreachable_.erase(update.address);
    return;
  }
  const auto t = now().civil;
  if (unreachable_.size() < unreachable_max)
    unreachable_.try_emplace(update.address, t);
  table_.watch(update.address, t);
  tell(update);
}

void registry_monitor_state::tell_heard() {
  for (auto& address : table_.take_received())
    tell({std::move(address), true});
}

void registry_monitor_state::tell(const protocol::executor_update& update) {
  for (const auto& listener : update_listeners_)
    protocol::send(self_, listener, update);
}

void registry_monitor_state::look_again() {
  read_due_ = true;
  poke();
}

void registry_monitor_state::poke() {
  if (!std::exchange(poked_, true))
    protocol::send(self_, caf::actor_cast<protocol::registry_monitor>(self_), protocol::tick_atom{});
}

void registry_monitor_state::tick() {
  poked_ = false;
  auto steady_now = self_->clock().now();
  if (steady_now >= next_tick_) {
    arm();
    table_.sweep(steady_now);
    if (steady_now >= next_read_) {
      read_due_ = true;
      next_read_ = next_tick(next_read_, settings_.reread, steady_now);
    }
    if (steady_now >= next_flush_) {
      flush_due_ = true;
      next_flush_ = next_tick(next_flush_, settings_.flush, steady_now);
    }
  }
  publish();
  work();
}

void registry_monitor_state::arm() {
  next_tick_ = next_tick(next_tick_, std::min({tick_max, settings_.reread, settings_.flush}), self_->clock().now());
  protocol::send_at(self_, caf::actor_cast<protocol::registry_monitor>(self_), next_tick_, protocol::tick_atom{});
}

void registry_monitor_state::publish() {
  auto view = table_.changed_view();
  for (const auto& [lost, rival] : table_.take_displaced())
    log_->warn("registry: {} of {} is no longer called: the address belongs to {}", lost.second, lost.first, rival);
  if (!view)
    return;
  for (const auto& [id, group] : view->groups)
    watch_length(id, group);
  for (const auto& listener : listeners_)
    protocol::send(self_, listener, protocol::registry_change{view});
}

void registry_monitor_state::watch_length(std::int32_t id, const core::group& group) {
  const auto fitting = core::addresses_that_fit(group.addresses);
  if (fitting == group.addresses.size())
    cut_groups_.erase(id);
  else if (cut_groups_.insert(id).second)
    log_->warn("registry: the address list of group {} stores only the first {} of its {} addresses; all are used",
               group.app_name, fitting, group.addresses.size());
}

void registry_monitor_state::work() {
  if (busy_ || self_->clock().now() < retry_at_)
    return;
  if (read_due_)
    read();
  else if (flush_due_ && table_.has_changes())
    write(true);
  else if (table_.has_update())
    write(false);
  else
    flush_due_ = false;
}

void registry_monitor_state::read() {
  busy_ = true;
  read_due_ = false;
  ask_store<core::registry_state>(
    self_, storage_, [](storage::store& store) { return store.registry().read(); },
    [this, mark = table_.mark()](const core::result<core::registry_state>& stored) { have_read(mark, stored); });
}

void registry_monitor_state::have_read(std::uint64_t mark, const core::result<core::registry_state>& stored) {
  if (stored) {
    table_.take(*stored, mark, now());
    tell_heard();
  } else {
    read_due_ = true;
  }
  settle(stored.has_value(), stored ? nullptr : &stored.error());
}

void registry_monitor_state::write(bool renewals) {
  busy_ = true;
  if (renewals)
    flush_due_ = false;
  auto batch = std::make_shared<const core::registry_batch>(table_.begin_write(renewals));
  ask_store<void>(
    self_, storage_, [batch, when = now().civil](storage::store& store) { return store.registry().write(*batch, when); },
    [this, renewals](const core::result<void>& outcome) { have_written(renewals, outcome); });
}

void registry_monitor_state::have_written(bool renewals, const core::result<void>& outcome) {
  if (outcome) {
    table_.written();
  } else {
    table_.write_failed();
    flush_due_ = flush_due_ || renewals;
  }
  settle(outcome.has_value(), outcome ? nullptr : &outcome.error());
}

void registry_monitor_state::settle(bool succeeded, const core::error* error) {
  busy_ = false;
  if (!succeeded) {
    retry_at_ = self_->clock().now() + retry_wait;
    if (!std::exchange(failing_, true))
      log_->warn("registry: the database does not answer, changes will be written later: {}: {}", core::to_string(error->code),
                 error->context);
    return;
  }
  if (std::exchange(failing_, false))
    log_->info("registry: the database answers again");
  publish();
  work();
}

registry_table::moment registry_monitor_state::now() const {
  auto when = self_->clock().now();
  return {when, clock_.at(when)};
}

} // namespace ringmaster::actors
