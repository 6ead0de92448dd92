// Items from their rows, and their deadlines.

#include <algorithm>
#include <utility>

#include "core/elastic/item_step.hpp"

namespace ringmaster::core::elastic {

void item_step::adopt(const stored_item& row) {
  const auto before = std::exchange(one_, restore(row, scene_));
  one_.queue = before.queue;
  one_.writes = before.writes;
  const bool was_new = before.state == item_state::granting && number(before.run) == 0;
  if (was_new && before.cause.source == run_source::manual)
    one_.queue.insert(one_.queue.begin(), {before.cause.fire, before.request_until});
  // A loss that the store refused made the fire of the run owed again, but the run is open.
  const auto is_served = [&](const fire_key& fire) { return is_open(one_.state) && one_.cause.fire == fire; };
  // The row of an open run does not name the fire of its mark. It is known here, also if the write that the store refused was to
  // drop it.
  const bool is_marked = before.missed || (one_.missed && is_open(one_.state));
  if (is_marked && !is_served(before.missed_fire)) {
    one_.missed = true;
    one_.missed_fire = before.missed_fire;
  }
  if (was_new && before.cause.source != run_source::manual && !is_served(before.cause.fire))
    miss(before.cause.fire);
  if (is_open(one_.state))
    return add(action::ask_inventory{one_.host});
  if (one_.state == item_state::wanted) {
    if (auto grant = grant_wanted())
      add(action::write_grant{std::move(*grant)});
    return;
  }
  if (auto after = next(); after.grant)
    add(action::write_grant{std::move(*after.grant)});
  else if (after.state == stored_item_state::wanted)
    add(action::write_wait_end{one_.fence, std::move(after)});
  end_surplus();
}

item restore(const stored_item& row, const item_scene& scene) {
  item one;
  one.fence = row.fence;
  one.run = row.run;
  one.host = row.host;
  one.attempt = row.attempt;
  one.missed = row.missed;
  one.disabled = row.disabled;
  one.surplus = row.surplus;
  one.lease = row.lease;
  one.cause = row.cause;
  one.missed_fire = row.cause.fire;
  one.sent_at = row.granted_at;
  if (row.state == stored_item_state::open) {
    one.state = item_state::unreachable;
    one.sent_once = true;
    return one;
  }
  if (row.state == stored_item_state::idle && !row.missed) {
    one.run = item_run_id{};
    return one;
  }
  item_decision none;
  item_step step{one, scene, none};
  if (row.state == stored_item_state::idle || number(row.run) == 0) {
    one.missed = true;
    one.run = item_run_id{};
    step.begin_wait({run_source::misfire, row.cause.fire}, 1);
  } else {
    step.begin_wait(row.cause, row.attempt);
  }
  return one;
}

std::optional<steady_time> due_at(const item& one) {
  if (one.state == item_state::granting)
    return std::nullopt;
  std::optional<steady_time> earliest = one.due;
  const auto add = [&](steady_time at) { earliest = earliest ? std::min(*earliest, at) : at; };
  for (const auto& each : one.queue)
    add(each.keep_until);
  // A hook that hosts have refused is idle, and is tried again.
  if (!one.avoided.empty() && (one.state == item_state::wanted || one.state == item_state::idle))
    add(one.avoided_until);
  if (one.state == item_state::wanted && !one.alarmed)
    add(one.wanted_since + unowned_after);
  return earliest;
}

} // namespace ringmaster::core::elastic
