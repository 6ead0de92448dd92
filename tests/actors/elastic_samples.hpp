#pragma once

// One good message of each kind of the elastic part of a native link.

#include <string>
#include <vector>

#include "core/time.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::test {

/// Moment of all samples.
inline constexpr core::time_point sample_time = core::from_ms(1'772'452'800'000);
inline constexpr core::elastic::host_process sample_host{core::elastic::host_number{3}, core::elastic::host_incarnation{5}};

inline protocol::elastic_hello good_hello() {
  protocol::elastic_hello hello;
  hello.process = std::string(32, 'a');
  hello.folder = std::string(32, '0');
  hello.boot = "6f1d1c0e-7a3b-4d0e-8a51-0123456789ab";
  hello.pid = 41;
  hello.pid_namespace = 4'026'531'836;
  hello.start_ticks = 12'345;
  hello.ip = "10.0.0.3";
  hello.labels = "gpu,zone-1";
  hello.capacity = 8;
  hello.handlers = {"settle", "mail"};
  hello.listeners = {"trace"};
  hello.once_listeners = {"audit"};
  hello.cluster = std::string(32, 'c');
  hello.epochs = {{3, 1}, {7, 9}};
  return hello;
}

inline protocol::elastic_heartbeat good_beat(std::uint64_t number = 1) {
  protocol::elastic_heartbeat beat;
  beat.number = number;
  beat.incarnation = sample_host.incarnation;
  beat.wall = sample_time;
  beat.free_slots = 8;
  beat.keeper_no = 2;
  return beat;
}

inline protocol::elastic_event good_event(std::int64_t run) {
  protocol::elastic_event event;
  event.job = core::elastic::elastic_job_id{7};
  event.item = core::elastic::item_number{0};
  event.run = core::elastic::item_run_id{run};
  event.fence = core::elastic::fence_number{4};
  event.kind = protocol::elastic_event_kind::finished;
  event.at = sample_time;
  return event;
}

inline protocol::elastic_events good_events(std::uint64_t batch) { return {batch, {good_event(12)}}; }

inline protocol::elastic_inventory good_inventory(std::uint64_t question = 1) {
  protocol::elastic_inventory part;
  part.question = question;
  part.slot = 7;
  part.epoch = 9;
  part.runs = {{core::elastic::elastic_job_id{7}, core::elastic::item_number{0}, core::elastic::item_run_id{12},
                core::elastic::fence_number{4}, protocol::elastic_phase::running}};
  part.end = true;
  return part;
}

inline protocol::elastic_welcome good_welcome() {
  protocol::elastic_welcome welcome;
  welcome.cluster = std::string(32, 'c');
  welcome.node = "node-1";
  welcome.host = sample_host;
  welcome.keeper_no = 2;
  welcome.death_key = {8, 9};
  return welcome;
}

inline protocol::elastic_spec good_spec() {
  protocol::elastic_spec spec;
  spec.job = core::elastic::elastic_job_id{7};
  spec.version = 1;
  spec.name = "settlement";
  spec.kind = "simple";
  spec.handler = "settle";
  spec.total = 3;
  spec.item_params = "0=a,1=b,2=c";
  return spec;
}

inline protocol::elastic_grants good_grants(std::int64_t run) {
  protocol::elastic_grants grants;
  grants.host = sample_host;
  grants.slot = 7;
  grants.epoch = 9;
  grants.job = core::elastic::elastic_job_id{7};
  grants.version = 1;
  grants.param = "a=1";
  protocol::elastic_grant item;
  item.item = core::elastic::item_number{0};
  item.run = core::elastic::item_run_id{run};
  item.fence = core::elastic::fence_number{4};
  item.fire_at = sample_time;
  grants.items = {item};
  return grants;
}

inline protocol::elastic_orders good_orders() {
  protocol::elastic_orders orders;
  orders.host = sample_host;
  orders.slot = 7;
  orders.epoch = 9;
  orders.orders = {{core::elastic::item_run_id{12}, core::elastic::fence_number{4}, core::elastic::item_order::cancel}};
  return orders;
}

} // namespace ringmaster::test
