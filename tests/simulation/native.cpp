#include "tests/simulation/native.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "protocol/link_border.hpp"
#include "tests/simulation/executor.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

namespace {

/// Pause between two checks whether messages can arrive again.
constexpr span look_again = 50ms;
constexpr protocol::link_key executor_key{1, 2};

/// Returns the same text at both ends of a link; it depends on `key` and `text`.
std::string seal_of(std::string_view key, std::string_view text) {
  std::string out;
  for (char part = '0'; out.size() < protocol::link_limits::proof_bytes; ++part)
    out += std::to_string(std::hash<std::string>{}(std::string{key} + part + std::string{text}));
  out.resize(protocol::link_limits::proof_bytes);
  return out;
}

} // namespace

// -- node_ports ------------------------------------------------------------------------------------------------------------

core::result<void> node_ports::publish(const protocol::link_door& door) {
  door_ = door;
  return {};
}

std::string node_ports::remote_of(const caf::node_id&) const { return "10.0.0.1:40000"; }

std::string node_ports::seal(const caf::node_id&, std::string_view key, std::string_view text) const {
  return seal_of(key, text);
}

void node_ports::dial(const std::string&, std::chrono::milliseconds, dialled done) {
  done(core::fail(core::errc::unavailable, "a node does not dial"));
}

// -- node_gate -------------------------------------------------------------------------------------------------------------

node_gate::node_gate(sim_node& of, std::shared_ptr<const protocol::send_gate> gate)
  : run_gate{std::move(gate), [&of] { return of.boot(); }}, node_{of} {}

bool node_gate::is_open_for(const core::claimed_run& run) const {
  const auto* off = node_.in().rule_off();
  const bool is_open = (off && off->link_gate_always_open) || run_gate::is_open_for(run);
  if (is_open)
    node_.note_passage(run);
  return is_open;
}

// -- link_lane -------------------------------------------------------------------------------------------------------------

void link_lane::send(const std::shared_ptr<void>& owner, span takes, std::function<void()> what) {
  last_ = std::max(last_, world_.now() + hop + takes);
  waiting_.push_back({last_, std::move(what)});
  if (!std::exchange(armed_, true))
    world_.at(waiting_.front().when, [this, owner] { arrive(owner); });
}

void link_lane::arrive(const std::shared_ptr<void>& owner) {
  while (!waiting_.empty() && waiting_.front().when <= world_.now() && !is_blocked_()) {
    const auto next = std::move(waiting_.front().what);
    waiting_.pop_front();
    next();
  }
  armed_ = !waiting_.empty();
  if (armed_)
    world_.at(std::max(waiting_.front().when, world_.now() + (is_blocked_() ? look_again : span{0})),
              [this, owner] { arrive(owner); });
}

// -- the executor's end ----------------------------------------------------------------------------------------------------

sim_link::sim_link(world& in, sim_node& node, sim_executor& executor)
  : world_{in},
    node_{node},
    executor_{executor},
    begun_{in.now()},
    to_executor_{in, [this] { return world_.is_cut_off(node_.name()) || executor_.is_suspended(); }},
    to_node_{in, [this] { return world_.is_cut_off(node_.name()); }} {
  hello_.app_name = "pay";
  hello_.address = executor_.origin() + '/';
  hello_.gate_key = executor_key;
}

void sim_link::to_executor(std::function<void()> what, span takes) {
  to_executor_.send(shared_from_this(), takes, [this, what = std::move(what)] {
    if (there_)
      what();
  });
}

void sim_link::to_node(std::function<void()> what, span takes) {
  to_node_.send(shared_from_this(), takes, [this, what = std::move(what)] {
    node_.at(world_.now(), [this, self = shared_from_this(), what] {
      if (gate_there_)
        what();
    });
  });
}

template <class Message>
void sim_link::say(Message message, span takes) {
  to_node([this, message = std::move(message)]() mutable {
    message.key = gate_key_;
    if (gate_)
      protocol::anon_send(gate_, std::move(message));
  }, takes);
}

void sim_link::prove(const protocol::link_key& nonce) {
  const auto text = protocol::proof_text(protocol::link_end::executor, hello_, nonce);
  to_node([this, proof = protocol::link_proof{nonce, seal_of({}, text)}] { protocol::anon_send(door_, proof); });
}

void sim_link::take(const protocol::link_runs& batch, span written, span answer_takes, bool cut_after) {
  protocol::link_verdicts verdicts{batch.batch, {}};
  for (const auto& run : batch.runs)
    verdicts.replies.push_back(executor_.take(run, written));
  if (cut_after)
    return cut();
  say(std::move(verdicts), answer_takes);
}

void sim_link::answer(const protocol::link_question& question) {
  protocol::link_answer told{question.number, {}};
  switch (question.topic) {
  case protocol::link_topic::idle: told.reply = executor_.say_idle(question.job); break;
  case protocol::link_topic::known:
    told.reply = executor_.say_taken({question.run, question.job, question.log_time});
    break;
  case protocol::link_topic::log: told.lines = executor_.read_log(question.run); break;
  case protocol::link_topic::beat:
  case protocol::link_topic::kill: break;
  }
  say(std::move(told));
}

void sim_link::report(core::run_report result, std::function<void(bool)> then) {
  unconfirmed_.emplace(++last_report_, std::move(then));
  say(protocol::link_reports{last_report_, {std::move(result)}});
}

void sim_link::confirm(const protocol::link_receipt& receipt) {
  const auto asked = unconfirmed_.extract(receipt.batch);
  if (!asked)
    return;
  if (receipt.kept)
    world_.checker().kept_over_link();
  asked.mapped()(receipt.kept);
}

void sim_link::leave() {
  if (!std::exchange(there_, false))
    return;
  unconfirmed_.clear();
  to_node([this] { end_at_node(); });
}

void sim_link::cut() {
  if (!there_)
    return;
  to_executor_.clear();
  to_node_.clear();
  leave();
}

// -- the node's end --------------------------------------------------------------------------------------------------------

void sim_link::greet(caf::actor_system& system, const protocol::link_door& door) {
  if (!door || !there_ || !node_.is_up())
    return;
  door_ = door;
  gate_there_ = spawn_gate(system);
  auto hello = hello_;
  hello.gate = gate_there_;
  protocol::anon_send(door_, std::move(hello));
}

// Its handlers run in a turn of the node: their effects begin in an event of their own.
protocol::executor_gate sim_link::spawn_gate(caf::actor_system& system) {
  return system.spawn(
    [this, self = shared_from_this()](protocol::executor_gate::pointer me) -> protocol::executor_gate::behavior_type {
      auto watcher = std::make_shared<protocol::watcher>();
      return {
        [this, self](const protocol::link_challenge& said) { to_executor([this, nonce = said.nonce] { prove(nonce); }); },
        [this, self, me, watcher](const protocol::link_welcome& said) {
          if (!gate_there_)
            return; // the process ends
          gate_ = said.gate;
          gate_key_ = said.gate_key;
          watcher->watch(me, gate_, [this](const caf::error&) { to_executor([this] { leave(); }); });
          to_executor([this] { welcomed_ = true; });
        },
        [this, self](const protocol::link_refusal&) { to_executor([this] { leave(); }); },
        [this, self](protocol::link_runs& batch) { carry(std::move(batch)); },
        [this, self](const protocol::link_question& said) { to_executor([this, said] { answer(said); }); },
        [this, self](const protocol::link_receipt& said) { to_executor([this, said] { confirm(said); }); },
      };
    });
}

void sim_link::carry(protocol::link_runs&& batch) {
  auto made = std::make_shared<load>(load{std::move(batch), {}});
  for (const auto& run : made->batch.runs)
    made->passages.push_back(node_.passage_of(core::number(run.run)));
  node_.at(world_.now(), [this, self = shared_from_this(), made] {
    const auto* meets = node_.meet("native runs");
    const auto what = meets ? meets->what : effect::delay_before;
    if (what == effect::crash_before)
      return node_.crash(meets->lasts);
    if (what == effect::away || what == effect::lose_request)
      return cut();
    if (what != effect::pause_before)
      return transmit(made, meets);
    node_.pause(meets->lasts);
    node_.at(world_.now(), [this, self, made] { transmit(made, nullptr); });
  });
}

void sim_link::transmit(const std::shared_ptr<const load>& sent, const fault* meets) {
  const auto what = meets ? meets->what : effect::away;
  const auto lasts = meets ? span{meets->lasts} : span{0};
  for (std::size_t i = 0; i < sent->passages.size(); ++i)
    node_.note_written(core::number(sent->batch.runs[i].run), sent->passages[i]);
  to_executor(
    [this, sent, written = world_.now(), takes = what == effect::delay_after ? lasts : span{0},
     cut_after = what == effect::lose_answer] { take(sent->batch, written, takes, cut_after); },
    what == effect::delay_before ? lasts : span{0});
  if (what == effect::crash_after)
    node_.crash(meets->lasts);
  else if (what == effect::pause_after)
    node_.pause(meets->lasts);
}

void sim_link::end_at_node() {
  caf::anon_send_exit(gate_there_, caf::exit_reason::unreachable);
  gate_there_ = nullptr;
  gate_ = nullptr;
  door_ = nullptr;
}

void sim_link::forget_node() {
  if (gate_there_)
    end_at_node();
  to_executor([this] { leave(); });
}

} // namespace ringmaster::simulation
