#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "actors/elastic/attended_time.hpp"
#include "core/cluster/node.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/run/run.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Times of the keeper's rules (elastic design §3).
struct host_times {
  /// Two heartbeats are missing.
  static constexpr std::chrono::milliseconds suspect_after{300};
  /// The lease of the last acknowledged heartbeat, with a margin.
  static constexpr std::chrono::milliseconds silent_after{750};
  /// Interval of views with nothing but changes of load.
  static constexpr std::chrono::milliseconds load_every{200};
  /// A keeper whose last reading of changes is older does not acknowledge as the keeper while there are other nodes: one of them
  /// may keep the host by now, and waits for the lease with a margin of 250 ms.
  static constexpr std::chrono::milliseconds reading_valid{200};
  /// A question from before the last change of the keeper counts once it has been repeated for so long: with the host's next
  /// heartbeat.
  static constexpr std::chrono::milliseconds question_lasts{40};
  /// After a longer pause between two questions, the later one is a new one.
  static constexpr std::chrono::milliseconds question_gap{100};
  /// Dead hosts are shown for so long.
  static constexpr std::chrono::seconds shown_after_end{60};
};

/// Heartbeats of a host which ask this node to become its keeper, one after the other without a break.
struct keeper_question {
  protocol::elastic_steady since{};
  protocol::elastic_steady last{};
};

/// One host as this node knows it.
struct known_host {
  /// As last read or written.
  core::elastic::host_row row;
  std::vector<std::string> labels;

  // From the host itself, over a link to this node.

  /// Number of the link; unset: none.
  std::optional<std::uint64_t> link;
  std::vector<std::string> handlers;
  std::vector<std::string> listeners;
  std::vector<std::string> once_listeners;
  std::shared_ptr<const std::vector<core::group_id>> groups;
  protocol::elastic_steady last_beat{};
  /// Number of the last heartbeat on `link`; 0: none.
  std::uint64_t beat_number = 0;
  std::int32_t free_slots = 0;
  /// Process whose heartbeat has said so.
  std::optional<core::elastic::host_incarnation> heard = {};
  std::int32_t tainted = 0;
  std::optional<core::milliseconds> clock_difference;
  /// The host has said that it stops.
  bool leaves = false;

  // Judgement of this node.

  bool suspect = false;
  /// There is a proof that the process has ended.
  bool has_ended = false;
  /// The host has asked this node to become its keeper.
  bool asks = false;
  /// The question of the host; unset: its newest heartbeat does not ask.
  std::optional<keeper_question> question;
  /// E2 is under way.
  bool claiming = false;
  /// E3 is under way, and is repeated until the store has answered: until then nothing extends the lease.
  std::optional<core::elastic::host_verdict> verdict;
  /// The nodes were read after the row had named its keeper, so that a keeper that is missing there is over.
  bool keeper_checked = false;
  /// When the incarnation of its keeper was first seen to be over.
  std::optional<protocol::elastic_steady> keeper_over_since;
  /// When the state became dead or left.
  protocol::elastic_steady over_at{};
  /// Earlier processes, oldest first. They stay out while the present one runs.
  std::deque<core::elastic::host_facts> replaced = {};
};

/// Rules of a node for the hosts of its cluster: heartbeats, keeper, verdicts, the view of all hosts. Decides what the store is
/// asked (E2, E3) and learns from its answers. Invariant: while a verdict of this node is not answered, it acknowledges nothing
/// as the host's keeper. Pure state of elastic_hosts.
class host_table {
public:
  using steady = protocol::elastic_steady;

  // The node.

  /// Begins an incarnation of this node. What its predecessor had under way no longer counts.
  void begin_life(const core::node_incarnation& life, steady now);
  void end_life();
  /// This node is about to leave the cluster: hosts are told so, and no others are kept while there is another node.
  void leave() noexcept { leaving_ = true; }
  /// Returns whether a linked host would lose its keeper with this node, although there is another one.
  [[nodiscard]] bool has_to_hand_over() const;
  /// Takes all rows of nodes.
  void note_nodes(std::span<const core::node_row> nodes);
  /// All changes of other nodes until `asked_at` were read.
  void note_reading(steady asked_at) noexcept { read_at_ = std::max(read_at_, asked_at); }
  [[nodiscard]] bool several_nodes() const noexcept { return nodes_up_.size() > 1; }

  // Rows and links.

  /// Takes a row as it was read or written. Older than the known one: no effect. `last_beat`: of a host that it says is silent.
  void learn(const core::elastic::host_row& row, steady now, steady last_beat);
  /// Takes a row that another node has changed.
  void learn_change(const core::elastic::host_row& row, steady now) { learn(row, now, now - host_times::silent_after); }
  /// The process of `row` has introduced itself over a link.
  void admit(std::uint64_t link, const core::elastic::host_row& row, const protocol::host_introduction& introduction, steady now);
  void change_rights(std::uint64_t link, const protocol::host_rights& rights);
  void lose_link(std::uint64_t link, bool goodbye, steady now);
  /// The host has refused a run because no slot was free: its jobs grant it no more until a list says that one is. The next
  /// heartbeat with a free slot is news, also if the last one before the refusal had said the same.
  void note_full(std::uint64_t link);
  /// Fate of a process that introduces itself.
  enum class standing : std::uint8_t {
    may_enter,
    /// A newer process of the same host has replaced it, and runs.
    replaced,
    /// A newer process has replaced it, and has ended: it may enter, but not with this key.
    outdated,
  };
  [[nodiscard]] standing standing_of(const core::elastic::host_facts& process) const;
  /// Returns the present process of the host with this id; null: none.
  [[nodiscard]] const core::elastic::host_facts* present_process(const std::string& host_id) const;
  /// Returns the process at the other end of a link; unset: not admitted.
  [[nodiscard]] std::optional<core::elastic::host_process> process_of(std::uint64_t link) const;
  /// Returns the process at the other end of a link if it counts as dead; unset: it does not, or is not admitted.
  [[nodiscard]] std::optional<core::elastic::host_process> gone_process_of(std::uint64_t link) const;
  /// Returns the link to a process; unset: none.
  [[nodiscard]] std::optional<std::uint64_t> link_to(const core::elastic::host_process& process) const;
  /// Returns the keeper's number to acknowledge; 0: this node is not the keeper.
  [[nodiscard]] std::int64_t keeper_no(const core::elastic::host_process& process) const;
  /// A link and its process, which was replaced by a newer one.
  struct replaced_link {
    std::uint64_t link = 0;
    core::elastic::host_process process;
    core::elastic::host_facts facts;
  };
  /// Returns each one once.
  [[nodiscard]] std::vector<replaced_link> take_replaced_links() { return std::exchange(replaced_links_, {}); }

  // Time.

  /// Takes a heartbeat. Returns its acknowledgement; unset: none, or that of the claim which must begin now. `wall`: this node's,
  /// when it was heard.
  [[nodiscard]] std::optional<protocol::elastic_ack> hear(std::uint64_t link, const protocol::elastic_heartbeat& beat,
                                                          steady heard_at, core::time_point wall);
  /// There is a proof that a process has ended.
  void prove_end(const core::elastic::host_process& process);
  /// Looks for suspect hosts. Called every 50 ms.
  void look(steady now);
  /// Returns true if a link was lost so recently that a proof of the end of its process may come at any moment.
  [[nodiscard]] bool expects_proof(steady now) const noexcept { return now < link_lost_at_ + std::chrono::milliseconds{100}; }

  // The store.

  /// E2. Begins what is due.
  [[nodiscard]] std::vector<core::elastic::keeper_claim> begin_claims();
  /// Takes the answers; empty: the store could not be asked. Returns acknowledgements of the last heartbeats, by link.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, protocol::elastic_ack>> end_claims(
    std::span<const core::elastic::keeper_claim> claims, std::span<const core::elastic::host_answer> answers, steady now);
  /// E3. Returns what is due, also verdicts without an answer.
  [[nodiscard]] std::vector<core::elastic::host_verdict> begin_verdicts(steady now);
  void end_verdicts(std::span<const core::elastic::host_verdict> verdicts, std::span<const core::elastic::host_answer> answers,
                    steady now);

  // News.

  [[nodiscard]] std::vector<protocol::host_notice> take_notices() { return std::exchange(notices_, {}); }
  /// Returns all hosts if something has changed since the last call, otherwise null. A mere change of load waits for
  /// `load_every`, because each view reaches all jobs.
  [[nodiscard]] std::shared_ptr<const protocol::known_hosts> take_view(steady now);

private:
  known_host* find(const core::elastic::host_process& process);
  known_host* find(std::uint64_t link);
  [[nodiscard]] const known_host* find(const std::string& host_id) const;
  void replace(known_host& host, const core::elastic::host_row& row, steady now);
  void change_state(known_host& host, core::elastic::host_state before, steady now, steady last_beat);
  void tell(const known_host& host, protocol::host_fate fate, steady last_beat = {});
  [[nodiscard]] bool keeps(const known_host& host) const;
  /// Returns whether a heartbeat that was heard at this moment may extend leases by what this node has read.
  [[nodiscard]] bool is_certain(steady heard_at) const;
  /// Returns whether the incarnation of a host's keeper is surely over.
  [[nodiscard]] bool keeper_is_over(const known_host& host) const;
  /// Returns whether this node should become the keeper now.
  [[nodiscard]] bool must_claim(const known_host& host) const;
  [[nodiscard]] std::optional<core::elastic::host_verdict> verdict_on(known_host& host, steady now) const;
  [[nodiscard]] static bool is_gone(const known_host& host) noexcept;
  void forget_gone(steady now);
  [[nodiscard]] core::elastic::host_list list() const;
  [[nodiscard]] protocol::host_seat seat_of(const known_host& host) const;

  /// Unset: this node is no keeper, and judges nothing.
  std::optional<core::node_incarnation> life_;
  bool leaving_ = false;
  /// Incarnation of each node that is up.
  std::map<std::string, std::int64_t> nodes_up_;
  attended_time attended_;
  /// When the last answered reading of changes was asked for.
  steady read_at_{};
  std::map<core::elastic::host_number, known_host> hosts_;
  std::map<std::uint64_t, core::elastic::host_number> links_;
  std::vector<replaced_link> replaced_links_;
  std::vector<protocol::host_notice> notices_;
  /// The last view, whose list is used again while no fact changes.
  std::shared_ptr<const protocol::known_hosts> view_;
  bool facts_changed_ = true;
  bool seats_changed_ = true;
  /// A change of load that cannot wait.
  bool slots_changed_ = false;
  bool load_changed_ = false;
  /// When the last view was taken.
  steady viewed_at_{};
  steady link_lost_at_{};
};

} // namespace ringmaster::actors
