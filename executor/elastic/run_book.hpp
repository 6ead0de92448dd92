#pragma once

// Item runs of this process: admission of grants, orders, inventories (elastic design §3, H1 to H3). Pure.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/stored_rows.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/event_box.hpp"
#include "protocol/elastic_link_messages.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::executor::elastic {

/// Conditions that grants are checked against.
struct admission_state {
  /// Unset: no node has welcomed this process.
  std::optional<core::elastic::host_process> me;
  std::optional<boot_time> lease_from;
  boot_time now{0};
  bool draining = false;
};

/// Decision about the grants of one message.
struct admission {
  /// Null `spec`: no grant was admitted.
  protocol::item_grants admitted;
  /// One `accepted` or `refused` for each grant, without their moment.
  std::vector<protocol::elastic_event> events;
};

/// Names of what this process has for elastic jobs.
struct known_parts {
  std::set<std::string, std::less<>> handlers = {};
  /// In addition to the built-in ones.
  std::set<std::string, std::less<>> pools = {};
  std::set<std::string, std::less<>> error_handlers = {};
  std::set<std::string, std::less<>> listeners = {};
  std::set<std::string, std::less<>> once_listeners = {};
};

/// Runs from their admission until the receipt of their result. Not thread-safe.
class run_book {
public:
  /// Ended runs that are remembered: a grant that comes twice is not run again.
  static constexpr std::size_t recent_max = 20'000;

  run_book(std::size_t capacity, known_parts known) : capacity_{capacity}, known_{std::move(known)} {}

  /// Decides about grants. `spec`: the definition of that version; null: it was not sent.
  admission admit(const protocol::elastic_grants& grants, const std::shared_ptr<const protocol::elastic_spec>& spec,
                  link_number link, const admission_state& state);
  /// Returns true if the epoch is not below the highest of its slot, which it becomes (H1).
  bool take_epoch(std::uint32_t slot, std::int64_t epoch);
  /// Highest epochs, by slot.
  [[nodiscard]] std::vector<core::elastic::slot_lease> epochs() const;

  /// Carries out an order; returns the job whose body it concerns, unset: there is none.
  std::optional<core::elastic::elastic_job_id> take_order(const protocol::elastic_run_order& order, link_number link);
  /// Returns the runs of a slot in parts, also those that were fenced and whose event has no receipt. The last part has `end`.
  [[nodiscard]] std::vector<protocol::elastic_inventory> inventory(std::uint32_t slot, std::int64_t epoch,
                                                                   std::uint64_t question) const;

  /// Takes an event of a job. Returns true if nodes have to know it: not that of a run that is no longer held.
  bool take_event(const protocol::elastic_event& event);
  /// Takes the end of a run's lease. Returns its event `fenced`; unset: the run has ended or is not held.
  std::optional<protocol::elastic_event> fence(core::elastic::item_run_id run);
  /// Frees the slot of a run whose result is stored (H3), or forgets one whose fence is known.
  void take_receipt(core::elastic::item_run_id run, protocol::elastic_event_kind kind);

  /// Runs whose body has not ended, and that are held.
  [[nodiscard]] std::vector<protocol::elastic_held_run> active() const;
  /// Link over which a run's grant or last order came; 0: the run is not held.
  [[nodiscard]] link_number link_of(core::elastic::item_run_id run) const;
  [[nodiscard]] std::int32_t free_slots() const;
  /// Number of bodies that ignored cancel and kill.
  [[nodiscard]] std::int32_t tainted() const { return static_cast<std::int32_t>(killed_.size()); }
  /// Returns true if no run is held and no body is active.
  [[nodiscard]] bool idle() const noexcept { return held_.empty() && strays_.empty(); }

private:
  using item_of_job = std::pair<core::elastic::elastic_job_id, core::elastic::item_number>;
  struct held_run {
    protocol::elastic_held_run facts;
    std::uint32_t slot = 0;
    link_number link = 0;
    /// The body has not ended.
    bool has_body = true;
  };

  [[nodiscard]] protocol::elastic_refusal refusal_of_all(const protocol::elastic_grants& grants,
                                                         const std::shared_ptr<const protocol::elastic_spec>& spec,
                                                         const admission_state& state);
  [[nodiscard]] protocol::elastic_refusal refusal_of_parts(const protocol::elastic_spec& spec) const;
  [[nodiscard]] protocol::elastic_refusal refusal_of(const protocol::elastic_grants& grants, const protocol::elastic_grant& grant,
                                                     const protocol::elastic_spec& spec, const admission_state& state) const;
  [[nodiscard]] bool is_held(const protocol::elastic_grant& grant) const;
  /// Removes a run from the held ones. Its body, if any, keeps a slot until it has ended.
  void let_go(std::map<core::elastic::item_run_id, held_run>::iterator which);
  void remember(core::elastic::item_run_id run, core::elastic::fence_number fence);

  const std::size_t capacity_;
  const known_parts known_;
  /// Calls of once-listeners among the held runs. They take no slot: the items that wait for one may have all.
  std::size_t hooks_ = 0;
  std::map<std::uint32_t, std::int64_t> epochs_;
  std::map<core::elastic::item_run_id, held_run> held_;
  /// Fenced runs whose event has no receipt yet: a run that no inventory names has never begun.
  std::map<core::elastic::item_run_id, held_run> fenced_;
  /// Bodies of runs that are no longer held.
  std::map<core::elastic::item_run_id, item_of_job> strays_;
  /// Items with an active body, of a held or a stray run. An item has one body at a time.
  std::set<item_of_job> busy_;
  /// Active bodies with an order `kill`.
  std::set<core::elastic::item_run_id> killed_;
  std::set<std::pair<core::elastic::item_run_id, core::elastic::fence_number>> recent_;
  std::deque<std::pair<core::elastic::item_run_id, core::elastic::fence_number>> recent_order_;
};

} // namespace ringmaster::executor::elastic
