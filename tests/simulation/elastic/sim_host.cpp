#include "tests/simulation/elastic/sim_host.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tests/simulation/elastic/job_world.hpp"
#include "tests/simulation/elastic/sim_node.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation::elastic {

namespace {

using executor::elastic::boot_time;

/// A body looks after its stop, its end and its right as often as this.
constexpr span body_step = 40ms;
constexpr std::int32_t succeeded = 200;
constexpr std::int32_t failed = 500;
constexpr auto drain_limit = 1s;
/// Enough that no pool lets a run wait.
constexpr std::size_t processors = 64;

class host_bodies final : public executor::elastic::item_bodies {
public:
  explicit host_bodies(host_process& of) : host_{of} {}
  bool start(executor::elastic::item_work work, std::function<void(core::run_outcome&&)> done) override {
    return host_.start(std::move(work), std::move(done));
  }
  // No job has listeners.
  bool call_listeners(executor::elastic::listener_work, std::function<void(core::run_outcome&&)>) override { return false; }

private:
  host_process& host_;
};

class host_threads final : public actors::body_threads {
public:
  explicit host_threads(host_process& of) : host_{of} {}
  bool start(std::function<void()> work) override {
    host_.start_thread(std::move(work));
    return true;
  }

private:
  host_process& host_;
};

} // namespace

host_process::host_process(job_world& in, int number, int generation, std::string folder)
  : sim_process{in, "host " + std::to_string(number) + "." + std::to_string(generation),
                in.what().drifts.at(static_cast<std::size_t>(in.what().nodes + number))},
    number_{number},
    address_{"ringmaster://elastic/" + std::string(1, static_cast<char>('A' + number))},
    folder_{std::move(folder)},
    pid_{100 * (number + 1) + generation} {}

host_process::~host_process() { reap(); }

void host_process::begin() {
  const auto boot_now = [this] { return boot_time{boot()}; };
  board_ = std::make_shared<executor::elastic::fence_board>(boot_now);
  // Rung inside of a call of the board: the timer's thread comes next.
  board_->set_wake([this] { arm_fence(in().now()); });
  protocol::elastic_hello me;
  me.folder = folder_;
  me.boot = in().machine_of_host(number_);
  me.pid = pid_;
  me.pid_namespace = 1;
  me.start_ticks = boot().count() / 10'000'000;
  me.ip = "10.0.0." + std::to_string(number_ + 1);
  me.capacity = in().what().capacities.at(static_cast<std::size_t>(number_));
  me.handlers = {"sum"};
  executor::elastic::job_host_tools tools{board_,
                                          std::make_shared<host_bodies>(*this),
                                          std::make_shared<host_threads>(*this),
                                          [this] { return civil() + wall_jump_; },
                                          me.ip,
                                          pid_};
  tools.processors = processors;
  auto draw = [this] { return in().draw_key(shared_from_this()); };
  actor_ = track(
    protocol::elastic_host{system().spawn<protocol::with_state<executor::elastic::elastic_host_state, protocol::elastic_host>>(
      executor::elastic::elastic_host_parts{me, std::move(draw), boot_now, std::move(tools), test::virtual_time::silent_log()})});
  for (int node = 0; node < in().what().nodes; ++node)
    after(milliseconds{static_cast<std::int64_t>(in().random(100))}, [this, node] { dial(node); });
}

void host_process::forget_actors() { actor_ = nullptr; }

void host_process::kill() {
  if (!is_alive())
    return;
  sim_process::kill();
  in().checker().ended(*this);
  bodies_.clear();
  in().end_wires_of(this);
}

void host_process::drain(std::function<void()> then) {
  draining_ = true;
  for (const auto& [node, wire] : wires_)
    if (const auto there = wire.lock())
      there->say_goodbye();
  auto ask = [host = actor_, then = std::move(then)](caf::event_based_actor* self) {
    protocol::request(self, host, std::chrono::hours{1}, protocol::drain_request{drain_limit})
      .then([then] { then(); }, [then](const caf::error&) { then(); });
  };
  track(caf::actor{system().spawn(std::move(ask))});
}

// -- links -----------------------------------------------------------------------------------------------------------------

void host_process::dial(int node) {
  after(milliseconds{300 + static_cast<std::int64_t>(in().random(600))}, [this, node] { dial(node); });
  const auto known = wires_[node].lock();
  if ((known && known->is_up()) || in().is_blocked(number_, node, true) || in().is_blocked(number_, node, false))
    return;
  wires_[node] = in().connect(*this, node);
}

void host_process::link_up(std::uint64_t link, const std::shared_ptr<sim_wire>& wire) {
  auto end = track(protocol::node_link{system().spawn([weak = std::weak_ptr{wire}]() -> protocol::node_link::behavior_type {
    return {[weak](protocol::node_message& message) {
      if (const auto there = weak.lock())
        there->say(std::move(message.what));
    }};
  })});
  protocol::anon_send(actor_, protocol::link_offer{link, "node " + std::to_string(wire->node()), std::move(end)});
}

void host_process::link_down(std::uint64_t link) {
  protocol::anon_send(actor_, protocol::link_offer{link, "", protocol::node_link{}});
}

void host_process::hear(std::uint64_t link, sim_wire::to_host what) {
  if (const auto* const welcome = std::get_if<protocol::elastic_welcome>(&what);
      welcome != nullptr && welcome->verdict == protocol::elastic_verdict::welcome)
    seen_ = welcome->host;
  protocol::anon_send(actor_, protocol::node_said{link, steady(), std::move(what)});
}

// -- bodies ----------------------------------------------------------------------------------------------------------------

void host_process::start_thread(std::function<void()> work) {
  after(span{static_cast<std::int64_t>(in().random(1'000'000))}, std::move(work));
}

bool host_process::start(executor::elastic::item_work work, std::function<void(core::run_outcome&&)> done) {
  if (!is_alive())
    return false;
  const auto& habits = in().what().bodies;
  const auto run = core::number(work.control->run());
  const auto luck = in().random(100);
  sim_body made{std::move(work), std::move(done), in().now()};
  auto lasts = milliseconds{10 + static_cast<std::int64_t>(in().random(900))};
  if (luck < habits.longer)
    lasts = milliseconds{1'000 + static_cast<std::int64_t>(in().random(3'000))};
  else if (luck < habits.longer + habits.throws)
    made.throws = true;
  else if (luck < habits.longer + habits.throws + habits.ignores_stop) {
    lasts = milliseconds{2'000 + static_cast<std::int64_t>(in().random(4'000))};
    made.ignores_stop = true;
  }
  made.ends = in().now() + lasts;
  in().checker().began(*this, made);
  bodies_.insert_or_assign(run, std::move(made));
  after(span{0}, [this, run] { go_on(run); });
  return true;
}

void host_process::go_on(std::int64_t run) {
  const auto found = bodies_.find(run);
  if (found == bodies_.end())
    return;
  auto& body = found->second;
  in().checker().worked(*this, body);
  if (in().now() >= body.ends)
    return end_body(run, body.throws ? core::run_outcome{failed, "thrown"} : core::run_outcome{succeeded, std::nullopt});
  if (body.work.control->stop_token().stop_requested() && !body.ignores_stop && !std::exchange(body.stops, true)) {
    in().checker().stopped(*this, body);
    body.ends = std::min(body.ends, in().now() + milliseconds{static_cast<std::int64_t>(in().random(200))});
  }
  after(std::min(body_step, std::max(body.ends - in().now(), span{1})), [this, run] { go_on(run); });
}

void host_process::end_body(std::int64_t run, core::run_outcome&& outcome) {
  in().say("the body of run " + std::to_string(run) + " ends");
  auto body = std::move(bodies_.extract(run).mapped());
  body.done(std::move(outcome));
}

void host_process::enforce_leases() {
  std::vector<core::elastic::item_run_id> over;
  for (const auto& control : board_->end_due()) {
    start_thread([control] { control->request_stop(); });
    over.push_back(control->run());
  }
  if (!over.empty())
    protocol::anon_send(actor_, protocol::lease_end{std::move(over)});
  if (const auto next = board_->next_end())
    arm_fence(std::max(true_time_of(*next), in().now()));
}

void host_process::arm_fence(span when) {
  at(when, [this, alarm = ++alarm_] {
    if (alarm == alarm_)
      enforce_leases();
  });
}

} // namespace ringmaster::simulation::elastic
