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

  /// Adds an event. `link`: where it is sent first, as long as that link is up. Replaces an unsent `accepted` of the same run.
  void add(protocol::elastic_event event, link_number link);

  /// Takes the next batch for a link. Its number is counted for each link from 1. `up`: links that are up. Unset: there is
  /// nothing to send, or too many batches of this link have no receipt.
  [[nodiscard]] std::optional<protocol::elastic_events> next_batch(link_number link, const std::set<link_number>& up,
                                                                   boot_time now);

  /// An event that a node has stored.
  struct stored_event {
    core::elastic::item_run_id run{};
    protocol::elastic_event_kind kind{};
  };
  /// Takes a receipt, and returns the events that it confirms for the first time.
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
    /// 0: any link.
    link_number link = 0;
    /// Not sent, or sent in a batch whose receipt is late.
    bool is_ready = true;
    /// Sent at least once.
    bool was_sent = false;
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

  void make_ready(std::uint64_t event, boot_time not_before);

  std::uint64_t last_event_ = 0;
  /// In the order of `add`.
  std::map<std::uint64_t, entry> events_;
  /// Keys of `events_` that wait for a batch.
  std::set<std::uint64_t> ready_;
  std::map<core::elastic::item_run_id, std::set<std::uint64_t>> of_run_;
  std::map<link_number, link_record> links_;
};

} // namespace ringmaster::executor::elastic
