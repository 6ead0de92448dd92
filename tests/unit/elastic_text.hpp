#pragma once

// Short texts of the decisions of elastic state machines, so that tables of them can be read.

#include <string>
#include <variant>

#include "core/elastic/item_machine.hpp"

namespace ringmaster::test {

/// Returns the letter of the state in elastic design §4: I, W, G, S, R, C or U.
inline std::string text_of(core::elastic::item_state state) { return {"IWGSRCU"[static_cast<int>(state)]}; }

/// Returns "+N", "+M", "+F", "+R" (manual) for a grant in the same write, "+W" for a wait, "" for an idle item.
inline std::string text_of(const core::elastic::item_next& next) {
  if (next.grant)
    return std::string{"+"} + "NMFR"[static_cast<int>(next.grant->cause.source)];
  return next.state == core::elastic::stored_item_state::wanted ? "+W" : "";
}

/// Texts of actions.
struct action_text {
  std::string operator()(const core::elastic::action::write_grant& what) const {
    return std::string{"E5"} + "NMFR"[static_cast<int>(what.grant.cause.source)];
  }
  std::string operator()(const core::elastic::action::write_miss& what) const {
    constexpr const char* names[] = {"marked", "merged", "dropped", "cleared", "expired", "disabled", "cancelled"};
    return std::string{"m:"} + names[static_cast<int>(what.change)] + (what.wanted ? "+W" : "");
  }
  std::string operator()(const core::elastic::action::write_end& what) const {
    constexpr const char* names[] = {"", "", "ok", "error", "lost", "killed", "failed"};
    return std::string{"E6:"} + names[static_cast<int>(what.end)] + text_of(what.next);
  }
  std::string operator()(const core::elastic::action::write_loss& what) const {
    return std::string{what.end == core::elastic::item_run_end::lost ? "E9" : "E9:failed"} + text_of(what.next);
  }
  std::string operator()(const core::elastic::action::write_wait_end& what) const { return "E9w" + text_of(what.next); }
  std::string operator()(const core::elastic::action::delete_item&) const { return "delete"; }
  std::string operator()(const core::elastic::action::send_grant&) const { return "grant"; }
  std::string operator()(const core::elastic::action::send_order& what) const {
    constexpr const char* names[] = {"go", "cancel", "kill", "drain", "close"};
    return names[static_cast<int>(what.order)];
  }
  std::string operator()(const core::elastic::action::ask_inventory&) const { return "ask"; }
  std::string operator()(const core::elastic::action::count_gone&) const { return "GONE"; }
  std::string operator()(const core::elastic::action::drop_request& what) const {
    constexpr const char* names[] = {"busy", "coalesced", "full", "expired", "disabled", "cancelled"};
    return std::string{"drop:"} + names[static_cast<int>(what.why)];
  }
  std::string operator()(const core::elastic::action::raise_alarm&) const { return "alarm"; }
  std::string operator()(const core::elastic::action::taint_host&) const { return "taint"; }
  std::string operator()(const core::elastic::action::reread_item&) const { return "reread"; }
  std::string operator()(const core::elastic::action::forget_item&) const { return "forget"; }
  std::string operator()(const core::elastic::action::stop_coordinating&) const { return "stop"; }
};

/// Returns the actions with blanks between them; "-" for an event that cannot happen, "stale" for a stale one.
inline std::string text_of(const core::elastic::item_decision& decision) {
  using kind = core::elastic::item_decision::kind;
  if (decision.outcome != kind::taken)
    return decision.outcome == kind::stale ? "stale" : "-";
  std::string out;
  for (const auto& each : decision.actions)
    out += (out.empty() ? "" : " ") + std::visit(action_text{}, each);
  return out;
}

} // namespace ringmaster::test
