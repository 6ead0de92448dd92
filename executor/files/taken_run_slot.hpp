#pragma once

// The record of one run in a file of accepted runs.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "core/run/trigger_request.hpp"

namespace ringmaster::executor {

/// A slot is in use when its mark matches its run and time; a result is valid when its check matches: both are written last.
struct taken_run_slot {
  enum step : std::uint32_t { begun = 1, closed = 2 };
  enum class text_form : std::uint8_t { none, whole, cut };

  std::uint64_t mark;
  std::int64_t run;
  std::int64_t log_time_ms;
  std::int32_t job;
  std::uint32_t steps;
  /// The code in the lower half, its check in the upper; 0: no result yet.
  std::uint64_t outcome;
  text_form form;
  std::uint8_t text_bytes;
  std::array<char, 214> text;
};

static_assert(sizeof(taken_run_slot) == 256 && std::is_trivially_copyable_v<taken_run_slot>);

/// Stores `value` after everything written before: a kill can come between two writes, never within one.
inline void put_last(std::uint64_t& to, std::uint64_t value) noexcept {
  std::atomic_ref{to}.store(value, std::memory_order_release);
}

/// Returns the mark of a run and time, never 0.
[[nodiscard]] std::uint64_t mark_of(const taken_run_slot& of) noexcept;

[[nodiscard]] core::run_identity identity_of(const taken_run_slot& of) noexcept;

[[nodiscard]] bool has_result(const taken_run_slot& of) noexcept;

/// Returns whether the slot is in use but has invalid content.
[[nodiscard]] bool is_broken(const taken_run_slot& of) noexcept;

/// Stores a result. A message that is too long is cut between two characters.
void put_result(taken_run_slot& to, std::int32_t code, const std::optional<std::string>& message);

/// Returns the stored report. Code 0: no result. A message that was cut is marked.
[[nodiscard]] core::run_report report_of(const taken_run_slot& from);

} // namespace ringmaster::executor
