#pragma once

// What a file of taken runs holds of one run.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "core/run/trigger_request.hpp"

namespace ringmaster::executor {

/// A slot is in use when its mark is that of its run and time; a result is one when its check is right: both are written last.
struct taken_run_slot {
  enum step : std::uint32_t { begun = 1, closed = 2 };
  enum class text_form : std::uint8_t { none, whole, cut };

  std::uint64_t mark;
  std::int64_t run;
  std::int64_t log_time_ms;
  std::int32_t job;
  std::uint32_t steps;
  /// The code below its check; 0: none yet.
  std::uint64_t outcome;
  text_form form;
  std::uint8_t text_bytes;
  std::array<char, 214> text;
};

static_assert(sizeof(taken_run_slot) == 256 && std::is_trivially_copyable_v<taken_run_slot>);

/// What was written before is there when `to` is: a kill comes between two writes, never in one.
inline void put_last(std::uint64_t& to, std::uint64_t value) noexcept {
  std::atomic_ref{to}.store(value, std::memory_order_release);
}

/// Of its run and time, never 0.
[[nodiscard]] std::uint64_t mark_of(const taken_run_slot& of) noexcept;

[[nodiscard]] core::run_identity identity_of(const taken_run_slot& of) noexcept;

[[nodiscard]] bool has_result(const taken_run_slot& of) noexcept;

/// It is in use, and nobody wrote it so.
[[nodiscard]] bool is_broken(const taken_run_slot& of) noexcept;

/// A message that is too long is cut between two characters.
void put_result(taken_run_slot& to, std::int32_t code, const std::optional<std::string>& message);

/// Code 0: it has no result. A message that was cut says so.
[[nodiscard]] core::run_report report_of(const taken_run_slot& from);

} // namespace ringmaster::executor
