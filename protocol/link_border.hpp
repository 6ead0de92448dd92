#pragma once

// Limits and checks of the messages of a native link. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/native_address.hpp"
#include "protocol/link_messages.hpp"

namespace ringmaster::protocol {

/// Limits of one message; larger messages would delay the heartbeats after them. Senders keep to them, receivers check them.
struct link_limits {
  /// Maximum number of runs, verdicts or results.
  static constexpr std::size_t items_max = 512;
  /// Maximum of all texts of a message together.
  static constexpr std::size_t bytes_max = 1024 * 1024;
  /// Maximum of a result's message.
  static constexpr std::size_t message_bytes_max = 64 * 1024;
  /// Maximum of an app name or a text for operators.
  static constexpr std::size_t name_bytes_max = 1024;
  /// Size of a proof: HMAC-SHA256.
  static constexpr std::size_t proof_bytes = 32;
};

/// Scheme of an address that can only be reached over a native link.
inline constexpr std::string_view native_scheme = core::native_address_scheme;
[[nodiscard]] inline bool is_native_only(std::string_view address) noexcept { return address.starts_with(native_scheme); }

/// Returns the breach of the link's rules in a message, for operators; empty: none. A receiver of a breach cuts the link. A hello
/// of another version is not a breach: it is refused.
[[nodiscard]] std::string breach_of(const link_hello& hello);
[[nodiscard]] std::string breach_of(const link_proof& proof);
[[nodiscard]] std::string breach_of(const link_refusal& refusal);
[[nodiscard]] std::string breach_of(const link_runs& batch);
[[nodiscard]] std::string breach_of(const link_verdicts& batch);
[[nodiscard]] std::string breach_of(const link_question& question);
[[nodiscard]] std::string breach_of(const link_answer& answer);
[[nodiscard]] std::string breach_of(const link_reports& batch);

/// Returns whether this end can speak the version of its peer.
[[nodiscard]] constexpr bool is_link_version(std::uint32_t version) noexcept {
  return version >= link_version_min && version <= link_version;
}

/// Returns the text of the refusal of a hello of another version. Its beginning is part of the protocol: peers read it.
[[nodiscard]] std::string text_of_version_refusal(std::uint32_t offered);

/// Returns the version that the refusing node speaks, if that is the reason of the refusal.
[[nodiscard]] std::optional<std::uint32_t> version_in(const link_refusal& refusal) noexcept;

enum class link_end : std::uint8_t { executor, node };

/// Returns the text whose seal proves that `by` knows the token of a link. It holds what both ends agreed on: the hello without
/// its gate, and the challenge. The two ends use different texts, so that one end's proof cannot be used as the other's.
[[nodiscard]] std::string proof_text(link_end by, const link_hello& hello, const link_key& challenge);

/// Returns a new key each time, which cannot be guessed.
[[nodiscard]] link_key draw_link_key();

/// Return the texts of an item in bytes: a sender adds them up to `bytes_max` to fill a batch.
[[nodiscard]] std::size_t bytes_of(const core::trigger_request& run) noexcept;
[[nodiscard]] std::size_t bytes_of(const core::trigger_reply& reply) noexcept;
[[nodiscard]] std::size_t bytes_of(const core::run_report& report) noexcept;

} // namespace ringmaster::protocol
