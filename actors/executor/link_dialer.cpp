#include "actors/executor/link_dialer.hpp"

#include <algorithm>
#include <utility>

#include "actors/executor/executor_gate.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"
#include "protocol/link_border.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

namespace {

/// Splits the reports into batches that fit into one message.
std::vector<std::vector<core::run_report>> batches_of(std::vector<core::run_report>&& reports) {
  using limits = protocol::link_limits;
  std::vector<std::vector<core::run_report>> batches;
  std::size_t bytes = 0;
  for (auto& report : reports) {
    if (report.message)
      report.message->resize(core::cut_bytes(*report.message, limits::message_bytes_max).size());
    const auto more = protocol::bytes_of(report);
    if (batches.empty() || batches.back().size() == limits::items_max || bytes + more > limits::bytes_max) {
      batches.emplace_back();
      bytes = 0;
    }
    bytes += more;
    batches.back().push_back(std::move(report));
  }
  return batches;
}

} // namespace

link_dialer_state::link_dialer_state(protocol::link_dialer::pointer self, dialer_parts parts)
  : self_{self}, parts_{std::move(parts)}, random_{parts_.random_seed} {
  for (const auto& address : parts_.nodes) {
    // A second link of one executor to the same node would replace the first.
    if (std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) { return each.address == address; }))
      continue;
    nodes_.emplace_back();
    nodes_.back().address = address;
    nodes_.back().until = self_->clock().now();
  }
  offer_links();
  tick();
}

link_dialer_state::~link_dialer_state() {
  for (auto& each : nodes_)
    caf::anon_send_exit(each.gate, caf::exit_reason::user_shutdown);
}

protocol::link_dialer::behavior_type link_dialer_state::make_behavior() {
  return {
    [this](protocol::run_reports& wanted) { return report(std::move(wanted)); },
    [this](protocol::link_goodbye) { say_goodbye(); },
    [this](protocol::link_dialled& dialled) { greet(std::move(dialled)); },
    [this](protocol::link_heard& heard) { hear(std::move(heard)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// -- links -----------------------------------------------------------------------------------------------------------------

link_dialer_state::node* link_dialer_state::of(std::uint64_t attempt) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const node& each) { return each.attempt == attempt; });
  return found == nodes_.end() ? nullptr : &*found;
}

void link_dialer_state::dial(node& which) {
  which.now = phase::dialling;
  which.attempt = ++last_attempt_;
  // Longer than the port's own limit, so that a connection attempt without a result does not block the others.
  which.until = self_->clock().now() + 2 * parts_.limits.connect + std::chrono::seconds{5};
  parts_.ports->dial(which.address, parts_.limits.connect,
                     [dialer = protocol::link_dialer{self_}, attempt = which.attempt](core::result<protocol::link_door>&& door) {
                       protocol::anon_send(dialer, protocol::link_dialled{attempt, std::move(door)});
                     });
}

void link_dialer_state::greet(protocol::link_dialled&& dialled) {
  auto* which = of(dialled.attempt);
  if (!which || which->now != phase::dialling)
    return;
  if (!dialled.door)
    return fail(*which, dialled.door.error().context);
  which->now = phase::greeting;
  which->until = self_->clock().now() + parts_.limits.hello;
  const auto& me = parts_.identity;
  protocol::link_hello hello{which->version, me.app_name, me.address, {}, {}, protocol::draw_link_key()};
  which->gate = self_->spawn<protocol::with_state<executor_gate_state, protocol::executor_link_end>>(
    protocol::link_dialer{self_}, which->attempt,
    link_introduction{parts_.ports, *dialled.door, hello, me.token, parts_.elastic, parts_.log}, parts_.host,
    parts_.limits.answer);
  watcher_.watch(self_, which->gate, [this, attempt = dialled.attempt](const caf::error& reason) {
    if (auto* gone = of(attempt))
      fail(*gone, "its gate closed: " + protocol::end_in_words(reason));
  });
  hello.gate = which->gate;
  protocol::anon_send(*dialled.door, std::move(hello));
  arm();
}

void link_dialer_state::hear(protocol::link_heard&& heard) {
  auto* which = of(heard.attempt);
  if (!which)
    return;
  if (const auto* said = std::get_if<protocol::link_welcome>(&heard.said))
    welcome(*which, *said);
  else if (const auto* refusal = std::get_if<protocol::link_refusal>(&heard.said))
    take(*which, *refusal);
  else if (const auto* distrust = std::get_if<core::error>(&heard.said))
    fail(*which, distrust->context, true);
  else
    take(*which, std::get<protocol::link_receipt>(heard.said));
}

template <class Message>
void link_dialer_state::tell(const node& which, Message&& message) {
  message.key = which.there_key;
  protocol::anon_send(which.there, std::forward<Message>(message));
}

void link_dialer_state::welcome(node& which, const protocol::link_welcome& said) {
  if (which.now != phase::greeting || !said.gate)
    return;
  which.now = phase::up;
  which.there = said.gate;
  which.there_key = said.gate_key;
  which.until = self_->clock().now();
  which.trouble.clear();
  watcher_.watch(self_, which.there, [this, attempt = which.attempt](const caf::error& reason) {
    if (auto* gone = of(attempt))
      fail(*gone, "the link was cut: " + protocol::end_in_words(reason));
  });
  parts_.log->info("native link to {}", which.address);
  if (leaving_)
    tell(which, protocol::link_goodbye{});
  offer_to_elastic(which, true);
  offer_links();
  pump();
}

// A node of an earlier version says which one it speaks. It gets that version for one attempt: later it may be a newer node.
void link_dialer_state::take(node& which, const protocol::link_refusal& refusal) {
  const auto offered = which.version;
  const auto spoken = protocol::version_in(refusal);
  if (which.now != phase::greeting || !spoken || !protocol::is_link_version(*spoken) || *spoken >= offered)
    return fail(which, "the node refuses the link: " + refusal.reason, true);
  parts_.log->info("{} speaks version {} of the link: it gives no items of elastic jobs", which.address, *spoken);
  close(which);
  which.version = *spoken;
  which.until = self_->clock().now();
  arm();
}

void link_dialer_state::offer_to_elastic(node& which, bool up) {
  if (which.offered == up || !parts_.elastic || which.version < protocol::elastic_link_version)
    return;
  which.offered = up;
  protocol::link_offer offer{which.attempt, which.address, {}};
  if (up)
    offer.link = which.gate;
  protocol::send(self_, parts_.elastic, std::move(offer));
}

void link_dialer_state::fail(node& which, const std::string& why, bool refused) {
  if (which.trouble != why)
    parts_.log->warn("no native link to {}: {}", which.address, why);
  which.trouble = why;
  const auto now = self_->clock().now();
  if (which.now == phase::up && now - which.until >= parts_.limits.settled)
    which.wait = {};
  close(which);
  const auto wait_max = refused ? parts_.limits.wait_refused_max : parts_.limits.wait_max;
  which.wait = std::clamp(2 * which.wait, parts_.limits.wait_min, wait_max);
  const std::uniform_int_distribution<std::int64_t>::param_type spread{0, which.wait.count() / 2};
  which.until = now + which.wait
                + std::chrono::milliseconds{std::uniform_int_distribution<std::int64_t>{}(random_, spread)};
  for (auto& [number, batch] : std::exchange(which.unreceipted, {}))
    settle(std::move(batch), false);
  pump();
  arm();
}

void link_dialer_state::close(node& which) {
  offer_to_elastic(which, false);
  caf::anon_send_exit(which.gate, caf::exit_reason::user_shutdown);
  which.gate = nullptr;
  which.there = nullptr;
  which.attempt = 0;
  which.last_batch = 0;
  which.now = phase::waiting;
  which.version = protocol::link_version;
}

// -- results ---------------------------------------------------------------------------------------------------------------

void link_dialer_state::offer_links() {
  if (parts_.callbacks)
    protocol::send(self_, parts_.callbacks, protocol::callback_partners{protocol::link_dialer{self_}});
}

bool link_dialer_state::any_up() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const node& each) { return each.now == phase::up; });
}

bool link_dialer_state::begins() const {
  const auto never_failed = [](const node& each) { return each.now != phase::up && each.wait.count() == 0; };
  return std::any_of(nodes_.begin(), nodes_.end(), never_failed);
}

caf::result<void> link_dialer_state::report(protocol::run_reports&& wanted) {
  if (!any_up() && !begins()) {
    untaken_ = true;
    arm();
    return protocol::to_caf({core::errc::unavailable, "no native link is up"});
  }
  if (waiting_.size() >= waiting_max)
    return protocol::to_caf({core::errc::too_large, "too many results wait for a native link"});
  auto promise = self_->make_response_promise<void>();
  auto batches = batches_of(std::move(wanted.reports));
  auto order = std::make_shared<report_order>(report_order{promise, batches.size()});
  if (batches.empty())
    promise.deliver();
  for (auto& batch : batches)
    waiting_.push_back({order, std::move(batch), self_->clock().now() + parts_.limits.receipt});
  pump();
  return promise;
}

void link_dialer_state::pump() {
  if (!any_up() && !begins())
    for (auto& batch : std::exchange(waiting_, {}))
      settle(std::move(batch), false);
  for (std::size_t full = 0; !waiting_.empty() && full < nodes_.size();) {
    auto& which = nodes_[turn_++ % nodes_.size()];
    if (which.now != phase::up || which.unreceipted.size() >= unreceipted_max) {
      ++full;
      continue;
    }
    full = 0;
    auto batch = std::move(waiting_.front());
    waiting_.pop_front();
    tell(which, protocol::link_reports{++which.last_batch, batch.reports});
    batch.reports.clear(); // the requester still has them
    which.unreceipted.emplace(which.last_batch, std::move(batch));
  }
  arm();
}

void link_dialer_state::take(node& which, const protocol::link_receipt& receipt) {
  const auto found = which.unreceipted.find(receipt.batch);
  if (found == which.unreceipted.end())
    return;
  auto batch = std::move(which.unreceipted.extract(found).mapped());
  settle(std::move(batch), receipt.kept);
  pump();
}

void link_dialer_state::settle(report_batch&& batch, bool kept) {
  auto& order = *batch.order;
  untaken_ = !kept;
  if (!order.promise.pending())
    return;
  if (!kept)
    order.promise.deliver(protocol::to_caf({core::errc::unavailable, "no node confirmed the results over a native link"}));
  else if (--order.open == 0)
    order.promise.deliver();
}

// -- time ------------------------------------------------------------------------------------------------------------------

void link_dialer_state::say_goodbye() {
  leaving_ = true;
  for (auto& each : nodes_)
    if (each.now == phase::up)
      tell(each, protocol::link_goodbye{});
}

void link_dialer_state::tick() {
  const auto now = self_->clock().now();
  if (armed_ && *armed_ <= now)
    armed_.reset();
  for (auto& each : nodes_) {
    if (each.now == phase::up) {
      // A node that does not confirm results loses its link, so that another node can take them.
      if (!each.unreceipted.empty() && each.unreceipted.begin()->second.until <= now)
        fail(each, "no receipt for results");
    } else if (each.until <= now) {
      if (each.now == phase::waiting && may_dial())
        dial(each);
      else if (each.now != phase::waiting)
        fail(each, each.now == phase::dialling ? "connecting takes too long" : "no answer to the hello");
    }
  }
  while (!waiting_.empty() && waiting_.front().until <= now) {
    auto late = std::move(waiting_.front());
    waiting_.pop_front();
    settle(std::move(late), false);
  }
  arm();
}

void link_dialer_state::arm() {
  std::optional<steady> wake;
  const auto sooner = [&](steady when) { wake = wake ? std::min(*wake, when) : when; };
  for (const auto& each : nodes_) {
    if (each.now != phase::up && (each.now != phase::waiting || may_dial()))
      sooner(each.until);
    if (!each.unreceipted.empty())
      sooner(each.unreceipted.begin()->second.until);
  }
  if (!waiting_.empty())
    sooner(waiting_.front().until);
  if (!wake || (armed_ && *armed_ <= *wake))
    return;
  armed_ = wake;
  protocol::send_at(self_, protocol::link_dialer{self_}, *wake, protocol::tick_atom{});
}

} // namespace ringmaster::actors
