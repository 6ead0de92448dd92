#pragma once

#include <utility>

#include "protocol/caf.hpp"
#include "protocol/elastic_link_messages.hpp"
#include "protocol/link_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Actor through which an executor reaches its link on a node. Passes on messages that show its key. It has no state: a peer may
/// end it (CAF allows that), which ends the link.
class native_gate_state {
public:
  static inline const char* name = "ringmaster.link_gate";

  native_gate_state(protocol::elastic_link_gate::pointer self, protocol::native_link link, protocol::link_key key)
    : self_{self}, link_{std::move(link)}, key_{key} {
    self_->set_default_handler(caf::drop);
  }

  protocol::elastic_link_gate::behavior_type make_behavior() {
    return {
      [this](protocol::link_verdicts& batch) { pass(std::move(batch)); },
      [this](protocol::link_answer& answer) { pass(std::move(answer)); },
      [this](protocol::link_reports& batch) { pass(std::move(batch)); },
      [this](protocol::link_goodbye goodbye) { pass(std::move(goodbye)); },
      [this](protocol::elastic_hello& hello) { pass(std::move(hello)); },
      [this](protocol::elastic_heartbeat& beat) { pass(std::move(beat)); },
      [this](protocol::elastic_events& batch) { pass(std::move(batch)); },
      [this](protocol::elastic_inventory& part) { pass(std::move(part)); },
    };
  }

private:
  template <class Message>
  void pass(Message&& message) {
    if (message.key == key_)
      protocol::send(self_, link_, std::forward<Message>(message));
  }

  protocol::elastic_link_gate::pointer self_;
  protocol::native_link link_;
  protocol::link_key key_;
};

/// Actor that a node publishes for native links.
class link_door_state {
public:
  static inline const char* name = "ringmaster.link_door";

  link_door_state(protocol::link_door::pointer self, protocol::native_links links) : self_{self}, links_{std::move(links)} {
    self_->set_default_handler(caf::drop);
  }

  protocol::link_door::behavior_type make_behavior() {
    return {
      [this](protocol::link_hello& hello) { protocol::send(self_, links_, std::move(hello)); },
      [this](protocol::link_proof& proof) { protocol::send(self_, links_, std::move(proof)); },
    };
  }

private:
  protocol::link_door::pointer self_;
  protocol::native_links links_;
};

} // namespace ringmaster::actors
