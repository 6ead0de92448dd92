#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/logger.hpp"
#include "actors/node/incarnations.hpp"
#include "actors/node/node_lease.hpp"
#include "actors/node/node_metrics.hpp"
#include "actors/node/node_plans.hpp"
#include "actors/node/orderly_stop.hpp"
#include "actors/node/peer_watch.hpp"
#include "actors/node/slot_service.hpp"
#include "actors/node/slot_share.hpp"
#include "actors/node/store_trouble.hpp"
#include "actors/node/trusted_clock.hpp"
#include "actors/store/marks_keeper.hpp"
#include "config/settings.hpp"
#include "core/cluster/kept_marks.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct node_identity {
  /// Key in `rm_node`.
  std::string id;
  /// Address at which users find the node; for display.
  std::string address;
  /// Identity of this process among those of all machines, by a resource that only one process can hold at a time. If the row of
  /// an earlier incarnation has the same identity, the process of that incarnation is gone. Empty: unknown.
  std::string process{};
  /// No other process uses this database, so no other process runs with this id.
  bool sole = false;
  /// Marks that the node keeps outside of the database. Null: none.
  std::shared_ptr<marks_keeper> marks = nullptr;
  /// Marks of the run ids of elastic jobs. Null: none.
  std::shared_ptr<marks_keeper> elastic_marks = nullptr;
};

struct node_links {
  /// Worker only for the rows of nodes, so that no heartbeat waits for a claim, a page or a sweep; or storage_actor.
  protocol::store_worker store;
  /// Gets the slots.
  protocol::schedule_actor schedule;
  /// Notified in this order: storage_actor before the actors that record under a new incarnation.
  std::vector<protocol::incarnation_listener> listeners;
  /// Actors that get the slots, too.
  std::vector<protocol::slot_listener> duties{};
  /// Notified of each node that this one fenced.
  protocol::orphan_listener orphans{};
};

/// Actor for this node's incarnation (firing protocol §9). Invariant: listeners hold an incarnation only before the deadline of
/// `node_lease`. A lost incarnation never comes back: the node enters again with a new one. The actor asks the store, notifies
/// the listeners, and coordinates its members, which decide.
///
/// A node whose wall clock is not trusted (`trusted_clock`) has no incarnation: it claims and reserves nothing, and the others
/// take its slots. A database that went back in time (restored, rolled back) also ends the incarnation: the next one reads
/// everything again.
class node_actor_state {
public:
  static inline const char* name = "ringmaster.node_actor";

  node_actor_state(protocol::node_actor::pointer self, node_links links, node_identity identity,
                   config::cluster_settings settings, std::shared_ptr<protocol::send_gate> gate, node_clocks clocks, logger log);
  protocol::node_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  /// Time for connecting, a statement and one retry.
  static constexpr std::chrono::milliseconds enter_patience{10'000};

  /// Rows of the cluster that one request found.
  using node_view = std::optional<core::cluster_view>;
  struct node_entry {
    core::node_incarnation incarnation;
    core::cluster_mode mode = core::cluster_mode::native;
    core::id_verdict ids = core::id_verdict::fine;
    core::id_verdict elastic_ids = core::id_verdict::fine;
    /// Reason why the run ids of elastic jobs were not checked; empty: they were.
    std::string elastic_trouble = {};
    /// As in `core::node_row`.
    bool serves = true;
  };

  // -- entry (node_entry.cpp)
  /// Settings of an entry.
  struct entry_request {
    node_identity identity;
    /// `cluster.mode` as configured.
    std::string mode;
    core::node_row former;
    /// The incarnation of `former` is silent and must be ended first.
    bool fence_first = false;
    /// As in `core::node_row`.
    bool serves = true;
    /// Time of the entry by this node's clock.
    core::time_point now;
  };
  static core::result<node_entry> enter_store(storage::store& store, entry_request asked);
  /// Comparison of the database's next run id with the marks of this node.
  struct raised_ids {
    core::id_verdict verdict = core::id_verdict::fine;
    std::optional<core::set_back> back;
  };
  /// `raise(marks)` lets new ids start above the ceiling, and returns the id that would have been next.
  template <class Raise>
  static core::result<raised_ids> raise_ids(const std::shared_ptr<marks_keeper>& keeper, core::time_point now, Raise raise);
  void enter();
  void find_former();
  void found(core::result<std::vector<core::node_row>>&& rows);
  void enter_after(core::node_row&& former, bool fence_first, bool serves);
  void stand_by(const core::node_row& other);
  void enter_later(const core::error& why);
  void tell_of_ids(core::id_verdict ids, const std::shared_ptr<marks_keeper>& keeper, std::string_view of);
  void entered(std::int64_t sent, core::result<node_entry>&& entry);
  void begin_incarnation(node_entry&& entry);

  // -- incarnations
  void renew();
  void renewed(std::int64_t sent, const core::node_incarnation& incarnation, core::result<node_view>&& view);
  void lose(const std::string& why);
  void check_deadline();
  void tell_listeners();

  // -- peers
  void look_around();
  void observe(const core::cluster_view& view, std::int64_t sent);
  void fence_dead();

  // -- slots (node_slots.cpp)
  [[nodiscard]] std::vector<std::string> serving_nodes() const;
  void spread_slots();
  void share_slots();
  void join();
  void begin_service();
  caf::result<bool> hand_over();
  void withdraw(slot_service::waiter caller);
  void end_hand_over();
  /// Enters the number of slots of each node.
  void count_slots(std::vector<core::seen_node>& all) const;

  // -- clocks (node_clock.cpp)
  void look_at_clock();
  void hear_clocks(const core::cluster_view& view, std::int64_t sent);
  void stop_planning();
  void decline(const core::node_incarnation& incarnation);
  void ask_clocks();
  void heard_clocks(std::int64_t sent, core::result<core::cluster_view>&& view);
  void went_back(const std::string& why);

  // -- messages
  void tick();
  void arm();
  [[nodiscard]] protocol::node_status status() const;
  [[nodiscard]] protocol::node_list nodes() const;
  [[nodiscard]] core::seen_node oneself() const;
  caf::result<void> stop();
  void leave(std::optional<core::node_incarnation>&& incarnation);
  void end_stop(const core::result<void>& outcome);

  protocol::node_actor::pointer self_;
  node_links links_;
  node_identity identity_;
  config::cluster_settings settings_;
  logger log_;
  node_metrics metrics_;
  trusted_clock clock_;
  node_lease lease_;
  own_incarnation incarnation_;
  heartbeat_plan beats_;
  entry_plan entry_;
  former_incarnation former_;
  peer_watch peers_;
  slot_share slots_;
  slot_service service_;
  store_trouble store_trouble_;
  orderly_stop stop_;
  steady next_tick_{};
  /// When this actor began.
  core::time_point started_{};
};

} // namespace ringmaster::actors
