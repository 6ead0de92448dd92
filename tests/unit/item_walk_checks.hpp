#pragma once

// Rules for each transition of one elastic item.

#include <variant>

#include "core/elastic/item_machine.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test::item_walks_test {

using namespace ringmaster::core::elastic;

/// Checks one transition of an item.
inline void check_transition(const item& before, const item& after, const item_event& what, const item_decision& decision,
                             const item_rules& rules, steady_time now) {
  bool compensated = false, told = false;
  for (const auto& each : decision.actions) {
    const item_grant* grant = nullptr;
    if (const auto* of = std::get_if<action::write_grant>(&each))
      grant = &of->grant;
    else if (const auto* of_end = std::get_if<action::write_end>(&each); of_end && of_end->next.grant)
      grant = &*of_end->next.grant;
    else if (const auto* of_loss = std::get_if<action::write_loss>(&each); of_loss && of_loss->next.grant)
      grant = &*of_loss->next.grant;
    else if (const auto* of_wait = std::get_if<action::write_wait_end>(&each); of_wait && of_wait->next.grant)
      grant = &*of_wait->next.grant;
    compensated = compensated || (grant && grant->cause.source == run_source::misfire);
    if (const auto* miss = std::get_if<action::write_miss>(&each))
      told = told || miss->change > miss_change::merged;
  }
  // No missed fire is forgotten. It is not missed if its run, whose loss the store has refused, is open.
  const auto* read = std::get_if<event::row_read>(&what);
  const bool is_served = read != nullptr && read->row.state == stored_item_state::open && !read->row.missed
                         && read->row.cause.fire == before.missed_fire;
  if (before.missed && !after.missed && !is_served)
    REQUIRE((compensated || told));
  const auto* fire = std::get_if<event::fired>(&what);
  const bool runs_for_it = fire != nullptr && is_open(before.state) && before.cause.fire.at == fire->key.at;
  if (fire != nullptr && !runs_for_it && !after.disabled && rules.misfire)
    REQUIRE((after.missed || (before.state == item_state::idle && after.state == item_state::granting)));
  if (after.state == item_state::idle) {
    REQUIRE_FALSE(after.missed);
    REQUIRE(after.queue.empty());
  }
  REQUIRE(after.queue.size() <= item_queue_max);
  // A deadline that has passed does not stay.
  if (std::holds_alternative<event::time_passed>(what))
    REQUIRE((!due_at(after) || *due_at(after) > now));
}

} // namespace ringmaster::test::item_walks_test
