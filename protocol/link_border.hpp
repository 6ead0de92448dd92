#pragma once

// What a native link may carry. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/native_address.hpp"
#include "protocol/link_messages.hpp"

namespace ringmaster::protocol {

/// What one message may hold; larger ones hold up the heartbeats behind them. Who sends keeps to it, who receives checks it.
struct link_limits {
  /// Runs, verdicts or results.
  static constexpr std::size_t items_max = 512;
  /// All texts of a message together.
  static constexpr std::size_t bytes_max = 1024 * 1024;
  /// A result's message.
  static constexpr std::size_t message_bytes_max = 64 * 1024;
  /// An app name, a text for a person.
  static constexpr std::size_t name_bytes_max = 1024;
  /// A proof: HMAC-SHA256.
  static constexpr std::size_t proof_bytes = 32;
};

/// The address of an executor that can be reached by a native link alone.
inline constexpr std::string_view native_scheme = core::native_address_scheme;
[[nodiscard]] inline bool is_native_only(std::string_view address) noexcept { return address.starts_with(native_scheme); }

/// What of a message breaks the rules of links, for a person; empty: nothing. Whoever receives one that does cuts the link.
/// A hello of another version is no breach: it is refused.
[[nodiscard]] std::string breach_of(const link_hello& hello);
[[nodiscard]] std::string breach_of(const link_proof& proof);
[[nodiscard]] std::string breach_of(const link_refusal& refusal);
[[nodiscard]] std::string breach_of(const link_runs& batch);
[[nodiscard]] std::string breach_of(const link_verdicts& batch);
[[nodiscard]] std::string breach_of(const link_question& question);
[[nodiscard]] std::string breach_of(const link_answer& answer);
[[nodiscard]] std::string breach_of(const link_reports& batch);

enum class link_end : std::uint8_t { executor, node };

/// Returns the text whose seal proves that `by` knows the token of a link. It holds what both ends agreed on: the hello without
/// its gate, and the challenge. The ends have texts of their own, so that neither proof is good as the other one.
[[nodiscard]] std::string proof_text(link_end by, const link_hello& hello, const link_key& challenge);

/// Another one each time, which nobody can guess.
[[nodiscard]] link_key draw_link_key();

/// The texts of an item, in bytes: who fills a batch adds them up to `bytes_max`.
[[nodiscard]] std::size_t bytes_of(const core::trigger_request& run) noexcept;
[[nodiscard]] std::size_t bytes_of(const core::trigger_reply& reply) noexcept;
[[nodiscard]] std::size_t bytes_of(const core::run_report& report) noexcept;

} // namespace ringmaster::protocol
