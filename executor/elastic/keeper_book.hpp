#pragma once

// Heartbeats, the keeper and the lease of this process (elastic design §3). Pure.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/time.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/event_box.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::executor::elastic {

/// Decides which acknowledgements extend the lease, and which node is asked to become the keeper. Only acknowledgements with the
/// current number of the keeper count. After a question, only a higher number counts. Not thread-safe.
class keeper_book {
public:
  /// Welcomes a link. `keeper_no`: 0: its node is not the keeper; `asked_at`: moment of the hello.
  void add_link(link_number link, const protocol::elastic_limits& limits, std::int64_t keeper_no, boot_time asked_at,
                boot_time now);
  void end_link(link_number link, boot_time now);
  /// Begins a new process: no link is welcomed, and heartbeats of the earlier process no longer extend the lease.
  void begin_process();

  /// Returns the next heartbeat of a link that is due now, without its facts about load; unset: none is due.
  [[nodiscard]] std::optional<protocol::elastic_heartbeat> next_beat(link_number link, boot_time now);
  /// Takes an acknowledgement. Returns true if the lease was extended.
  bool take_ack(link_number link, const protocol::elastic_ack& ack, boot_time now);
  /// Looks for a keeper when there was none for too long. Call it before `next_beat`.
  void pass_time(boot_time now);

  /// Moment from which leases count: the sending of the last heartbeat that the keeper has acknowledged; unset: none yet.
  [[nodiscard]] std::optional<boot_time> lease_from() const noexcept { return lease_from_; }
  /// Returns the moment from which the lease of a grant counts that has arrived over this link. Unset: the link is not welcomed,
  /// or there is no lease. A grant that was on its way while the lease was over may be that of a lost run, although another link
  /// has extended the lease since (I3). Messages of a link keep their order: the grant left after the last message that the node
  /// has answered over this link.
  [[nodiscard]] std::optional<boot_time> lease_from(link_number link) const;
  /// Link to the keeper; 0: none.
  [[nodiscard]] link_number keeper() const noexcept { return asked_above_ ? 0 : keeper_; }
  [[nodiscard]] std::int64_t keeper_no() const noexcept { return keeper_no_; }
  /// Link to the node that was asked; 0: none.
  [[nodiscard]] link_number asked() const noexcept { return asked_above_ ? asked_ : 0; }

private:
  struct link_state {
    protocol::elastic_limits limits;
    boot_time next_beat{0};
    /// Sending of the last message that the node has answered.
    boot_time answered_from{0};
    /// Number and moment of heartbeats that may still be acknowledged, oldest first.
    std::deque<std::pair<std::uint64_t, boot_time>> sent;
    /// The node is about to stop.
    bool leaves = false;
  };
  /// Unacknowledged heartbeats that are remembered: those of more than a minute.
  static constexpr std::size_t sent_max = 512;
  /// Interval of heartbeats to a node that was asked: a node acknowledges a heartbeat before it becomes the keeper, so the next
  /// one brings the answer.
  static constexpr boot_time asking_beat = std::chrono::milliseconds{50};
  /// A longer pause of this process itself is not held against the keeper.
  static constexpr boot_time own_pause = std::chrono::milliseconds{200};

  /// Returns true if the number makes, or keeps, this link's node the keeper.
  bool accept(link_number link, std::int64_t number, boot_time now);
  void ask_next(boot_time now);
  [[nodiscard]] link_number candidate() const;
  [[nodiscard]] boot_time patience() const;

  /// Welcomed links.
  std::map<link_number, link_state> links_;
  /// Number of the last heartbeat; numbers go on when a new process begins on the link.
  std::map<link_number, std::uint64_t> last_beats_;
  link_number keeper_ = 0;
  std::int64_t keeper_no_ = 0;
  /// Set while a question is open: only a higher number counts.
  std::optional<std::int64_t> asked_above_;
  link_number asked_ = 0;
  boot_time asked_at_{0};
  /// Last sign of the keeper, or the moment since which there is none.
  boot_time heard_{0};
  std::optional<boot_time> lease_from_;
  std::optional<boot_time> looked_;
};

} // namespace ringmaster::executor::elastic
