#pragma once

// Expected failures are values: `result<T>` with an `errc` and the context a person needs.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "core/refusal.hpp"

namespace ringmaster::core {

/// Why an operation failed. Numbers are stable and start at 1 (0 means "no error" to CAF, which has 8 bits for it).
enum class errc : std::uint8_t {
  /// The input is wrong; the context says which part and why.
  invalid_argument = 1,
  /// The named object does not exist.
  not_found = 2,
  /// The object exists already, or was changed by somebody else meanwhile.
  conflict = 3,
  /// The store or peer cannot be reached now; repeating later may succeed.
  unavailable = 4,
  /// This node's incarnation is over: it must neither claim nor send.
  fenced = 5,
  /// No answer within the time limit; whether it took effect is unknown.
  timeout = 6,
  /// The stored schema or data is of a form that this release does not read.
  unsupported = 7,
  /// A limit of the configuration was exceeded.
  too_large = 8,
  /// A defect of ours or of a driver; nothing the caller can do.
  internal = 9,
  /// Whoever asks has not the right to.
  forbidden = 10,
};

/// The stable name of `code` for logs and JSON, e.g. `invalid_argument`.
[[nodiscard]] std::string_view to_string(errc code) noexcept;

struct error {
  errc code = errc::internal;
  /// One clear sentence for a person; never a secret.
  std::string context;
  /// What XXL-JOB's clients are told in words of their own; `none`: the context is all there is to say.
  refusal why = refusal::none;
  /// Stands inside the words of `why`, e.g. the id of a child.
  std::string subject = {};

  friend bool operator==(const error&, const error&) = default;
};

template <class T>
using result = tl::expected<T, error>;

/// `return fail(errc::not_found, "job 7 does not exist");`
[[nodiscard]] inline tl::unexpected<error> fail(errc code, std::string context) {
  return tl::unexpected<error>{error{code, std::move(context)}};
}

/// The same with words of XXL's.
[[nodiscard]] inline tl::unexpected<error> refuse(errc code, refusal why, std::string context, std::string subject = {}) {
  return tl::unexpected<error>{error{code, std::move(context), why, std::move(subject)}};
}

} // namespace ringmaster::core
