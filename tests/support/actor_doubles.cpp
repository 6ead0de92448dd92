#include "tests/support/actor_doubles.hpp"

#include <utility>

namespace ringmaster::test {

namespace {

using schedule_pointer = protocol::schedule_actor::pointer;
using storage_pointer = protocol::storage_actor::pointer;

constexpr auto ignore = [](const auto&) {};

caf::result<void> run_later(storage_pointer self, storage::store* store, const storage_record& record,
                            protocol::store_task task) {
  if (!record.latency) {
    task.run(store);
    return caf::unit;
  }
  auto [before, after] = record.latency();
  auto promise = self->make_response_promise<void>();
  self->run_delayed(before, [self, store, task = std::move(task), promise, after = after]() mutable {
    task.run(store);
    self->run_delayed(after, [promise]() mutable { promise.deliver(); });
  });
  return promise;
}

void keep(storage_record& record, storage::store* store, const protocol::trigger_results& results) {
  record.triggers.insert(record.triggers.end(), results.items.begin(), results.items.end());
  if (record.records_for) {
    core::record_batch batch;
    batch.owner = *record.records_for;
    batch.triggers = results.items;
    (void)store->firings().record(batch, virtual_time::start);
  }
}

caf::result<protocol::callbacks_stored> keep(storage_pointer self, storage_record& record,
                                             protocol::callback_batch& batch) {
  record.callbacks.push_back(std::move(batch));
  // A promise that is dropped answers with an error.
  if (record.silent)
    return record.unanswered.emplace_back(self->make_response_promise<protocol::callbacks_stored>());
  if (record.callback_error)
    return protocol::to_caf(*record.callback_error);
  return protocol::callbacks_stored{};
}

void note(executor_record& record, std::string call) {
  record.calls.push_back(std::move(call));
  if (record.before_answer)
    record.before_answer(record);
}

template <class Reply>
caf::result<Reply> keep_waiting(protocol::executor_link::pointer self, executor_record& record) {
  auto promise = self->make_response_promise<Reply>();
  record.unanswered.emplace_back(promise);
  return promise;
}

protocol::executor_link::behavior_type executor(protocol::executor_link::pointer self, std::shared_ptr<executor_record> record) {
  return {
    [self, record](protocol::send_batch& batch) {
      protocol::send_results results;
      for (auto& run : batch.runs) {
        note(*record, "run " + std::to_string(core::number(run.id)) + '/' + std::to_string(run.attempt));
        record->runs.push_back(run);
        if (record->send) {
          results.items.push_back(*record->send);
          results.items.back().run = std::move(run);
        }
      }
      if (results.items.empty())
        return;
      if (record->takes == std::chrono::milliseconds{0})
        protocol::send(self, batch.listener, std::move(results));
      else
        self->run_delayed(record->takes, [self, listener = batch.listener, results = std::move(results)]() mutable {
          protocol::send(self, listener, std::move(results));
        });
    },
    [self, record](const protocol::probe_request& probe) -> caf::result<protocol::probe_reply> {
      note(*record, (probe.idle_beat ? "idle " : "beat ") + std::to_string(core::number(probe.job)));
      if (record->silent)
        return keep_waiting<protocol::probe_reply>(self, *record);
      return record->idle;
    },
    [self, record](const protocol::log_request& request) -> caf::result<protocol::log_reply> {
      record->log_requests.push_back(request);
      note(*record, "log " + std::to_string(core::number(request.run)));
      if (record->silent)
        return keep_waiting<protocol::log_reply>(self, *record);
      if (record->log_takes == std::chrono::milliseconds{0})
        return record->log;
      auto promise = self->make_response_promise<protocol::log_reply>();
      self->run_delayed(record->log_takes, [promise, log = record->log]() mutable { promise.deliver(std::move(log)); });
      return promise;
    },
    [self, record](const protocol::kill_request& request) -> caf::result<protocol::probe_reply> {
      note(*record, "kill " + std::to_string(core::number(request.job)));
      if (record->silent)
        return keep_waiting<protocol::probe_reply>(self, *record);
      return record->kill;
    },
    [](const protocol::registry_change& change) { ignore(change); },
    [](protocol::drain_inbox) {},
  };
}

} // namespace

incarnation_double::incarnation_double(virtual_time& world)
  : actor{world.track(world.system().spawn([heard = heard]() -> protocol::incarnation_listener::behavior_type {
      return {[heard](const protocol::incarnation_change& change) { heard->push_back(change.life); }};
    }))} {}

registry_listener_double::registry_listener_double(virtual_time& world)
  : actor{world.track(world.system().spawn([views = views]() -> protocol::registry_listener::behavior_type {
      return {[views](const protocol::registry_change& change) { views->push_back(change.view); }};
    }))} {}

storage_double::storage_double(virtual_time& world, storage::store& store)
  : actor{world.track(
      world.system().spawn([record = record, store = &store](storage_pointer self) -> protocol::storage_actor::behavior_type {
        return {
          [](const protocol::claim_request& request) { ignore(request); },
          [record, store](const protocol::trigger_results& results) { keep(*record, store, results); },
          [self, record](protocol::callback_batch& batch) { return keep(self, *record, batch); },
          [self, record, store](protocol::store_task& task) { return run_later(self, store, *record, std::move(task)); },
          [record](const protocol::claims_opened& opened) {
            record->opened_claims.insert(record->opened_claims.end(), opened.claims.begin(), opened.claims.end());
          },
          [](const protocol::store_listener& listener) { ignore(listener); },
          [](const protocol::incarnation_change& change) { ignore(change); },
          [](protocol::status_query) { return protocol::node_status{true, {}, std::nullopt}; },
          [](const protocol::pending_work_update&) {},
          [](protocol::tick_atom) {},
        };
      }))} {}

query_worker_double::query_worker_double(virtual_time& world, storage::store& store)
  : actor{world.track(world.system().spawn([store = &store, tasks = tasks]() -> protocol::query_worker::behavior_type {
      return {[store, tasks](const protocol::store_task& task) {
        ++*tasks;
        task.run(store);
      }};
    }))} {}

schedule_double::schedule_double(virtual_time& world)
  : actor{world.track(world.system().spawn([record = record](schedule_pointer self) -> protocol::schedule_actor::behavior_type {
      return {
        [record](const protocol::incarnation_change& change) { record->lives.push_back(change.life); },
        [record](const protocol::slot_change& change) { record->slots.push_back(change.slots); },
        [record, self](const protocol::prepare_slots& next) {
          record->prepared.push_back(next.slots);
          auto promise = self->make_response_promise<void>();
          self->run_delayed(record->load_takes, [promise]() mutable { promise.deliver(); });
          return promise;
        },
        [](protocol::finish_mirror) {},
        [record](protocol::edit_hint) { ++record->edit_hints; },
        [](const protocol::pending_work_update&) {},
        [](const protocol::routed_batch& batch) { ignore(batch); },
        [](const protocol::claim_reply& reply) { ignore(reply); },
        [](protocol::finish_reserved) {},
        [](protocol::stop_request) {},
        [record](protocol::reserved_backlog_query) { return protocol::reserved_backlog{record->late}; },
        [record](const protocol::intent_batch& batch) {
          record->intents.insert(record->intents.end(), batch.items.begin(), batch.items.end());
        },
        [](protocol::tick_atom) {},
      };
    }))} {}

registry_monitor_double::registry_monitor_double(virtual_time& world)
  : actor{world.track(world.system().spawn([hints = hints, beats = beats, removals = removals, taken = taken,
                                            listed = listed]() -> protocol::registry_monitor::behavior_type {
      return {
        [beats](const protocol::registry_beat& beat) { beats->push_back(beat); },
        [removals](const protocol::registry_removal& removal) { removals->push_back(removal); },
        [taken](const protocol::address_claim& claim) {
          return protocol::claim_verdict{claim.address == *taken ? "it is taken" : ""};
        },
        [hints](protocol::registry_hint) { ++*hints; },
        [](const protocol::registry_subscription& subscription) { ignore(subscription); },
        [](const protocol::executor_update& update) { ignore(update); },
        [](const protocol::update_subscription& subscription) { ignore(subscription); },
        [listed](const protocol::executors_query&) -> caf::result<protocol::executor_list> {
          if (!*listed)
            return protocol::to_caf({core::errc::unavailable, "the registry has not been read yet"});
          return **listed;
        },
        [](protocol::tick_atom) {},
      };
    }))} {}

pool_double::pool_double(virtual_time& world)
  : actor{world.track(world.system().spawn([links = links, natives = natives, one_process = one_process,
                                            freed = freed]() -> protocol::trigger_pool::behavior_type {
      const auto link_of = [links, natives](const std::string& address, const protocol::executor_link& except) {
        if (const auto native = natives->find(address); native != natives->end() && native->second != except)
          return native->second;
        const auto found = links->find(address);
        return found == links->end() ? protocol::executor_link{} : found->second;
      };
      return {
        [](const protocol::route_request& request) { ignore(request); },
        [freed](const protocol::slot_release& release) {
          for (const auto& [where, count] : release.slots.held())
            freed->lanes.at(where.first) += static_cast<std::uint32_t>(count);
        },
        [](const protocol::firing_batch& batch) { ignore(batch); },
        [](const protocol::send_results& results) { ignore(results); },
        [](const protocol::registry_change& change) { ignore(change); },
        [](const protocol::executor_update& update) { ignore(update); },
        [](const protocol::trigger_partners& partners) { ignore(partners); },
        [natives](const protocol::native_link_update& update) {
          if (update.up)
            natives->insert_or_assign(update.address, update.link);
          else if (auto known = natives->find(update.address); known != natives->end() && known->second == update.link)
            natives->erase(known);
        },
        [link_of](protocol::returned_runs& runs) {
          if (const auto link = link_of(runs.address, runs.by))
            protocol::anon_send(link, std::move(runs.batch));
        },
        [link_of, natives, one_process](const protocol::link_query& query) -> caf::result<protocol::link_handle> {
          const auto link = link_of(query.address, query.except);
          if (!link)
            return protocol::to_caf({core::errc::not_found, "no such executor"});
          const auto native = natives->find(query.address);
          return protocol::link_handle{link, *one_process || (native != natives->end() && native->second == link)};
        },
        [](protocol::tick_atom) {},
      };
    }))},
    world_{world} {}

std::shared_ptr<executor_record> pool_double::executor(const std::string& address) {
  auto record = std::make_shared<executor_record>();
  auto make = [record](protocol::executor_link::pointer self) { return test::executor(self, record); };
  links->insert_or_assign(address, world_.track(world_.system().spawn(make)));
  return record;
}

} // namespace ringmaster::test
