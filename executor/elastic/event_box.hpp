#pragma once

// Events of item runs until their receipt (H3). Pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "protocol/elastic_border.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::executor::elastic {

/// Number of a link among those of this process.
using link_number = std::uint64_t;

/// Queue of events. Each is sent in batches over one link after the other until a node has stored it. Not thread-safe.
class event_box {
public:
  /// A batch without a receipt for so long is sent again, over any link.
  static constexpr boot_time receipt_limit = std::chrono::seconds{2};
  /// Delay after a node could not store a batch.
  static constexpr boot_time pause = std::chrono::milliseconds{500};
  /// Batches without a receipt on one link; a node accepts twice as many.
  static constexpr std::size_t batches_max = protocol::elastic_link_limits::batches_max / 2;

  /// Adds an event. `link`: where it is sent first, as long as that link is up. Replaces an unsent `accepted` of the same run. A
  /// cursor replaces an older one that is not under way, and waits for the receipt of one that is. A result takes the newest
  /// cursor with it.
  void add(protocol::elastic_event event, link_number link);

  /// Takes the next batch for a link. Its number is counted for each link from 1. `up`: links that are up. Unset: there is
  /// nothing to send, or too many batches of this link have no receipt.
  [[nodiscard]] std::optional<protocol::elastic_events> next_batch(link_number link, const std::set<link_number>& up,
                                                                   boot_time now);

  /// An event that a node has stored.
  struct stored_event {
    core::elastic::item_run_id run{};
    protocol::elastic_event_kind kind{};
    std::uint64_t cursor_number = 0;
  };
  /// Takes a receipt, and returns the events that it confirms for the first time. The end of a run takes its other events along:
  /// another node than that of the end might refuse them for long.
  std::vector<stored_event> take_receipt(link_number link, std::uint64_t batch, bool stored, boot_time now);
  /// Its batches are sent again over other links.
  void end_link(link_number link);
  /// Removes all events of a run.
  void drop(core::elastic::item_run_id run);
  /// Lets batches without a receipt be sent again.
  void pass_time(boot_time now);

  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }

private:
  struct entry {
    protocol::elastic_event event;
    /// Where it is sent first; 0: any link, after a first attempt that which follows `tried`.
    link_number link = 0;
    /// Link over which it was sent last; 0: none.
    link_number tried = 0;
    /// Not sent, or sent in a batch whose receipt is late.
    bool is_ready = true;
    /// A cursor that waits for the receipt of an older one.
    bool is_held = false;
    /// Sent at least once.
    bool was_sent = false;

    [[nodiscard]] bool is_under_way() const noexcept { return !is_ready && !is_held; }
    /// A node could not store one of the events of its batch: it leaves only with events of its job.
    bool was_refused = false;
    boot_time not_before{0};
  };
  struct batch_record {
    std::vector<std::uint64_t> events;
    boot_time late_at{0};
    bool is_late = false;
  };
  struct link_record {
    std::uint64_t last_batch = 0;
    std::map<std::uint64_t, batch_record> open;
  };

  /// Removes the event of a run that `next` replaces. Returns whether `next` has to wait for it.
  [[nodiscard]] bool give_way(std::uint64_t before, protocol::elastic_event& next);
  void make_ready(std::uint64_t event, boot_time not_before);
  /// Returns the link over which an event leaves; 0: any.
  [[nodiscard]] static link_number way_of(const entry& event, const std::set<link_number>& up);
  /// Lets the cursor leave that waits for an older one of the run. Returns whether there is one.
  bool release_cursor(core::elastic::item_run_id run, boot_time not_before);
  void erase(std::map<std::uint64_t, entry>::iterator event);

  std::uint64_t last_event_ = 0;
  /// In the order of `add`.
  std::map<std::uint64_t, entry> events_;
  /// Keys of `events_` that wait for a batch.
  std::set<std::uint64_t> ready_;
  std::map<core::elastic::item_run_id, std::set<std::uint64_t>> of_run_;
  std::map<link_number, link_record> links_;
};

} // namespace ringmaster::executor::elastic
