#pragma once

// Every CAF call that differs between 0.18 and 1.x, in one place. No other file of Ringmaster names them.

#include <chrono>
#include <functional>
#include <map>
#include <utility>

#include <caf/all.hpp>
#include <caf/config.hpp>

#define RINGMASTER_CAF1 (CAF_MAJOR_VERSION >= 1)

namespace ringmaster::protocol {

/// Base of every actor's state: `sys.spawn<with_state<ring_actor_state, ring_actor>>(args…)`.
template <class State, class Interface>
using with_state = caf::stateful_actor<State, typename Interface::base>;

/// Sends a one-way message.
template <class Sender, class Receiver, class... Ts>
void send(Sender* self, const Receiver& receiver, Ts&&... xs) {
#if RINGMASTER_CAF1
  self->mail(std::forward<Ts>(xs)...).send(receiver);
#else
  self->send(receiver, std::forward<Ts>(xs)...);
#endif
}

/// Sends a one-way message from outside any actor, for example from the io thread.
template <class Receiver, class... Ts>
void anon_send(const Receiver& receiver, Ts&&... xs) {
#if RINGMASTER_CAF1
  caf::anon_mail(std::forward<Ts>(xs)...).send(receiver);
#else
  caf::anon_send(receiver, std::forward<Ts>(xs)...);
#endif
}

/// Sends a one-way message at a point of the actor's own clock. Keeps the receiver alive until then: owners end their actors
/// explicitly.
template <class Sender, class Receiver, class... Ts>
void send_at(Sender* self, const Receiver& receiver, caf::actor_clock::time_point when, Ts&&... xs) {
#if RINGMASTER_CAF1
  self->mail(std::forward<Ts>(xs)...).schedule(when).send(receiver);
#else
  self->scheduled_send(receiver, when, std::forward<Ts>(xs)...);
#endif
}

/// Sends a request with a finite time limit; finish it with `.then(value, error)`.
template <class Sender, class Receiver, class Rep, class Period, class... Ts>
[[nodiscard]] auto request(Sender* self, const Receiver& receiver, std::chrono::duration<Rep, Period> limit, Ts&&... xs) {
#if RINGMASTER_CAF1
  return self->mail(std::forward<Ts>(xs)...).request(receiver, limit);
#else
  return self->request(receiver, limit, std::forward<Ts>(xs)...);
#endif
}

/// Sends a request without time limit to an actor of this process that never blocks. For answers that must not be lost when they
/// are late, or where a timer for each would cost more than the request. The end of the receiver is an error as usual. Finish it
/// as a `request`.
template <class Sender, class Receiver, class... Ts>
[[nodiscard]] auto request_unlimited(Sender* self, const Receiver& receiver, Ts&&... xs) {
  return request(self, receiver, caf::timespan{caf::infinite}, std::forward<Ts>(xs)...);
}

/// Callback for the end of a watched actor. A member of the watcher's state; one per actor.
class watcher {
public:
  using callback = std::function<void(const caf::error& reason)>;

  template <class Self, class Handle>
  void watch(Self* self, const Handle& handle, callback on_end) {
#if RINGMASTER_CAF1
    subscriptions_.emplace(handle.address(), self->monitor(handle, std::move(on_end)));
#else
    callbacks_[handle.address()] = std::move(on_end);
    self->set_down_handler([this](caf::down_msg& down) {
      if (auto found = callbacks_.find(down.source); found != callbacks_.end()) {
        auto call = std::move(found->second);
        callbacks_.erase(found);
        call(down.reason);
      }
    });
    self->monitor(handle);
#endif
  }

private:
#if RINGMASTER_CAF1
  std::map<caf::actor_addr, caf::disposable> subscriptions_;
#else
  std::map<caf::actor_addr, callback> callbacks_;
#endif
};

} // namespace ringmaster::protocol
