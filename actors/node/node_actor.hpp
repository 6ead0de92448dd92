#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/logger.hpp"
#include "actors/node/former_incarnation.hpp"
#include "actors/node/peer_watch.hpp"
#include "actors/store/marks_keeper.hpp"
#include "config/settings.hpp"
#include "core/cluster/clock_trust.hpp"
#include "core/cluster/kept_marks.hpp"
#include "core/cluster/slot_map.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

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
};

struct node_links {
  /// Worker only for the rows of nodes, so that no heartbeat waits for a claim, a page or a sweep; or storage_actor.
  protocol::store_worker store;
  /// Gets the slots.
  protocol::schedule_actor schedule;
  /// Notified in this order: storage_actor before the actors that record under a new incarnation.
  std::vector<protocol::incarnation_listener> lives;
  /// Actors that get the slots, too.
  std::vector<protocol::slot_listener> duties{};
  /// Notified of each node that this one fenced.
  protocol::orphan_listener orphans{};
};

struct node_clocks {
  protocol::wall_clock wall;
  /// CLOCK_BOOTTIME in nanoseconds; it goes on while the machine sleeps.
  std::function<std::int64_t()> boot;
  /// Takes the offset of `wall` from the system at each beat. Off if a test controls the time.
  bool follow_system = true;
  /// The system's wall clock, which `wall` follows while it is trusted. Null: `wall` is always trusted.
  std::function<core::time_point()> system = nullptr;
};

/// Actor for this node's incarnation (firing protocol §9). Invariant: the gate is open, and listeners hold an incarnation, only
/// before t_sent(last confirmed renewal) + L·0.999 − M of CLOCK_BOOTTIME, with t_sent taken before the request. Every observer
/// fences later than that. A lost incarnation never comes back: the node enters again with a new one.
///
/// A node whose wall clock is not trusted (`core::clock_trust`) has no incarnation: it claims and reserves nothing, and the
/// others take its slots. No actor sees that clock: `node_clocks::wall` follows it only while it is trusted. A database that went
/// back in time (restored, rolled back) also ends the incarnation: the next one reads everything again.
class node_actor_state {
public:
  static inline const char* name = "ringmaster.node_actor";

  node_actor_state(protocol::node_actor::pointer self, node_links links, node_identity identity,
                   config::cluster_settings settings, std::shared_ptr<protocol::send_gate> gate, node_clocks clocks, logger log);
  protocol::node_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  /// Rows of the cluster that one request found.
  using node_view = std::optional<core::cluster_view>;
  struct node_entry {
    core::node_incarnation life;
    core::cluster_mode mode = core::cluster_mode::native;
    core::id_verdict ids = core::id_verdict::fine;
  };

  // -- incarnations
  static core::result<node_entry> enter_store(storage::store& store, const node_identity& identity, const std::string& wanted,
                                              core::node_row former, bool fence_first);
  static core::result<core::id_verdict> raise_ids(storage::store& store, const core::kept_marks& marks);
  void enter();
  void find_former();
  void found(core::result<std::vector<core::node_row>>&& rows);
  void begin(core::node_row&& former, bool fence_first);
  void stand_by(const core::node_row& other);
  void enter_later(const core::error& why);
  void tell_of_ids(core::id_verdict ids);
  void entered(std::int64_t sent, core::result<node_entry>&& entry);
  void renew();
  void renewed(std::int64_t sent, const core::node_incarnation& life, core::result<node_view>&& view);
  bool confirm(std::int64_t incarnation, std::int64_t sent);
  void lose(const std::string& why);
  void check_deadline();
  void tell_listeners();

  // -- peers
  void look_around();
  void observe(const core::cluster_view& view, std::int64_t sent);
  void spread_slots();
  void fence_dead();

  // -- clocks (node_clock.cpp)
  [[nodiscard]] bool judges_clock() const noexcept;
  void look_at_clock();
  void hear_clocks(const core::cluster_view& view, std::int64_t sent);
  void hear_nodes(const std::vector<core::node_row>& rows, std::int64_t sent);
  void stop_planning();
  void decline(const core::node_incarnation& life);
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
  void leave(std::optional<core::node_incarnation>&& life);
  void finish_stop(const core::result<void>& outcome);
  void note_failure(const core::error& error);
  void note_success();

  protocol::node_actor::pointer self_;
  node_links links_;
  node_identity identity_;
  config::cluster_settings settings_;
  std::shared_ptr<protocol::send_gate> gate_;
  node_clocks clocks_;
  logger log_;

  caf::telemetry::int_counter* lives_;
  caf::telemetry::int_counter* lost_lives_;
  caf::telemetry::int_counter* fenced_nodes_;
  caf::telemetry::int_gauge* slots_served_;
  caf::telemetry::int_gauge* clock_distrusted_;
  caf::telemetry::int_counter* clock_steps_;
  caf::telemetry::int_counter* went_back_;

  std::optional<core::node_incarnation> life_;
  core::cluster_mode mode_ = core::cluster_mode::native;
  std::int64_t beat_ = 0;
  /// Number of the newest incarnation, also after its end.
  std::int64_t newest_incarnation_ = 0;
  /// Time at which the last confirmed beat was sent, CLOCK_BOOTTIME in nanoseconds.
  std::int64_t renewed_at_ = 0;
  /// Deadline of `life_`, CLOCK_BOOTTIME in nanoseconds.
  std::int64_t deadline_ = 0;
  bool entering_ = false;
  bool renewing_ = false;
  bool looking_ = false;
  std::chrono::milliseconds back_off_{0};
  steady entered_at_{};
  steady next_enter_{};
  steady next_tick_{};
  steady next_beat_{};
  steady next_look_{};

  core::clock_trust trust_;
  /// Beats of the last view, and the time of its request: the clock of a new beat is comparable.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> heard_beats_;
  std::int64_t heard_ns_ = 0;
  /// Newest revision seen in this incarnation.
  std::int64_t seen_revision_ = 0;

  peer_watch peers_;
  former_incarnation former_;
  /// Another process is running with this node's id.
  bool standing_by_ = false;
  std::set<std::string> fencing_;
  std::optional<core::slot_set> slots_;

  /// Last error of the store; empty while it answers.
  std::string store_trouble_;
  bool stopping_ = false;
  bool left_ = false;
  std::vector<caf::typed_response_promise<void>> stop_waiters_;
};

} // namespace ringmaster::actors
