#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actors/executors/observed_clock.hpp"
#include "core/access/principal.hpp"
#include "core/job/executor.hpp"
#include "core/job/group.hpp"
#include "core/page.hpp"
#include "core/time.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Registrations of one node: the beats of its own executors joined with the stored rows, the changes that the store does not
/// have yet, and the view that routing uses. Pure state of one actor.
///
/// Rules of liveness (docs/registry.md). Ages are taken from the steady clock, so that no step of a civil clock, on this or
/// another node, ends or prolongs a registration:
/// - an executor that beats here lives for `dead_after` from its last beat. Time in which this node did not run counts only up to
///   a third of `dead_after` for each pause, because no beat could be received;
/// - a row lives while other nodes change its time: until reads have shown the same time for `dead_after`. A time is only
///   compared with the earlier time of the same row. This node's own writes do not count as changes. Between two reads at most a
///   third of `dead_after` counts, because no node could write while the store was away;
/// - a row that appears after the first read is new and alive;
/// - at the first read nothing is known of the past, and executors could not beat while the cluster was off. A row lives from
///   there on if it was alive when the table was last written (its time is within `dead_after` of the newest one). It also lives
///   if it is alive by this node's civil clock, in case the newest time was written by a clock that was ahead;
/// - a row that is missing at a read was removed by a peer, unless its executor has beaten here since the row was last known to
///   exist;
/// - dead rows are deleted one by one, each only while it still has the time by which it was judged, and none before reads have
///   gone on for `dead_after`: a node with a wrong view never deletes what other nodes know better.
///
/// Rows are written with civil times, because the Java admins read them so.
///
/// Two apps may claim one address (`protocol::address_key`). A registration that was made with a group's token alone counts only
/// while no other group has the address. A claim made with the common token and a list that users entered take precedence;
/// otherwise the first row does.
class registry_table {
public:
  /// Maximum of registrations, and of removals not yet written; beyond it new ones are ignored.
  static constexpr std::size_t registrations_max = 100'000;
  /// Maximum for one app whose executors show its group's token; all such apps together may fill three quarters of the table.
  static constexpr std::size_t group_registrations_max = registrations_max / 4;
  /// Executors that have gone: their number, and the time for which they are remembered.
  static constexpr std::size_t departed_max = 1'000;
  static constexpr std::chrono::hours departed_for{1};
  /// Dead rows deleted by one write.
  static constexpr std::size_t deletions_max = 500;

  /// The only registry group whose addresses are routed to (XXL wire §1.6).
  static constexpr auto routed_group = "EXECUTOR";

  using steady = observed_clock::steady;
  /// One instant by both clocks: the steady one, which measures ages, and the civil one, which the store knows.
  struct moment {
    steady when{};
    core::time_point civil{};
  };

  registry_table(core::milliseconds dead_after, steady start);

  /// Records a beat. Returns false if the table, or the share of one group's token, is full and the registration was ignored.
  bool beat(const protocol::registry_beat& beat, moment now);
  /// Returns true if the address has a live registration.
  [[nodiscard]] bool has(const protocol::registry_beat& beat) const {
    return entries_.contains(key{beat.registry_group, beat.app_name, beat.address});
  }
  /// Returns false before groups and registrations were read for the first time.
  [[nodiscard]] bool has_read() const noexcept { return read_.has_value(); }
  /// Returns the executors of the groups that the principal may see, also some that have gone (`registry_list.cpp`).
  [[nodiscard]] core::page<core::known_executor> executors(const core::executor_search& search, const core::principal& by) const;
  /// Counts the same executors by group. A group without executors has no row.
  [[nodiscard]] std::vector<core::executor_count> counts(const core::principal& by) const;
  /// Adds up `counts(by)`; for administrators it also counts the registrations that no group has.
  [[nodiscard]] core::executor_totals totals(const std::vector<core::executor_count>& counts, const core::principal& by) const;
  /// Returns the live registrations whose app name no group has. Their group is 0.
  [[nodiscard]] core::page<core::known_executor> without_group(const core::page_window& window) const;
  /// Returns the app that keeps this address from `app_name`, whose executor shows its group's token; empty: none does.
  [[nodiscard]] std::string rival_of(const std::string& app_name, const std::string& address) const;
  /// Returns the registrations that lost their address to another app since the last call, and that app.
  [[nodiscard]] std::vector<std::pair<protocol::app_address, std::string>> take_displaced() {
    return std::exchange(displaced_updates_, {});
  }
  void remove(const protocol::registry_removal& removal);
  /// Removes dead entries.
  void sweep(steady now);

  /// Watches for the next heartbeat of this address: a beat here, or a row that was renewed after now.
  void watch(const std::string& address, core::time_point now);
  /// Returns watched addresses that gave a heartbeat, and stops watching them.
  [[nodiscard]] std::vector<std::string> take_received() { return std::exchange(heard_, {}); }

  /// Returns the mark to take when a read is sent and to give back with its answer: beats that came in between are newer than the
  /// answer.
  [[nodiscard]] std::uint64_t mark() const noexcept { return sequence_; }
  void take(const core::registry_state& stored, std::uint64_t mark, moment now);

  /// Returns true if there are new addresses, removals or changed lists of automatic groups, which must be written at once.
  [[nodiscard]] bool has_update() const;
  /// Returns true if the store lacks anything, renewals and dead rows included.
  [[nodiscard]] bool has_changes() const;
  /// Returns the batch to write; `renewals`: not only updates. One batch at a time: `written` or `write_failed` ends it.
  [[nodiscard]] core::registry_batch begin_write(bool renewals);
  void written();
  void write_failed();

  /// Returns true if an event since the last view may have changed it; a plain renewal does not.
  [[nodiscard]] bool view_stale() const noexcept { return view_stale_; }
  /// Returns the present view if it differs from the last one that was returned and groups were read; else null.
  [[nodiscard]] std::shared_ptr<const protocol::registry_view> changed_view();
  /// Returns the view that was returned last; null before the first.
  [[nodiscard]] const std::shared_ptr<const protocol::registry_view>& last_view() const noexcept { return view_; }

private:
  /// Registry group, app name, address.
  using key = std::tuple<std::string, std::string, std::string>;
  using duration = observed_clock::duration;
  struct entry {
    /// Time of the last beat received here: by `listened_`, and as it is written.
    duration heard{};
    core::time_point seen{};
    /// Time in the stored row, to the second as rows keep it; the epoch while none is known.
    core::time_point row_seen{};
    /// Time by `read_` at which the row was last seen changed by another node; empty: the row does not show that the executor is
    /// alive.
    std::optional<duration> row_changed;
    /// Number of the last beat received here; 0: none.
    std::uint64_t renewed = 0;
    /// Beat that the store has.
    std::uint64_t flushed = 0;
    /// Number of beats after which the row is known to have existed; 0: never.
    std::uint64_t stored = 0;
    /// Token that was shown last; empty: unknown.
    std::optional<core::token_kind> shown;
    /// `shown` as stored.
    std::optional<core::token_kind> stored_shown;
    /// The last beat carried the app name header.
    bool app_header = false;
    /// The last beat was that of a native link.
    bool link = false;
    /// Rank among the claims of one address: the position of its row in the table, which all nodes read alike; unwritten rows are
    /// last.
    std::uint64_t order = 0;
    /// `protocol::address_key`
    std::string place;
  };
  using entry_map = std::map<key, entry>;
  /// Stored row of an executor that no node receives beats from.
  struct dead_row {
    core::time_point seen{};
    /// The store was asked to delete the row; if it still exists, it is left alone.
    bool deleted = false;
  };
  /// Executor that has gone.
  struct departed {
    /// Time of its last beat.
    core::time_point seen{};
    /// Time of its end by `listened_`.
    duration since{};
    bool link = false;
    core::executor_family family = core::executor_family::unknown;
  };
  struct write_in_flight {
    std::vector<std::pair<key, entry>> renewed;
    std::set<key> removed;
    std::vector<core::group> groups;
    std::vector<key> dead;
    std::vector<std::pair<key, std::optional<core::token_kind>>> tokens;
  };

  /// Calls `visit(group, key, entry)` for the executors of the groups that the principal may see, ascending by group. A null
  /// entry has gone, or was entered. Unset `only`: all groups.
  template <class Visit>
  void visit_executors(std::optional<core::group_id> only, const core::principal& by, Visit visit) const;
  [[nodiscard]] core::executor_state state_of(const entry& known) const;
  [[nodiscard]] core::known_executor describe(const core::group& of, const std::string& address, const entry& known) const;
  /// Describes an address without a live registration: one that has gone, or one that a manual group has and that never came.
  [[nodiscard]] core::known_executor describe_absent(const core::group& of, const key& which) const;
  [[nodiscard]] static core::executor_family family_of(const entry& known) noexcept;
  [[nodiscard]] static core::time_point last_beat_of(const entry& known) noexcept;
  /// Returns the time since the last sign that the entry is alive.
  [[nodiscard]] duration age_of(const entry& known) const;
  void note_departure(const key& which, const entry& known);
  void forget_departed();
  /// Returns true if the entry is alive as of the last look at either clock.
  [[nodiscard]] bool alive(const entry& which) const noexcept;
  /// Returns false while dead rows may belong to executors that are about to beat again.
  [[nodiscard]] bool may_delete_dead() const noexcept { return read_ && read_->total() >= dead_after_; }
  [[nodiscard]] std::vector<core::registration> dead_to_delete();
  /// Position of a row in a read; `mark` as in `take`.
  struct row_place {
    std::uint64_t mark = 0;
    /// Position in the answer.
    std::uint64_t row = 0;
  };
  void take_row(const core::registration& row, row_place at, std::optional<core::time_point> alive_from,
                std::map<key, dead_row>& dead);
  void note_incarnation(const std::string& address, core::time_point seen);
  /// Returns the token that the store is to have for `shown`.
  [[nodiscard]] std::optional<core::token_kind> token_to_store(const key& which, const entry& known) const;
  [[nodiscard]] std::vector<core::registration> tokens_to_write();
  void take_shown(entry& known, std::optional<core::token_kind> stored);
  void note_token(entry& known, const protocol::registry_beat& beat);
  [[nodiscard]] bool has_room(const protocol::registry_beat& beat) const;
  entry_map::iterator add(key&& which);
  entry_map::iterator drop(entry_map::iterator which);
  /// Marks registrations that are older than their group's token: they were made with the common one.
  void note_new_tokens(const std::vector<core::group>& groups);
  void index_groups();
  /// Returns true if the registration was made with a group's token, as far as is known.
  [[nodiscard]] bool is_weak(const key& which, const entry& known) const;
  [[nodiscard]] std::string rival_of(const std::string& app_name, const std::string& place, std::uint64_t order) const;
  [[nodiscard]] bool is_displaced(const key& which, const entry& known) const;
  void show_tokens(protocol::registry_view& view);
  void drop_removed_by_peers(const std::set<key>& stored);
  /// Returns the stored groups with the lists that automatic ones should have.
  [[nodiscard]] std::vector<core::group> groups_now() const;
  [[nodiscard]] std::vector<core::group> changed_groups() const;

  core::milliseconds dead_after_;
  /// Time in which this node could receive beats.
  observed_clock listened_;
  /// Time in which this node could see changes of the rows by others; from the first read on.
  std::optional<observed_clock> read_;
  std::uint64_t sequence_ = 1;
  entry_map entries_;
  /// Number of entries by app name.
  std::unordered_map<std::string, std::size_t> count_of_;
  /// Entries that may be routed to, by address key.
  std::unordered_map<std::string, std::vector<entry_map::const_iterator>> claims_;
  /// App names of groups with a token.
  std::unordered_set<std::string> guarded_apps_;
  /// Addresses that users entered, with the app names of their groups; only while there are groups with a token.
  std::unordered_map<std::string, std::vector<std::string>> entered_places_;
  /// Displaced registrations as of the last view.
  std::map<key, std::string> displaced_;
  std::vector<std::pair<protocol::app_address, std::string>> displaced_updates_;
  std::set<key> removed_;
  /// Watched addresses, with the time at which watching began.
  std::unordered_map<std::string, core::time_point> watched_;
  std::vector<std::string> heard_;
  /// Groups as stored.
  std::vector<core::group> groups_;
  std::map<key, dead_row> dead_;
  std::map<key, departed> departed_;
  /// Tokens that the store has for addresses without a registration.
  std::vector<core::registration> left_tokens_;
  write_in_flight in_flight_;
  std::shared_ptr<const protocol::registry_view> view_;
  bool view_stale_ = false;
};

} // namespace ringmaster::actors
