#include "tests/simulation/elastic/sim_node.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "actors/elastic/spawn_elastic.hpp"
#include "actors/node/node_actor.hpp"
#include "actors/node/store_pulse.hpp"
#include "actors/store/store_worker.hpp"
#include "tests/simulation/elastic/job_world.hpp"
#include "tests/simulation/elastic/node_store.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation::elastic {

namespace {

/// Longest time until a pidfd shows the end of its process.
constexpr span proof_delay = 5ms;

constexpr auto question_limit = 5s;

class machine_watch final : public actors::process_watch {
public:
  explicit machine_watch(node_process& of) : node_{of} {}
  bool watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) override {
    return node_.watch(process, facts);
  }
  void forget(const core::elastic::host_process& process) override { node_.forget(process); }
  std::vector<core::elastic::host_process> ended() override { return node_.take_ends(); }

private:
  node_process& node_;
};

/// Actor of ordinary jobs, of which there are none.
protocol::schedule_actor::behavior_type no_schedule() {
  return {[](const protocol::incarnation_change&) {},
          [](const protocol::slot_change&) {},
          [](const protocol::prepare_slots&) {},
          [](protocol::finish_mirror) {},
          [](protocol::edit_hint) {},
          [](const protocol::pending_work_update&) {},
          [](const protocol::routed_batch&) {},
          [](const protocol::claim_reply&) {},
          [](const protocol::intent_batch&) {},
          [](protocol::finish_reserved) {},
          [](protocol::stop_request) {},
          [](protocol::reserved_backlog_query) { return protocol::reserved_backlog{}; },
          [](protocol::tick_atom) {}};
}

} // namespace

node_process::node_process(job_world& in, int number, int generation)
  : sim_process{in, "node " + std::string(1, static_cast<char>('a' + number)) + "." + std::to_string(generation),
                in.what().drifts.at(static_cast<std::size_t>(number))},
    number_{number} {
  wall_.set_offset(std::chrono::nanoseconds{civil().time_since_epoch()} - steady().time_since_epoch());
}

node_process::~node_process() { reap(); }

protocol::store_worker node_process::spawn_worker() {
  return track(protocol::store_worker{
    system().spawn<protocol::with_state<actors::store_worker_state, protocol::store_worker>>([this] { return open(); })});
}

// As the supervisor does.
void node_process::begin() {
  const auto log = in().log_of(name());
  const auto id = std::string(1, static_cast<char>('a' + number_));
  // On SQLite all of them are one.
  const auto worker = spawn_worker();
  const auto next_worker = [&] { return in().what().one_writer ? worker : spawn_worker(); };
  const auto write_worker = next_worker();
  const auto hosts_worker = next_worker();
  actors_ = actors::make_elastic_spawner(std::make_shared<machine_watch>(*this), [] { return std::string(32, 'c'); })(
    system(), {id, write_worker, worker, hosts_worker, core::zone{}, core::milliseconds{500}, wall_, log});
  track(actors_.writer);
  track(actors_.director);
  track(actors_.hosts);
  track(actors_.errors);
  config::cluster_settings settings;
  settings.dead_after = in().what().dead_after;
  const auto pulse = track(protocol::store_pulse{
    system().spawn<protocol::with_state<actors::store_pulse_state, protocol::store_pulse>>(
      next_worker(), std::vector<protocol::pulse_listener>{actors_.director})});
  const auto boot_ns = [this] { return std::int64_t{boot().count()}; };
  const auto schedule = track(protocol::schedule_actor{system().spawn(no_schedule)});
  node_ = track(protocol::node_actor{system().spawn<protocol::with_state<actors::node_actor_state, protocol::node_actor>>(
    actors::node_links{next_worker(), schedule, {actors_.writer, actors_.hosts, actors_.director, pulse}, {actors_.director}},
    actors::node_identity{id, id + ":8080", "process of " + id}, settings, gate_,
    actors::node_clocks{wall_, boot_ns, false, [this] { return civil(); }}, log)});
}

void node_process::forget_actors() {
  actors_ = {};
  node_ = nullptr;
}

bool node_process::gate_is_open(std::int64_t incarnation) const {
  return in().rule_off().gate_open || gate_->open_at(incarnation, boot().count());
}

void node_process::kill() {
  if (!is_alive())
    return;
  sim_process::kill();
  in().end_wires_of(this);
}

// As the supervisor does: hosts find another keeper, then other nodes take the slots.
void node_process::leave(std::function<void()> then) {
  in().say(name() + " stops gracefully");
  auto ask = [hosts = actors_.hosts, director = actors_.director, node = node_,
              then = std::move(then)](caf::event_based_actor* self) {
    const auto end = [=] {
      protocol::request(self, node, question_limit, protocol::stop_request{})
        .then([then] { then(); }, [then](const caf::error&) { then(); });
    };
    const auto release = [=] {
      protocol::request(self, director, question_limit, protocol::stop_request{})
        .then([end] { end(); }, [end](const caf::error&) { end(); });
    };
    protocol::request(self, hosts, question_limit, protocol::stop_request{})
      .then([release] { release(); }, [release](const caf::error&) { release(); });
  };
  track(caf::actor{system().spawn(std::move(ask))});
}

// -- proofs ----------------------------------------------------------------------------------------------------------------

bool node_process::watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) {
  const bool is_here = facts.boot == in().machine_of_node(number_) || in().rule_off().close_is_death;
  if (is_here)
    watched_.emplace_back(process, facts.process);
  return is_here;
}

void node_process::forget(const core::elastic::host_process& process) {
  std::erase_if(watched_, [&](const auto& each) { return each.first == process; });
}

std::vector<core::elastic::host_process> node_process::take_ends() {
  auto out = std::exchange(ended_, {});
  std::erase_if(watched_, [&](const auto& each) {
    const auto end = in().end_of_process(each.second);
    if (!end || *end + proof_delay > in().now())
      return false;
    out.push_back(each.first);
    return true;
  });
  return out;
}

void node_process::lost_wire(int host) {
  if (!in().rule_off().close_is_death)
    return;
  for (const auto& [process, key] : watched_)
    if (in().host_of_process(key) == host)
      ended_.push_back(process);
}

// -- store calls -----------------------------------------------------------------------------------------------------------

test::store_fault node_process::before_call(std::string_view method, const fault** meets) {
  using enum trouble;
  *meets = nullptr;
  if (!is_alive() || in().store_is_away(number_))
    return test::store_fault::away;
  const auto* one = *meets = in().strike(number_, method);
  if (one == nullptr)
    return test::store_fault::none;
  bool goes_on = true;
  if (one->what == kill_before) {
    in().restart_node(number_, one->lasts);
    return test::store_fault::away;
  }
  if (one->what == stop_before)
    goes_on = stand_still(one->lasts);
  else if (one->what == delay_before)
    goes_on = wait(one->lasts);
  if (!goes_on)
    return test::store_fault::away;
  return one->what == lose_answer ? test::store_fault::answer_lost : test::store_fault::none;
}

void node_process::after_call(const fault* meets) {
  using enum trouble;
  if (meets == nullptr)
    return;
  if (meets->what == kill_after)
    in().restart_node(number_, meets->lasts);
  else if (meets->what == stop_after)
    stand_still(meets->lasts);
  else if (meets->what == delay_after)
    wait(meets->lasts);
}

core::result<std::unique_ptr<storage::store>> node_process::open() {
  if (!is_alive() || in().store_is_away(number_))
    return core::fail(core::errc::unavailable, "the store is away");
  auto made = std::make_unique<test::faulty_store>(std::make_unique<node_store>(*this, in().open()));
  made->fault_of = [this](std::string_view) {
    return !is_alive() || in().store_is_away(number_) ? test::store_fault::away : test::store_fault::none;
  };
  return std::unique_ptr<storage::store>{std::move(made)};
}

} // namespace ringmaster::simulation::elastic
