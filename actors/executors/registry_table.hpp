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
#include "core/job/group.hpp"
#include "core/time.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// The registrations of one node: its own executors' beats joined with the stored rows; what of it the store does not have yet;
/// and the view that routing uses. Pure state of one actor.
///
/// What counts as alive (docs/registry.md). Ages are taken from the steady clock, so that no step of a civil clock, here or
/// elsewhere, kills anybody or keeps anybody alive:
/// - an executor that beats here lives for `dead_after` from its last beat. Time in which this node did not run does not count
///   (at most a third of `dead_after` of every pause): nobody could be heard;
/// - a row lives while others change its time: until reads have shown the same one for `dead_after`. A time is only compared
///   with what the row had before. Own writes are no changes, and between two reads at most a third of `dead_after` counts: while
///   the store is away nobody could write;
/// - a row that appears after the first read is new and alive;
/// - at the first read nothing is known of the past, and executors had nobody to beat to while the cluster was off: a row lives
///   from there on if it was alive when the table was last written (its time is within `dead_after` of the newest one), or if
///   it is by this node's civil clock, for the case that the newest one was written by a clock that was ahead;
/// - a row that is gone at a read was removed by a peer, unless its executor has beaten here since the row was last
///   known to exist;
/// - dead rows are deleted one by one, each only while it still has the time by which it was judged, and none before reads went
///   on for `dead_after`: a node that is mistaken never takes away what others know better.
///
/// Rows are written with civil times, because the Java admins read them so.
///
/// Two apps may claim one place (`protocol::address_key`). A registration that was made with a group's token alone counts only
/// while no other group has the place: a claim made with the common token and a list that people entered win,
/// else the first row does.
class registry_table {
public:
  /// Registrations, and removals not yet written, kept at most; beyond it new ones are ignored.
  static constexpr std::size_t registrations_max = 100'000;
  /// Of one app whose executors show its group's token; all such apps together fill three quarters of the table.
  static constexpr std::size_t group_registrations_max = registrations_max / 4;
  /// Dead rows deleted by one write.
  static constexpr std::size_t deletions_max = 500;

  /// The only registry group whose addresses are routed to (XXL wire §1.6).
  static constexpr auto routed_group = "EXECUTOR";

  using steady = observed_clock::steady;
  /// One instant by both clocks: the one that ages, and the one that the store knows.
  struct moment {
    steady when{};
    core::time_point civil{};
  };

  registry_table(core::milliseconds dead_after, steady start);

  /// False: the table, or what one group's token may have of it, is full and the registration was ignored.
  bool beat(const protocol::registry_beat& beat, moment now);
  /// It has a registration that has not aged.
  [[nodiscard]] bool has(const protocol::registry_beat& beat) const {
    return entries_.contains(key{beat.registry_group, beat.app_name, beat.address});
  }
  /// Returns the app that keeps this place from `app_name`, whose executor shows its group's token; empty: none does.
  [[nodiscard]] std::string rival_of(const std::string& app_name, const std::string& address) const;
  /// Returns registrations that lost their place to another app since the last call, and that app.
  [[nodiscard]] std::vector<std::pair<protocol::app_address, std::string>> take_displaced() {
    return std::exchange(displaced_updates_, {});
  }
  void remove(const protocol::registry_removal& removal);
  /// Forgets what is dead.
  void sweep(steady now);

  /// The next sign of life of this address, a beat here or a row that was renewed after now, is of interest.
  void watch(const std::string& address, core::time_point now);
  /// Watched addresses that gave one; they are not watched any more.
  [[nodiscard]] std::vector<std::string> take_received() { return std::exchange(heard_, {}); }

  /// To be taken when a read is sent and given back with its answer: beats that came in between are newer than the answer.
  [[nodiscard]] std::uint64_t mark() const noexcept { return sequence_; }
  void take(const core::registry_state& stored, std::uint64_t mark, moment now);

  /// New addresses, removals and changed lists of automatic groups: to be written at once.
  [[nodiscard]] bool has_update() const;
  /// Anything that the store does not have yet, renewals and dead rows included.
  [[nodiscard]] bool has_changes() const;
  /// What to write; `renewals`: not only updates. One batch at a time: `written` or `write_failed` ends it.
  [[nodiscard]] core::registry_batch begin_write(bool renewals);
  void written();
  void write_failed();

  /// Something happened since the last view that may have changed it; a plain renewal does not.
  [[nodiscard]] bool view_stale() const noexcept { return view_stale_; }
  /// The view as of now if it differs from the last one that was returned and groups were read; else null.
  [[nodiscard]] std::shared_ptr<const protocol::registry_view> changed_view();
  /// The one that was returned last; null before the first.
  [[nodiscard]] const std::shared_ptr<const protocol::registry_view>& last_view() const noexcept { return view_; }

private:
  /// Registry group, app name, address.
  using key = std::tuple<std::string, std::string, std::string>;
  using duration = observed_clock::duration;
  struct entry {
    /// Of the last beat heard here: by `listened_`, and as it is written.
    duration heard{};
    core::time_point seen{};
    /// The time that the stored row has, to the second as rows keep it; the epoch while none is known.
    core::time_point row_seen{};
    /// When, by `read_`, somebody else's change of the row was seen last; nothing: the row says nothing about its life.
    std::optional<duration> row_changed;
    /// Number of the last beat heard here; 0: none.
    std::uint64_t renewed = 0;
    /// The beat that the store has.
    std::uint64_t flushed = 0;
    /// The row is known to have existed after this many beats; 0: never.
    std::uint64_t stored = 0;
    /// Token that was shown last; nothing: unknown.
    std::optional<core::token_kind> shown;
    /// `shown` as the store has it.
    std::optional<core::token_kind> stored_shown;
    /// The last beat carried the app name header.
    bool app_header = false;
    /// Rank among claims of one place: the row's place in the table, which all nodes read alike; rows to come are last.
    std::uint64_t order = 0;
    /// `protocol::address_key`
    std::string place;
  };
  using entry_map = std::map<key, entry>;
  /// A stored row of which nobody hears any more.
  struct dead_row {
    core::time_point seen{};
    /// The store was asked to delete it; should it stay all the same, it stays.
    bool deleted = false;
  };
  struct write_in_flight {
    std::vector<std::pair<key, entry>> renewed;
    std::set<key> removed;
    std::vector<core::group> groups;
    std::vector<key> dead;
    std::vector<std::pair<key, std::optional<core::token_kind>>> tokens;
  };

  /// As of the last look at either time.
  [[nodiscard]] bool alive(const entry& which) const noexcept;
  /// Before that, dead rows may belong to executors that are about to beat again.
  [[nodiscard]] bool may_delete_dead() const noexcept { return read_ && read_->total() >= dead_after_; }
  [[nodiscard]] std::vector<core::registration> dead_to_delete();
  /// `alive_from`: at the first read, the oldest time of a row that counts as alive.
  struct row_place {
    std::uint64_t mark = 0;
    /// Its place in the answer.
    std::uint64_t row = 0;
  };
  void take_row(const core::registration& row, row_place at, std::optional<core::time_point> alive_from,
                std::map<key, dead_row>& dead);
  void note_incarnation(const std::string& address, core::time_point seen);
  /// Returns what the store shall have of `shown`.
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
  /// It was made with a group's token, as far as is known.
  [[nodiscard]] bool is_weak(const key& which, const entry& known) const;
  [[nodiscard]] std::string rival_of(const std::string& app_name, const std::string& place, std::uint64_t order) const;
  [[nodiscard]] bool is_displaced(const key& which, const entry& known) const;
  void show_tokens(protocol::registry_view& view);
  void drop_removed_by_peers(const std::set<key>& stored);
  /// The stored groups with the lists that automatic ones should have.
  [[nodiscard]] std::vector<core::group> groups_now() const;
  [[nodiscard]] std::vector<core::group> changed_groups() const;

  core::milliseconds dead_after_;
  /// The time in which this node could hear executors.
  observed_clock listened_;
  /// The time in which it could see others change the rows; from the first read on.
  std::optional<observed_clock> read_;
  std::uint64_t sequence_ = 1;
  entry_map entries_;
  /// Entries by app name.
  std::unordered_map<std::string, std::size_t> count_of_;
  /// Entries that may be routed to, by place.
  std::unordered_map<std::string, std::vector<entry_map::const_iterator>> claims_;
  /// App names of groups with a token.
  std::unordered_set<std::string> guarded_apps_;
  /// Places that people entered, by the app names of their groups; only while there are groups with a token.
  std::unordered_map<std::string, std::vector<std::string>> entered_places_;
  /// As of the last view.
  std::map<key, std::string> displaced_;
  std::vector<std::pair<protocol::app_address, std::string>> displaced_updates_;
  std::set<key> removed_;
  /// Since when.
  std::unordered_map<std::string, core::time_point> watched_;
  std::vector<std::string> heard_;
  /// As stored.
  std::vector<core::group> groups_;
  std::map<key, dead_row> dead_;
  /// Tokens that the store has of addresses without a registration.
  std::vector<core::registration> left_tokens_;
  write_in_flight in_flight_;
  std::shared_ptr<const protocol::registry_view> view_;
  bool view_stale_ = false;
};

} // namespace ringmaster::actors
