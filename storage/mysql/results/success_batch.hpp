#pragma once

// The part of a record that only contains successes, written without reading first.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/run/record_rules.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Kind of a plain success: an answer of 200, a result of 200, or both in one row write. `dated`: a result whose date has to
/// equal that of its row.
enum class success_kind : std::uint8_t { both, trigger, callback, dated };

/// Runs that one kind of statement writes.
struct plain_group {
  success_kind kind = success_kind::both;
  /// Whether all have the same message, which is then constant in the statement.
  bool alike = true;
  /// In id order.
  std::vector<const core::run_update*> runs;
};

struct sorted_updates {
  std::vector<plain_group> plain;
  /// Failures, and answers with a message.
  std::vector<const core::run_update*> others;
};

/// Sorts updates into groups. Points into `updates`.
[[nodiscard]] sorted_updates sort_out(const std::vector<core::run_update>& updates);

/// Writes a group, in shared mode (`shared`) with the end of its text. Returns the number of changed rows: fewer than the group
/// has if another transaction was first, or a row is gone. Throws `driver_error`.
[[nodiscard]] std::uint64_t write(session& own, const plain_group& group, std::string_view handle_time, bool shared);

} // namespace ringmaster::storage::mysql
