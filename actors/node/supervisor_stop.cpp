// supervisor: the graceful stop of a node.

#include <utility>

#include "actors/node/supervisor.hpp"
#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto drain_look_every = 20ms;
// Instants are reserved up to 6 s ahead (`core::reserve_window::horizon`). If one takes longer, a lane stays full or the database
// does not answer.
constexpr auto finish_limit = 7s;
// After the drain's own limit: a reservation that waits for the schedule lock, then putting back, which waits for it again.
constexpr auto give_back_limit = 10s;

} // namespace

caf::result<void> supervisor_state::stop() {
  auto promise = self_->make_response_promise<void>();
  stopped_.push_back(promise);
  if (std::exchange(stopping_, true)) {
    drain();
    return promise;
  }
  // Held requests of log readers must not delay the stop.
  protocol::send(self_, followed_logs_, protocol::stop_request{});
  hand_over();
  return promise;
}

// First of all: the others plan this node's slots while it waits for its executors.
void supervisor_state::hand_over() {
  protocol::request(self_, node_, question_limit, protocol::hand_over{})
    .then(
      [this](bool has_heirs) {
        has_heirs_ = has_heirs;
        stop_firing();
      },
      [this](const caf::error&) { stop_firing(); });
}

void supervisor_state::stop_firing() {
  if (reservations_ && !draining_)
    finish_reserved();
  else
    drain();
}

// If reserved instants were put back, those due soon would be lost: a Java admin that found nothing to plan sleeps up to 5 s, and
// then runs a job once for all of its overdue instants. It finds unreserved instants in time.
void supervisor_state::finish_reserved() {
  parts_.log->info("stopping: no new reservations, firing reserved instants within {} s", finish_limit.count());
  const auto until = self_->clock().now() + finish_limit;
  protocol::request(self_, reservations_, finish_limit, protocol::finish_reserved{})
    .then(
      [this, until] {
        const auto left = std::max<caf::timespan>(until - self_->clock().now(), 1ms);
        protocol::request(self_, schedule_, left, protocol::finish_reserved{})
          .then([this] { drain(); }, [this](const caf::error&) { drain(); });
      },
      [this](const caf::error&) { drain(); });
}

void supervisor_state::drain() {
  if (std::exchange(draining_, true))
    return;
  drain_until_ = self_->clock().now() + parts_.settings.drain_timeout;
  parts_.log->info("stopping: no new claims, waiting for runs that are being sent");
  protocol::request(self_, node_, question_limit, protocol::status_query{})
    .then(
      [this](protocol::node_status& known) {
        incarnation_at_stop_ = std::move(known.life);
        drain_planner();
      },
      [this](const caf::error&) { drain_planner(); });
}

// A planner that does not finish in time has still got the request: it claims nothing new.
void supervisor_state::drain_planner() {
  protocol::request(self_, schedule_, parts_.settings.drain_timeout, protocol::stop_request{})
    .then([this] { give_reservations_back(); },
          [this](const caf::error&) {
            parts_.log->warn("the planner still waits for the database; the next incarnation takes over its claims");
            give_reservations_back();
          });
}

// Instants that this node reserved and could not claim are available to all admins again, Java admins included: in every graceful
// end, however long the drain took.
void supervisor_state::give_reservations_back() {
  if (!reservations_)
    return release_elastic();
  protocol::request(self_, reservations_, give_back_limit, protocol::stop_request{})
    .then([this] { release_elastic(); }, [this](const caf::error&) { release_elastic(); });
}

// Hosts find another keeper before this node is silent, so that none loses its lease.
void supervisor_state::release_elastic() {
  if (!elastic_.director)
    return await_claims();
  protocol::request(self_, elastic_.hosts, question_limit, protocol::stop_request{})
    .then([this] { release_elastic_slots(); }, [this](const caf::error&) { release_elastic_slots(); });
}

// Other nodes take the slots of elastic jobs at once. Their runs go on meanwhile.
void supervisor_state::release_elastic_slots() {
  protocol::request(self_, elastic_.director, question_limit, protocol::stop_request{})
    .then([this] { await_claims(); }, [this](const caf::error&) { await_claims(); });
}

void supervisor_state::await_claims() {
  if (!incarnation_at_stop_ || self_->clock().now() >= drain_until_)
    return leave();
  ask_store<std::vector<std::int64_t>>(
    self_, storage_,
    [incarnation = *incarnation_at_stop_](storage::store& store) { return store.firings().open_claims(incarnation); },
    [this](core::result<std::vector<std::int64_t>>&& open) {
      if (open && open->empty())
        return leave();
      protocol::send_at(self_, protocol::supervisor{self_}, self_->clock().now() + drain_look_every, protocol::tick_atom{});
    },
    question_limit);
}

// All nodes may stop at the same time, each with the others as heirs.
void supervisor_state::leave() {
  if (!has_heirs_)
    return say_down();
  protocol::request(self_, node_, question_limit, protocol::hand_over{})
    .then(
      [this](bool has_heirs) {
        if (has_heirs)
          say_down();
        else
          finish_mirror();
      },
      [this](const caf::error&) { say_down(); });
}

void supervisor_state::finish_mirror() {
  protocol::request(self_, schedule_, parts_.settings.drain_timeout, protocol::finish_mirror{})
    .then([this] { say_down(); }, [this](const caf::error&) { say_down(); });
}

void supervisor_state::say_down() {
  protocol::request(self_, node_, question_limit, protocol::stop_request{})
    .then([this] { finish(); }, [this](const caf::error& reason) {
      parts_.log->warn("the node's row could not be closed: {}", protocol::to_core(reason).context);
      finish();
    });
}

void supervisor_state::finish() {
  exit_all();
  for (auto& promise : std::exchange(stopped_, {}))
    promise.deliver();
  parts_.log->info("stopped");
  self_->quit();
}

void supervisor_state::exit_all() {
  stopping_ = true;
  for (auto child = children_.rbegin(); child != children_.rend(); ++child)
    caf::anon_send_exit(*child, caf::exit_reason::user_shutdown);
  children_.clear();
}

} // namespace ringmaster::actors
