#pragma once

// errc as a CAF error, and back: the one translator between the two.

#include <cstdint>
#include <string>

#include <caf/error.hpp>
#include <caf/is_error_code_enum.hpp>

#include "core/result.hpp"
#include "protocol/type_ids.hpp"

namespace ringmaster::core {

/// False for a number that is no errc.
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

/// Why an actor ended, for a log. A peer may have made it up: CAF ends the process over a category that it does not know.
[[nodiscard]] std::string end_in_words(const caf::error& reason);

/// CAF's own errors become `timeout` (request timeout), `unavailable` (receiver gone) or `internal`.
[[nodiscard]] core::error to_core(const caf::error& error);

/// Refuses whatever stores an instant that is reckoned from now (firing protocol §9, wall clocks).
[[nodiscard]] core::error clock_in_doubt();

} // namespace ringmaster::protocol
