#include "actors/admin/job_admin.hpp"

#include <utility>

#include "actors/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// A failure after which it is unknown whether the transaction was committed.
bool in_doubt(core::errc code) noexcept { return code == core::errc::timeout || code == core::errc::unavailable; }

} // namespace

job_admin_state::job_admin_state(protocol::job_admin::pointer self, protocol::query_worker store,
                                 protocol::schedule_actor schedule, protocol::registry_monitor registry,
                                 protocol::wall_clock clock, logger log)
  : self_{self},
    store_{std::move(store)},
    schedule_{std::move(schedule)},
    registry_{std::move(registry)},
    clock_{std::move(clock)},
    log_{std::move(log)} {}

protocol::job_admin::behavior_type job_admin_state::make_behavior() {
  return {
    [this](protocol::apply_declared& command) { return apply(std::move(command)); },
  };
}

caf::result<core::deploy_report> job_admin_state::apply(protocol::apply_declared&& command) {
  auto promise = self_->make_response_promise<core::deploy_report>();
  auto declared = std::make_shared<const core::declared_set>(std::move(command.declared));
  auto now = clock_.at(self_->clock().now());
  ask_store<core::deploy_report>(
    self_, store_,
    [declared, dry_run = command.dry_run, prune = command.prune, now](storage::store& store) {
      return store.deploys().apply(*declared, dry_run, prune, now);
    },
    [this, promise, declared, dry_run = command.dry_run](core::result<core::deploy_report>&& outcome) mutable {
      applied(outcome, declared->source, dry_run);
      if (outcome)
        promise.deliver(std::move(*outcome));
      else
        promise.deliver(protocol::to_caf(outcome.error()));
    });
  return promise;
}

void job_admin_state::applied(const core::result<core::deploy_report>& outcome, const std::string& source, bool dry_run) {
  if (!outcome)
    log_->warn("declared jobs of {} not applied: {}: {}", source, core::to_string(outcome.error().code), outcome.error().context);
  auto changed = outcome ? outcome->changes_anything() : in_doubt(outcome.error().code);
  if (dry_run || !changed)
    return;
  if (outcome)
    log_->info("declared jobs of {} applied: {} objects", source, outcome->changes.size());
  protocol::send(self_, schedule_, protocol::edit_hint{});
  protocol::send(self_, registry_, protocol::registry_hint{});
}

} // namespace ringmaster::actors
