#pragma once

// Conversion of errc to a CAF error and back, the only place that does it.

#include <cstdint>
#include <string>

#include <caf/error.hpp>
#include <caf/is_error_code_enum.hpp>

#include "core/result.hpp"
#include "protocol/type_ids.hpp"

namespace ringmaster::core {

/// Returns false for a number that is not an errc.
[[nodiscard]] bool from_integer(std::uint8_t number, errc& code);

template <class Inspector>
bool inspect(Inspector& f, errc& code) {
  auto get = [&code] { return static_cast<std::uint8_t>(code); };
  auto set = [&code](std::uint8_t number) { return from_integer(number, code); };
  return f.apply(get, set);
}

} // namespace ringmaster::core

CAF_ERROR_CODE_ENUM(ringmaster::core::errc)

namespace ringmaster::protocol {

[[nodiscard]] caf::error to_caf(const core::error& error);

/// Returns the reason why an actor ended, for a log. A peer may have invented it: CAF ends the process for an unknown error
/// category.
[[nodiscard]] std::string end_in_words(const caf::error& reason);

/// Converts CAF's own errors to `timeout` (request timeout), `unavailable` (receiver gone) or `internal`.
[[nodiscard]] core::error to_core(const caf::error& error);

/// Returns the refusal of a request that would store an instant computed from now (firing protocol §9, wall clocks).
[[nodiscard]] core::error clock_in_doubt();
/// Returns true for that refusal, also after its way through `to_caf` and `to_core`.
[[nodiscard]] bool is_clock_in_doubt(const core::error& error);

} // namespace ringmaster::protocol
