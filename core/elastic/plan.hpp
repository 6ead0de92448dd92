#pragma once

// Plan of an elastic job: which host runs each of its items (EJ §21.4, invariant I5).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/host.hpp"
#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Maximum number of items of a job.
inline constexpr std::int32_t items_max = 100'000;

/// Reason why an item has no host. `to_string` gives the words that are stored.
enum class gap_reason : std::uint8_t {
  /// The item has a host.
  none,
  /// No host is up and linked to the node.
  no_host,
  /// All hosts are about to leave.
  draining,
  /// The clocks of all hosts differ too much.
  clock,
  /// No host knows the handler of the job.
  no_handler,
  /// No host knows all listeners of the job.
  no_listener,
  /// No host has the labels that the job demands.
  no_label,
  /// Operators disabled all hosts for this job.
  disabled,
  /// Static sharding: the host to which the item belongs cannot run it now.
  owner_absent,
  /// The strategy left the item out on purpose.
  left_out,
};

/// Returns the stored word of a reason, e.g. `no_host`; empty for `none`.
[[nodiscard]] std::string_view to_string(gap_reason reason) noexcept;

/// Owner of an item: a host, or a reason why there is none.
struct item_owner {
  /// `no_host` if the item is unassigned.
  host_number host = no_host;
  /// `none` exactly if the item has a host.
  gap_reason reason = gap_reason::none;
  /// Static sharding: the host to which the item belongs, if that is not `host`. Set with the reason `owner_absent`, and for an
  /// item that another host borrows. Otherwise `no_host`.
  host_number home = no_host;

  [[nodiscard]] bool is_assigned() const noexcept { return host != no_host; }
  friend auto operator<=>(const item_owner&, const item_owner&) = default;
};

/// Successive items, both ends included.
struct item_range {
  std::int32_t first = 0;
  std::int32_t last = 0;
  friend bool operator==(const item_range&, const item_range&) = default;
};

/// Items of one owner, in any order.
struct item_share {
  item_owner owner;
  std::vector<item_range> items;
};

/// A range of items with one owner.
struct planned_range {
  item_range items;
  item_owner owner;
  friend bool operator==(const planned_range&, const planned_range&) = default;
};

/// A plan: each item from 0 to `total` - 1 has exactly one owner. Immutable; readable from all threads. Memory grows with the
/// number of ranges, not of items. Equal assignments are equal plans.
class item_plan {
public:
  /// Creates a plan from shares. Owners may occur in several shares.
  /// Errors: `invalid_argument` for a `total` outside 1 to `items_max`, an invalid owner or range, an item that is assigned
  /// twice, and an item without owner; `too_large` for more than `hosts_max` hosts.
  [[nodiscard]] static result<item_plan> make(std::int32_t total, const std::vector<item_share>& shares);

  /// Parses the text of `encode` for this number of items. All texts that `encode` does not produce are errors
  /// (`invalid_argument`, with the position in bytes from 1, or as in `make`).
  [[nodiscard]] static result<item_plan> decode(std::int32_t total, std::string_view text);

  /// Returns the text of `ej_plan.assignment`: one part per owner, by ascending host, then the unassigned items, e.g.
  /// `3:0-4,9;7:5-8;-:10 no_host`. The home of an item follows after `@`: `-:10 owner_absent@3`, or `7:5 borrowed@3`.
  [[nodiscard]] std::string encode() const;

  [[nodiscard]] std::int32_t total() const noexcept { return total_; }
  /// Returns the owner of an item. An item outside of the plan has the reason `left_out`.
  [[nodiscard]] item_owner owner_of(std::int32_t item) const noexcept;
  /// Returns all items by ascending number; neighbours have different owners.
  [[nodiscard]] const std::vector<planned_range>& ranges() const noexcept { return ranges_; }
  /// Returns the shares by ascending owner, ranges ascending; unassigned items are last.
  [[nodiscard]] std::vector<item_share> shares() const;
  /// Counts the items of a host.
  [[nodiscard]] std::int32_t count_of(host_number which) const noexcept;
  /// Counts the items without a host.
  [[nodiscard]] std::int32_t unassigned_count() const noexcept { return count_of(no_host); }

  friend bool operator==(const item_plan&, const item_plan&) = default;

private:
  item_plan() = default;

  std::int32_t total_ = 0;
  std::vector<planned_range> ranges_;
};

/// Returns `invalid_argument` unless a job may have this number of items: 1 to `items_max`.
[[nodiscard]] result<void> check_total(std::int32_t total);

} // namespace ringmaster::core::elastic
