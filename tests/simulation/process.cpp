#include "tests/simulation/process.hpp"

#include <utility>

#include "actors/metrics.hpp"
#include "actors/node/node_metrics.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation {

namespace {

/// The transport as the links see it.
class node_client final : public protocol::http_client {
public:
  explicit node_client(sim_node& of) : node_{of} {}
  void post(std::vector<protocol::http_call>&& calls, completion done) override { node_.post(std::move(calls), std::move(done)); }

private:
  sim_node& node_;
};

} // namespace

process::process(sim_node& of, span clock_starts) : node_{of} {
  time().current_time = caf::actor_clock::time_point{std::chrono::duration_cast<caf::actor_clock::duration_type>(clock_starts)};
}

process::~process() { end(); }

actors::node_parts process::parts() {
  const auto& what = node_.in().what();
  config::settings settings;
  return {.settings = settings,
          .schedule_zone = {},
          .identity = {node_.name(), node_.name() + ":8080", "process of " + node_.name()},
          .host = node_.name(),
          .open_store = [this] { return node_.open(); },
          .store_writers = what.writers,
          .shares_schedule = what.shared,
          .detached_workers = false,
          .client = std::make_shared<node_client>(node_),
          .link_ports = what.native ? std::make_shared<node_ports>(door_) : nullptr,
          .link_gate = std::make_shared<node_gate>(node_, gate_),
          .notifier = nullptr,
          .gate = gate_,
          .clocks = {wall_, [this] { return node_.boot(); }, false, [this] { return read_clock(); }},
          .hand_over_ahead = core::milliseconds{100},
          .random_seed = what.seed,
          .log = test::virtual_time::silent_log(),
          .fail_stop = [this](const std::string& ended) { node_.note_end(ended); }};
}

core::time_point process::read_clock() {
  has_read_clock_ = true;
  return node_.system_clock();
}

void process::begin() {
  supervisor_ = system_.spawn<protocol::with_state<actors::supervisor_state, protocol::supervisor>>(parts());
  auto ask = [this](caf::event_based_actor* self) {
    protocol::request(self, supervisor_, std::chrono::hours{24}, protocol::handles_query{})
      .then([this](protocol::node_handles& handles) {
        completion_ = handles.completion;
        jobs_ = handles.jobs;
        // Denials count from an address that registered itself (firing protocol §6).
        if (node_.in().what().replicas > 1 && !node_.in().what().registered)
          return;
        for (const auto& address : node_.in().addresses())
          protocol::anon_send(handles.registry, protocol::registry_beat{"EXECUTOR", "pay-worker", address});
      });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

bool process::run_one() {
  auto& jobs = coordinator_.jobs;
  if (jobs.empty())
    return false;
  auto at = node_.in().what().shuffle ? node_.in().random(jobs.size()) : 0;
  auto* job = jobs[at];
  jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(at));
  switch (job->resume(&unit_, 1)) {
  case caf::resumable::resume_later: jobs.push_front(job); break;
  case caf::resumable::done:
  case caf::resumable::awaiting_message: caf::intrusive_ptr_release(job); break;
  case caf::resumable::shutdown_execution_unit: break;
  }
  return true;
}

void process::call_back(core::callback result, std::function<void(bool)> then) {
  if (!completion_)
    return then(false);
  protocol::callback_batch batch{{std::move(result)}};
  auto ask = [this, then, batch = std::move(batch), id = next_caller_](caf::event_based_actor* self) {
    auto over = [this, then, id](bool stored) {
      callers_.erase(id);
      then(stored);
    };
    protocol::request(self, completion_, std::chrono::seconds{15}, batch)
      .then([over](protocol::callbacks_stored&) { over(true); }, [over](const caf::error&) { over(false); });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

void process::edit(core::declared_set declared) {
  if (!jobs_)
    return;
  protocol::apply_declared command{std::move(declared), false, false};
  auto ask = [this, command = std::move(command), id = next_caller_](caf::event_based_actor* self) {
    protocol::request(self, jobs_, std::chrono::seconds{15}, command)
      .then(
        [this, id, revision = command.declared.revision](const core::deploy_report& report) {
          callers_.erase(id);
          node_.in().say(node_.name() + " acknowledges the edit: "
                         + (report.on_their_way ? std::to_string(*report.on_their_way) : "an unknown number of")
                         + " runs on their way");
          if (report.on_their_way == 0)
            node_.in().checker().acknowledged(revision);
        },
        [this, id](const caf::error&) { callers_.erase(id); });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

template <class Command>
void process::ask_for_edit(core::job_id job, Command command) {
  auto ask = [this, job, command = std::move(command), id = next_caller_,
              before = node_.in().checker().edition(job)](caf::event_based_actor* self) {
    protocol::request(self, jobs_, std::chrono::seconds{15}, command)
      .then(
        [this, job, id, before](const core::job_edit& done) {
          callers_.erase(id);
          if (done.on_their_way == 0)
            node_.in().checker().acknowledged_one(job, before);
        },
        [this, id](const caf::error&) { callers_.erase(id); });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

void process::edit_by_hand(const hand_edit& what, const core::manual_trigger& wanted) {
  if (!jobs_)
    return;
  switch (what.what) {
  case hand_edit::kind::start: return ask_for_edit(what.job, protocol::start_job{what.job});
  case hand_edit::kind::stop: return ask_for_edit(what.job, protocol::stop_job{what.job});
  case hand_edit::kind::remove: return ask_for_edit(what.job, protocol::remove_job{what.job, true});
  case hand_edit::kind::update: {
    const auto draft = node_.in().changed_draft(what.job);
    return draft ? ask_for_edit(what.job, protocol::update_job{what.job, *draft, {}, core::local_operator()}) : void();
  }
  case hand_edit::kind::run:
  case hand_edit::kind::run_over_api: break;
  }
  auto ask = [this, wanted, id = next_caller_](caf::event_based_actor* self) {
    protocol::request(self, jobs_, std::chrono::seconds{15}, protocol::trigger_job{wanted})
      .then([this, id](const core::intent&) { callers_.erase(id); }, [this, id](const caf::error&) { callers_.erase(id); });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

void process::stop(std::function<void()> then) {
  if (!supervisor_)
    return;
  auto ask = [this, then = std::move(then)](caf::event_based_actor* self) {
    protocol::request(self, supervisor_, std::chrono::hours{1}, protocol::stop_request{})
      .then([then] { then(); }, [then](const caf::error&) { then(); });
  };
  callers_.emplace(next_caller_++, caf::actor{system_.spawn(ask)});
}

std::int64_t process::dropped() {
  const char* help = "Instants dropped by the misfire policy DO_NOTHING.";
  return actors::make_counter(system_, "firings-dropped-by-misfire", help)->value();
}

std::size_t process::slots() { return static_cast<std::size_t>(actors::node_metrics{system_}.slots_served->value()); }

// Without this the system would wait for the actors' timers.
void process::end() {
  for (const auto& [id, caller] : callers_)
    caf::anon_send_exit(caller, caf::exit_reason::kill);
  if (supervisor_)
    caf::anon_send_exit(supervisor_, caf::exit_reason::kill);
  supervisor_ = nullptr;
  completion_ = nullptr;
  jobs_ = nullptr;
  door_ = nullptr;
  while (run_one()) {
  }
  callers_.clear();
  time().schedule.clear();
  while (run_one()) {
  }
}

} // namespace ringmaster::simulation
