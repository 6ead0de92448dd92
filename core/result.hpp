#pragma once

// Expected failures are values: `result<T>` with an `errc` and the context that a user needs.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "core/refusal.hpp"

namespace ringmaster::core {

/// Reason why an operation failed. Numbers are stable and start at 1 (0 means "no error" to CAF, which has 8 bits for it).
enum class errc : std::uint8_t {
  /// The input is wrong; the context says which part and why.
  invalid_argument = 1,
  /// The named object does not exist.
  not_found = 2,
  /// The object exists already, or was changed meanwhile by another edit.
  conflict = 3,
  /// The store or peer cannot be reached now; a later attempt may succeed.
  unavailable = 4,
  /// This node's incarnation has ended: it must neither claim nor send.
  fenced = 5,
  /// No answer within the time limit; it is unknown whether the operation took effect.
  timeout = 6,
  /// This release does not support the form of the stored schema or data.
  unsupported = 7,
  /// A limit of the configuration was exceeded.
  too_large = 8,
  /// A defect of Ringmaster or of a driver; the caller cannot correct it.
  internal = 9,
  /// The caller does not have the necessary permission.
  forbidden = 10,
};

/// Returns the stable name of `code` for logs and JSON, e.g. `invalid_argument`.
[[nodiscard]] std::string_view to_string(errc code) noexcept;

struct error {
  errc code = errc::internal;
  /// One clear sentence for a user; never a secret.
  std::string context;
  /// Selects XXL-JOB's own words for its clients; `none`: the context is the whole message.
  refusal why = refusal::none;
  /// Inserted into the words of `why`, e.g. the id of a child.
  std::string subject = {};

  friend bool operator==(const error&, const error&) = default;
};

template <class T>
using result = tl::expected<T, error>;

/// Returns an error: `return fail(errc::not_found, "job 7 does not exist");`
[[nodiscard]] inline tl::unexpected<error> fail(errc code, std::string context) {
  return tl::unexpected<error>{error{code, std::move(context)}};
}

/// Returns an error with XXL's words.
[[nodiscard]] inline tl::unexpected<error> refuse(errc code, refusal why, std::string context, std::string subject = {}) {
  return tl::unexpected<error>{error{code, std::move(context), why, std::move(subject)}};
}

} // namespace ringmaster::core
