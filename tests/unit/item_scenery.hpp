#pragma once

// Elastic items in each state, and the surroundings in which a test lets events happen.

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "core/elastic/item_machine.hpp"
#include "tests/unit/elastic_text.hpp"

namespace ringmaster::test::item_table_test {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;
using ringmaster::core::number;
using ringmaster::test::text_of;

inline constexpr steady_time begin{1000h};
inline constexpr auto wall = from_ms(1'000'000);
inline constexpr host_process own{host_number{1}, host_incarnation{7}};
inline constexpr host_process other{host_number{2}, host_incarnation{3}};
inline constexpr item_run_id run{50};
inline constexpr fence_number fence{4};
inline constexpr fire_key fire_1{wall - 10s, run_source::normal, {}};
inline constexpr fire_key fire_2{wall, run_source::normal, {}};
inline constexpr fire_key request_9{wall, run_source::manual, request_id{9}};

inline constexpr std::array all_states{item_state::idle,    item_state::wanted,     item_state::granting,   item_state::sent,
                                       item_state::running, item_state::cancelling, item_state::unreachable};

/// Returns an item in a state, as it comes there: the wait and the grant are those of a takeover of run 50.
[[nodiscard]] inline item in(item_state state) {
  item one;
  one.state = state;
  one.fence = fence;
  one.cause = {run_source::normal, fire_1};
  one.lease = 500ms;
  one.sent_at = begin - 1s;
  if (state == item_state::idle)
    return one;
  one.run = run;
  one.host = own;
  one.wanted_since = begin - 1s;
  one.sent_once = is_open(state) && state != item_state::granting;
  if (state == item_state::wanted || state == item_state::granting) {
    one.cause.source = run_source::failover;
    one.attempt = 2;
  }
  if (state == item_state::running || state == item_state::cancelling)
    one.began = begin - 1s;
  if (state == item_state::cancelling) {
    one.cancel = cancel_reason::asked;
    one.cancel_sent = true;
  }
  return one;
}

/// Surroundings with a job's options and a host for every run, or none.
struct scenery {
  item_rules rules = [] {
    item_rules out;
    out.failover = true;
    return out;
  }();
  std::optional<host_process> host = other;
  bool is_full = false;
  steady_time now = begin;
  host_choice choose = [this](const run_cause&, std::span<const host_process> avoided) {
    return host && is_among(avoided, *host) ? std::nullopt : host;
  };

  item_decision apply(item& one, const item_event& what) {
    return ringmaster::core::elastic::apply(one, what, {now, wall + (now - begin) / 1ms * 1ms, rules, choose, &is_full});
  }
};

/// Applies an event; returns the actions and the next state as text.
inline std::string step(scenery& at, item& one, const item_event& what) {
  const auto decision = at.apply(one, what);
  return text_of(decision) + " >" + text_of(one.state);
}

} // namespace ringmaster::test::item_table_test
