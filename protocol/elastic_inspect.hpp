#pragma once

// Serialisation of the messages of elastic jobs over a native link. Included by meta_objects.cpp only: no other file serialises.

#include "protocol/elastic_link_messages.hpp"
#include "protocol/inspect.hpp"

namespace ringmaster::protocol {

/// Serialises a duration as milliseconds.
template <class Inspector>
auto as_duration(Inspector& f, caf::string_view name, core::milliseconds& time) {
  return f.field(
    name, [&time] { return std::int64_t{time.count()}; },
    [&time](std::int64_t value) {
      time = core::milliseconds{value};
      return true;
    });
}

} // namespace ringmaster::protocol

namespace ringmaster::core::elastic {

template <class Inspector>
bool inspect(Inspector& f, host_process& x) {
  using protocol::as_number;
  return f.object(x).fields(as_number(f, "host", x.host), as_number(f, "incarnation", x.incarnation));
}

template <class Inspector>
bool inspect(Inspector& f, slot_lease& x) {
  return f.object(x).fields(f.field("slot", x.slot), f.field("epoch", x.epoch));
}

} // namespace ringmaster::core::elastic

namespace ringmaster::protocol {

template <class Inspector>
bool inspect(Inspector& f, elastic_hello& x) {
  return f.object(x).fields(f.field("process", x.process), f.field("folder", x.folder), f.field("boot", x.boot),
                            f.field("pid", x.pid), f.field("pid_namespace", x.pid_namespace),
                            f.field("start_ticks", x.start_ticks), f.field("ip", x.ip), f.field("labels", x.labels),
                            f.field("capacity", x.capacity), f.field("handlers", x.handlers),
                            f.field("listeners", x.listeners), f.field("once_listeners", x.once_listeners),
                            f.field("cluster", x.cluster), f.field("epochs", x.epochs), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_heartbeat& x) {
  return f.object(x).fields(f.field("number", x.number), as_number(f, "incarnation", x.incarnation), as_ms(f, "wall", x.wall),
                            f.field("free_slots", x.free_slots), f.field("tainted", x.tainted),
                            f.field("keeper_no", x.keeper_no), f.field("asks_keeper", x.asks_keeper), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_event& x) {
  return f.object(x).fields(as_number(f, "job", x.job), as_number(f, "item", x.item), as_number(f, "run", x.run),
                            as_number(f, "fence", x.fence), as_number(f, "kind", x.kind), as_number(f, "refusal", x.refusal),
                            as_number(f, "outcome", x.outcome), as_ms(f, "at", x.at), f.field("text", x.text),
                            f.field("cursor", x.cursor), f.field("cursor_number", x.cursor_number),
                            f.field("child_pid", x.child_pid));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_events& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("events", x.events), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_held_run& x) {
  return f.object(x).fields(as_number(f, "job", x.job), as_number(f, "item", x.item), as_number(f, "run", x.run),
                            as_number(f, "fence", x.fence), as_number(f, "phase", x.phase));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_inventory& x) {
  return f.object(x).fields(f.field("question", x.question), f.field("slot", x.slot), f.field("epoch", x.epoch),
                            f.field("runs", x.runs), f.field("end", x.end), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_limits& x) {
  return f.object(x).fields(as_duration(f, "heartbeat", x.heartbeat), as_duration(f, "keeper_lost_after", x.keeper_lost_after));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_welcome& x) {
  return f.object(x).fields(as_number(f, "verdict", x.verdict), f.field("cluster", x.cluster), f.field("node", x.node),
                            f.field("host", x.host), f.field("limits", x.limits), f.field("keeper_no", x.keeper_no),
                            f.field("death_key", x.death_key), f.field("reason", x.reason), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_ack& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("keeper_no", x.keeper_no), f.field("leave", x.leave),
                            f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_spec& x) {
  return f.object(x).fields(as_number(f, "job", x.job), f.field("version", x.version), f.field("name_space", x.name_space),
                            f.field("name", x.name), f.field("kind", x.kind), f.field("handler", x.handler),
                            f.field("total", x.total), f.field("item_params", x.item_params), f.field("pool", x.pool),
                            f.field("error_handler", x.error_handler), f.field("listeners", x.listeners),
                            f.field("once_listeners", x.once_listeners), f.field("streaming", x.streaming),
                            f.field("props", x.props));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_specs& x) {
  return f.object(x).fields(f.field("specs", x.specs), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_grant& x) {
  return f.object(x).fields(as_number(f, "item", x.item), as_number(f, "run", x.run), as_number(f, "fence", x.fence),
                            as_number(f, "source", x.source), f.field("attempt", x.attempt), as_ms(f, "fire_at", x.fire_at),
                            as_number(f, "fire_source", x.fire_source), as_number(f, "request", x.request),
                            as_duration(f, "lease", x.lease), f.field("cursor", x.cursor), f.field("hold", x.hold));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_grants& x) {
  return f.object(x).fields(f.field("host", x.host), f.field("slot", x.slot), f.field("epoch", x.epoch),
                            as_number(f, "job", x.job), f.field("version", x.version), f.field("param", x.param),
                            f.field("items", x.items), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_run_order& x) {
  return f.object(x).fields(as_number(f, "run", x.run), as_number(f, "fence", x.fence), as_number(f, "order", x.order));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_orders& x) {
  return f.object(x).fields(f.field("host", x.host), f.field("slot", x.slot), f.field("epoch", x.epoch),
                            f.field("orders", x.orders), f.field("inventory", x.inventory), f.field("key", x.key));
}

template <class Inspector>
bool inspect(Inspector& f, elastic_receipt& x) {
  return f.object(x).fields(f.field("batch", x.batch), f.field("stored", x.stored), f.field("key", x.key));
}

} // namespace ringmaster::protocol
