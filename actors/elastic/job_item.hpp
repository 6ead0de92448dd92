#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/elastic/item_machine.hpp"
#include "protocol/elastic_link_messages.hpp"

namespace ringmaster::actors {

/// Part of a receipt.
struct receipt_part {
  core::elastic::host_process host;
  std::uint64_t link_number = 0;
  std::uint64_t batch = 0;
};

struct close_order {
  core::elastic::host_process host;
  protocol::elastic_run_order order;
};

struct loss_note {
  core::elastic::steady_time at{};
  core::elastic::loss_proof proof{};
  core::elastic::host_process host;
};

enum class item_count : std::uint8_t { none, open, wanted };

/// One item, and what depends on its writes.
struct job_item {
  core::elastic::item state;
  /// Its entry in the list of deadlines.
  std::optional<core::elastic::steady_time> due = {};
  /// Start of the body of the open run by the clock of its host.
  core::time_point started{};
  /// Writes without an answer; whether the conditions of one of them did not hold.
  std::uint32_t writes = 0;
  bool lost_guard = false;
  /// Refused writes since the last one that was stored.
  std::uint32_t refused_writes = 0;
  /// The host has reported the supervisor of the open run's program.
  bool has_program = false;
  /// Run that an operator has cancelled; 0: none.
  core::elastic::item_run_id cancel_run{};
  /// The mark "missed" as stored.
  bool stored_missed = false;
  /// The last loss of its run whose takeover is not stored yet.
  std::optional<loss_note> lost = {};
  /// Part of the job's counts that includes it.
  item_count counted = item_count::none;
  /// Leave once all writes are answered; dropped, or refused, if one was lost.
  std::vector<std::variant<receipt_part, close_order>> after_writes = {};
};

} // namespace ringmaster::actors
