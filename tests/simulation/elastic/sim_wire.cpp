#include "tests/simulation/elastic/sim_wire.hpp"

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <variant>

#include "protocol/elastic_border.hpp"
#include "tests/simulation/elastic/job_world.hpp"
#include "tests/simulation/elastic/sim_host.hpp"
#include "tests/simulation/elastic/sim_node.hpp"

namespace ringmaster::simulation::elastic {

namespace {

/// Pause between two checks whether messages can arrive again.
constexpr span look_again = 10ms;
constexpr span delay_min{200'000};
/// Longest time until the other end learns of the end of a connection.
constexpr std::uint64_t notice_max_ms = 100;
/// Beyond lease and margin, for the mutant.
constexpr core::milliseconds extra_lease{600};

std::shared_ptr<const std::vector<core::group_id>> no_groups() { return std::make_shared<const std::vector<core::group_id>>(); }

} // namespace

// Lines of the trace. Heartbeats and acknowledgements would be too many: they are in it if RINGMASTER_SIMULATION_BEATS is set.
template <class Message>
std::string words_of(const Message&) {
  return {};
}
bool shows_beats() { return std::getenv("RINGMASTER_SIMULATION_BEATS") != nullptr; }
std::string words_of(const protocol::elastic_heartbeat& what) {
  return shows_beats() ? "heartbeat " + std::to_string(what.number) + ", keeper " + std::to_string(what.keeper_no) +
                           (what.asks_keeper ? ", asks" : "")
                       : std::string{};
}
std::string words_of(const protocol::elastic_ack& what) {
  return shows_beats() ? "acknowledgement " + std::to_string(what.number) + ", keeper " + std::to_string(what.keeper_no)
                       : std::string{};
}
std::string words_of(const protocol::elastic_hello& what) { return "hello of process " + what.process.substr(24); }
std::string words_of(const protocol::elastic_events& what) {
  auto out = "batch " + std::to_string(what.batch) + ':';
  for (const auto& each : what.events)
    out += " run " + std::to_string(core::number(each.run)) + " kind " + std::to_string(static_cast<int>(each.kind)) +
           (each.kind == protocol::elastic_event_kind::refused ? " why " + std::to_string(static_cast<int>(each.refusal)) : "");
  return out;
}
std::string words_of(const protocol::elastic_inventory& what) {
  auto out = "inventory of slot " + std::to_string(what.slot) + ':';
  for (const auto& each : what.runs)
    out += ' ' + std::to_string(core::number(each.run));
  return out;
}
std::string words_of(const protocol::elastic_welcome& what) {
  return "welcome, verdict " + std::to_string(static_cast<int>(what.verdict)) + ", process " +
         std::to_string(core::number(what.host.incarnation)) + ", keeper " + std::to_string(what.keeper_no);
}
std::string words_of(const protocol::elastic_grants& what) {
  auto out = "grants of slot " + std::to_string(what.slot) + ", epoch " + std::to_string(what.epoch) + ':';
  for (const auto& each : what.items)
    out += ' ' + std::to_string(core::number(each.run));
  return out;
}
std::string words_of(const protocol::elastic_orders& what) {
  auto out = "orders of slot " + std::to_string(what.slot) + ", epoch " + std::to_string(what.epoch) + ':';
  for (const auto& each : what.orders)
    out += " run " + std::to_string(core::number(each.run)) + " order " + std::to_string(static_cast<int>(each.order));
  return out + (what.inventory != 0 ? " and inventory" : "");
}
std::string words_of(const protocol::elastic_receipt& what) {
  return "receipt " + std::to_string(what.batch) + (what.stored ? " stored" : " not now");
}

// -- wire_lane -------------------------------------------------------------------------------------------------------------

void wire_lane::send(const std::shared_ptr<void>& owner, std::function<void()> what) {
  const auto delay_max = static_cast<std::uint64_t>(span{world_.what().delay_max}.count());
  last_ = std::max(last_, world_.now() + delay_min + span{static_cast<std::int64_t>(world_.random(delay_max))});
  waiting_.push_back({last_, std::move(what)});
  if (!std::exchange(armed_, true))
    world_.at(waiting_.front().when, [this, owner] { arrive(owner); });
}

void wire_lane::arrive(const std::shared_ptr<void>& owner) {
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

// -- the connection --------------------------------------------------------------------------------------------------------

sim_wire::sim_wire(job_world& world, const std::shared_ptr<host_process>& host, const std::shared_ptr<node_process>& node,
                   std::uint64_t number)
  : world_{world},
    host_{host},
    node_{node},
    host_number_{host->number()},
    node_number_{node->number()},
    number_{number},
    to_node_{world, [this] { return world_.is_blocked(host_number_, node_number_, true); }},
    to_host_{world, [this] { return world_.is_blocked(host_number_, node_number_, false); }},
    address_{host->address()},
    relay_{protocol::elastic_link_version, {}} {}

bool sim_wire::joins(const sim_process* process) const { return host_.lock().get() == process || node_.lock().get() == process; }

void sim_wire::at_host(std::function<void(host_process&)> what) {
  to_host_.send(shared_from_this(), [this, what = std::move(what)] {
    if (const auto host = host_.lock(); host && host_end_)
      host->at(world_.now(), [self = shared_from_this(), this, what] {
        if (const auto there = host_.lock(); there && host_end_)
          what(*there);
      });
  });
}

void sim_wire::at_node(std::function<void(node_process&)> what) {
  to_node_.send(shared_from_this(), [this, what = std::move(what)] {
    if (const auto node = node_.lock(); node && node_end_)
      node->at(world_.now(), [self = shared_from_this(), this, what] {
        if (const auto there = node_.lock(); there && node_end_)
          what(*there);
      });
  });
}

void sim_wire::open() {
  at_node([this](node_process& node) {
    relay_.extend(node.hosts());
    end_ = node.track(spawn_end(node));
    at_host([self = shared_from_this()](host_process& host) { host.link_up(self->number_, self); });
  });
}

// Its handler runs in a turn of the node: its effects begin in an event of their own.
protocol::host_link sim_wire::spawn_end(node_process& node) {
  return node.system().spawn([weak = weak_from_this()]() -> protocol::host_link::behavior_type {
    return {[weak](protocol::host_message& message) {
      if (const auto self = weak.lock())
        self->leave(message);
    }};
  });
}

// As native_link does.
void sim_wire::leave(protocol::host_message& message) {
  const auto node = node_.lock();
  if (!node || !node_end_)
    return;
  std::visit(
    [&](auto& what) {
      if (const auto breach = protocol::breach_of(what); !breach.empty())
        return world_.checker().broken("a node sends: " + breach);
      if (!actors::host_relay::passes_gate(what, message.life, [&](std::int64_t life) { return node->gate_is_open(life); }))
        return;
      relay_.leaves(what);
      hear(std::move(what));
    },
    message.what);
}

// -- messages --------------------------------------------------------------------------------------------------------------

void sim_wire::say(to_node what) {
  at_node([this, what = std::move(what)](node_process& node) { deliver(node, what); });
}

void sim_wire::say_goodbye() {
  at_node([this](node_process& node) { protocol::anon_send(node.hosts(), protocol::host_link_lost{number_, true}); });
}

void sim_wire::deliver(node_process& node, to_node what) {
  if (!end_)
    return;
  const auto& off = world_.rule_off();
  say_in_trace(what, host_number_, node_number_, "to node");
  const auto pass = [&](auto said) {
    protocol::anon_send(node.hosts(), protocol::host_said{number_, end_, node.steady(), std::move(said)});
  };
  std::visit(
    [&](auto& message) {
      using type = std::decay_t<decltype(message)>;
      if constexpr (std::is_same_v<type, protocol::elastic_events>) {
        batches_[message.batch] = message.events;
        if (off.receipt_first)
          hear(protocol::elastic_receipt{.batch = message.batch, .stored = true});
      } else if constexpr (std::is_same_v<type, protocol::elastic_inventory>) {
        if (off.empty_inventory)
          message.runs.clear();
      } else if constexpr (std::is_same_v<type, protocol::elastic_hello>) {
        if (off.one_folder)
          message.folder = std::string(32, static_cast<char>('0' + host_number_));
      }
      auto breach = protocol::breach_of(message);
      breach = breach.empty() ? relay_.breach_in(message) : breach;
      if (!breach.empty())
        return world_.checker().broken("a host sends: " + breach);
      if (relay_.judge(message, node.steady()) != actors::host_relay::verdict::pass)
        return;
      if constexpr (std::is_same_v<type, protocol::elastic_hello>)
        pass(protocol::host_introduction{std::move(message), "elastic", address_, {core::token_kind::common, no_groups()}});
      else
        pass(std::move(message));
    },
    what);
}

void sim_wire::keep_for_next_process(const to_host& what) {
  const auto* const grants = std::get_if<protocol::elastic_grants>(&what);
  if (grants != nullptr && world_.rule_off().any_process)
    to_host_.send(shared_from_this(), [this, late = *grants] {
      if (const auto host = host_.lock(); !host || !host->is_alive())
        world_.keep_grants(host_number_, late);
    });
}

void sim_wire::hear(to_host what) {
  keep_for_next_process(what);
  at_host([this, what = std::move(what)](host_process& host) { deliver(host, what); });
}

void sim_wire::deliver(host_process& host, to_host what) {
  const auto& off = world_.rule_off();
  if (auto* const ack = std::get_if<protocol::elastic_ack>(&what); ack != nullptr && off.any_node_extends)
    ack->keeper_no = world_.next_number();
  if (auto* const grants = std::get_if<protocol::elastic_grants>(&what)) {
    if (off.old_epochs)
      grants->epoch = world_.newest_epoch(grants->slot, grants->epoch);
    if (off.any_process)
      grants->host = host.process_seen();
    for (auto& each : grants->items)
      each.lease += off.longer_lease ? extra_lease : core::milliseconds{0};
  }
  if (auto* const orders = std::get_if<protocol::elastic_orders>(&what); orders != nullptr && off.old_epochs)
    orders->epoch = world_.newest_epoch(orders->slot, orders->epoch);
  if (const auto* const receipt = std::get_if<protocol::elastic_receipt>(&what)) {
    const auto batch = batches_.extract(receipt->batch);
    if (batch && receipt->stored)
      for (const auto& event : batch.mapped())
        if (event.kind == protocol::elastic_event_kind::finished)
          world_.checker().kept(event);
  }
  say_in_trace(what, host_number_, node_number_, "to host");
  // The process knows a job's definition with its first grants.
  const bool takes_grants = std::holds_alternative<protocol::elastic_grants>(what);
  host.hear(number_, std::move(what));
  if (takes_grants)
    for (auto& late : world_.take_grants(host_number_))
      deliver(host, std::move(late));
}

template <class Messages>
void sim_wire::say_in_trace(const Messages& what, int host, int node, const char* way) const {
  if (!world_.is_tracing())
    return;
  const auto words = std::visit([](const auto& message) { return words_of(message); }, what);
  if (!words.empty())
    world_.say(std::string{"  "} + way + ", link of host " + std::to_string(host) + " and node " + std::to_string(node) + ": " +
               words);
}

// -- its end ---------------------------------------------------------------------------------------------------------------

void sim_wire::drop_messages() {
  to_node_.clear();
  to_host_.clear();
}

void sim_wire::lose() {
  drop_messages();
  const auto notice = [this] { return span{milliseconds{static_cast<std::int64_t>(world_.random(notice_max_ms))}}; };
  world_.after(notice(), [self = shared_from_this()] { self->end_at_host(); });
  world_.after(notice(), [self = shared_from_this()] { self->end_at_node(); });
}

void sim_wire::end_of(const sim_process* process) {
  if (host_.lock().get() == process) {
    host_end_ = false;
    to_node_.send(shared_from_this(), [self = shared_from_this()] { self->end_at_node(); });
  } else if (node_.lock().get() == process) {
    node_end_ = false;
    end_ = nullptr;
    relay_.extend({});
    to_host_.send(shared_from_this(), [self = shared_from_this()] { self->end_at_host(); });
  }
}

void sim_wire::end_at_host() {
  const auto host = host_.lock();
  if (!host || !std::exchange(host_end_, false))
    return;
  host->at(world_.now(), [host = host.get(), number = number_] { host->link_down(number); });
  // The connection is closed: the node's kernel learns of it.
  to_node_.send(shared_from_this(), [self = shared_from_this()] { self->end_at_node(); });
}

void sim_wire::end_at_node() {
  const auto node = node_.lock();
  if (!node || !std::exchange(node_end_, false))
    return;
  node->at(world_.now(), [self = shared_from_this(), node = node.get()] {
    self->end_ = nullptr;
    self->relay_.extend({});
    protocol::anon_send(node->hosts(), protocol::host_link_lost{self->number_, false});
    node->lost_wire(self->host_number_);
  });
  to_host_.send(shared_from_this(), [self = shared_from_this()] { self->end_at_host(); });
}

} // namespace ringmaster::simulation::elastic
