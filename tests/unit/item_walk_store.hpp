#pragma once

// The store of a random walk of one elastic item.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "core/elastic/item_machine.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/elastic_text.hpp"

namespace ringmaster::test::item_walks_test {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;
using ringmaster::core::milliseconds;
using ringmaster::core::number;
using ringmaster::test::text_of;

inline constexpr auto wall_begin = from_ms(1'700'000'000'000);
inline constexpr steady_time walk_begin{1000h};

using walk_identity = std::pair<std::int32_t, std::int64_t>;
using walk_identities = std::set<walk_identity>;

[[nodiscard]] inline walk_identity identity_of(const host_process& which) {
  return {number(which.host), number(which.incarnation)};
}

/// The rows of the item, with the conditions of the writes (design §2). It asserts I1 and I2.
class walk_store {
public:
  stored_item row;

  /// Returns the answer to the item, if the write has one.
  std::optional<item_event> apply(const item_action& what, const walk_identities& live) {
    if (const auto* grant = std::get_if<action::write_grant>(&what))
      return store(grant->grant, live);
    if (const auto* miss = std::get_if<action::write_miss>(&what)) {
      row.missed = miss->change == miss_change::marked || (row.missed && miss->change == miss_change::merged);
      if (miss->wanted && row.state == stored_item_state::idle) {
        row.state = stored_item_state::wanted;
        row.run = {};
        row.cause = {run_source::misfire, miss->fire};
      }
    } else if (const auto* end = std::get_if<action::write_end>(&what)) {
      return close(end->run, end->fence, end->next, live);
    } else if (const auto* loss = std::get_if<action::write_loss>(&what)) {
      if (loss->proof == loss_proof::lease_over && !is_silent(row.host) && live.contains(identity_of(row.host)))
        return event::guard_lost{};
      return close(loss->run, loss->fence, loss->next, live);
    } else if (const auto* wait = std::get_if<action::write_wait_end>(&what)) {
      if (row.state == stored_item_state::open || row.fence != wait->fence)
        return event::guard_lost{};
      return follow(wait->next, live);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_silent(const host_process& which) const { return silent.contains(identity_of(which)); }
  /// Verdicts that no return has ended.
  walk_identities silent;
  std::map<std::int64_t, int> runs_of_request;

private:
  std::optional<item_event> store(const item_grant& grant, const walk_identities& live) {
    if (row.fence != grant.fence || row.state == stored_item_state::open || row.disabled
        || !live.contains(identity_of(grant.host)))
      return event::guard_lost{};
    REQUIRE(open_.empty()); // I1
    row.state = stored_item_state::open;
    row.fence = next_fence(row.fence);
    row.run = item_run_id{++run_};
    row.host = grant.host;
    row.attempt = grant.attempt;
    row.cause = grant.cause;
    row.lease = grant.lease;
    if (grant.cause.source == run_source::misfire)
      row.missed = false;
    if (grant.cause.source == run_source::manual)
      ++runs_of_request[number(grant.cause.fire.request)];
    open_.insert(run_);
    return event::grant_stored{row.run};
  }

  std::optional<item_event> close(item_run_id run, fence_number fence, const item_next& next,
                                  const walk_identities& live) {
    REQUIRE(open_.erase(number(run)) == 1); // I2: a closed run stays closed
    REQUIRE(row.run == run);
    REQUIRE(row.fence == fence);
    return follow(next, live);
  }

  std::optional<item_event> follow(const item_next& next, const walk_identities& live) {
    row.state = next.state;
    row.run = next.kept_run;
    row.attempt = next.attempt;
    if (!next.grant)
      return std::nullopt;
    if (row.state == stored_item_state::wanted)
      row.cause = next.grant->cause;
    return store(*next.grant, live);
  }

  std::set<std::int64_t> open_;
  std::int64_t run_ = 0;
};

} // namespace ringmaster::test::item_walks_test
