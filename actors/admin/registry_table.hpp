#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "core/group.hpp"
#include "core/time.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// The registrations of one node: its own executors' beats joined with the stored rows, newest wins; what of it the store does
/// not have yet; and the view that routing uses. Pure state of one actor; "now" is civil time.
///
/// Three rules decide what counts as alive (docs/registry.md):
/// - an address lives for `dead_after` from its last beat, wherever that was heard;
/// - at the first read a row that was alive when the table was last written (its `seen` is within `dead_after` of the newest
///   `seen`) lives until start + `dead_after` at least: executors beat every 30 s and had nobody to beat to while the cluster was
///   off;
/// - a row that is gone at a read was removed by a peer, unless its executor has beaten here since the row was last
///   known to exist.
class registry_table {
public:
  /// Registrations, and removals not yet written, kept at most; beyond it new ones are ignored.
  static constexpr std::size_t registrations_max = 100'000;

  registry_table(core::milliseconds dead_after, core::time_point start);

  /// False: the table is full and the registration was ignored.
  bool beat(const protocol::registry_beat& beat, core::time_point now);
  void remove(const protocol::registry_removal& removal);
  /// Forgets what is dead.
  void sweep(core::time_point now);

  /// To be taken when a read is sent and given back with its answer: beats that came in between are newer than the answer.
  [[nodiscard]] std::uint64_t mark() const noexcept { return sequence_; }
  void take(const core::registry_state& stored, std::uint64_t mark, core::time_point now);

  /// New addresses, removals and changed lists of automatic groups: to be written at once.
  [[nodiscard]] bool has_news() const;
  /// Anything that the store does not have yet, renewals and dead rows included.
  [[nodiscard]] bool has_changes(core::time_point now) const;
  /// What to write; `renewals`: not only news. One batch at a time: `written` or `write_failed` ends it.
  [[nodiscard]] core::registry_batch begin_write(bool renewals, core::time_point now);
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
  struct entry {
    core::time_point seen{};
    /// Alive until then whatever `seen` says.
    core::time_point graced_until{};
    /// Number of the last beat heard here; 0: none.
    std::uint64_t renewed = 0;
    /// The beat that the store has.
    std::uint64_t flushed = 0;
    /// The row is known to have existed after this many beats; 0: never.
    std::uint64_t stored = 0;
  };
  struct write_in_flight {
    std::vector<std::pair<key, std::uint64_t>> renewed;
    std::set<key> removed;
    std::vector<core::group> groups;
    bool dead_rows = false;
  };

  [[nodiscard]] bool alive(const entry& which, core::time_point now) const noexcept;
  /// During the grace dead rows may belong to executors that are about to beat again.
  [[nodiscard]] bool may_delete_dead(core::time_point now) const noexcept { return dead_rows_ && now >= start_ + dead_after_; }
  void take_row(const core::registration& row, std::uint64_t mark, core::time_point now, core::time_point graced_from);
  void drop_removed_by_peers(const std::set<key>& stored);
  /// The stored groups with the lists that automatic ones should have.
  [[nodiscard]] std::vector<core::group> groups_now() const;
  [[nodiscard]] std::vector<core::group> changed_groups() const;

  core::milliseconds dead_after_;
  core::time_point start_;
  std::uint64_t sequence_ = 1;
  std::map<key, entry> entries_;
  /// Addresses whose last beat carried the app name header.
  std::unordered_set<std::string> app_header_;
  std::set<key> removed_;
  /// As stored.
  std::vector<core::group> groups_;
  bool was_read_ = false;
  bool dead_rows_ = false;
  write_in_flight in_flight_;
  std::shared_ptr<const protocol::registry_view> view_;
  bool view_stale_ = false;
};

} // namespace ringmaster::actors
