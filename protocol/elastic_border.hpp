#pragma once

// Limits and checks of the messages of elastic jobs over a native link. Pure; any thread.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/elastic_link_messages.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::protocol {

/// Limits of one message, in addition to `link_limits`. Senders keep to them, receivers check them.
struct elastic_link_limits {
  /// Maximum number of events, runs, definitions, grants, orders, or handlers.
  static constexpr std::size_t items_max = link_limits::items_max;
  /// Maximum of all texts of a message together.
  static constexpr std::size_t bytes_max = link_limits::bytes_max;
  /// Maximum of all texts of grants together, which must not be late.
  static constexpr std::size_t grant_bytes_max = 256 * 1024;
  /// Maximum of one text.
  static constexpr std::size_t text_bytes_max = 64 * 1024;
  static constexpr std::size_t cursor_bytes_max = core::elastic::cursor_bytes;
  /// Maximum of the labels of a host, in characters and bytes.
  static constexpr std::size_t label_bytes_max = 1024;
  /// Maximum capacity of a host.
  static constexpr std::int32_t capacity_max = 100'000;
  /// Length of the keys of processes, folders and clusters, in hexadecimal digits.
  static constexpr std::size_t key_digits = 32;
  /// Batches of events without a receipt that a node accepts on a link; a host sends at most half as many.
  static constexpr std::size_t batches_max = 16;
  /// Shortest interval between two hellos on a link; others have no effect.
  static constexpr core::milliseconds hello_every{1'000};
  /// Longest lease of a grant.
  static constexpr core::milliseconds lease_max{std::chrono::hours{24}};
};

/// Returns whether the text can be the key of a process, a folder or a cluster: `key_digits` lower-case hexadecimal digits.
[[nodiscard]] bool is_elastic_key(std::string_view text) noexcept;

/// Returns the breach of the link's rules in a message, for operators; empty: none. A receiver of a breach cuts the link. Texts
/// of hosts that are stored in columns are valid UTF-8 and fit; those of events are not checked for UTF-8.
[[nodiscard]] std::string breach_of(const elastic_hello& hello);
[[nodiscard]] std::string breach_of(const elastic_heartbeat& beat);
[[nodiscard]] std::string breach_of(const elastic_events& batch);
[[nodiscard]] std::string breach_of(const elastic_inventory& part);
[[nodiscard]] std::string breach_of(const elastic_welcome& welcome);
[[nodiscard]] std::string breach_of(const elastic_ack& ack);
[[nodiscard]] std::string breach_of(const elastic_specs& batch);
[[nodiscard]] std::string breach_of(const elastic_grants& grants);
[[nodiscard]] std::string breach_of(const elastic_orders& orders);
[[nodiscard]] std::string breach_of(const elastic_receipt& receipt);

/// Return the texts of an item in bytes: a sender adds them up to `bytes_max`, of grants with their parameter to
/// `grant_bytes_max`, to fill a message.
[[nodiscard]] std::size_t bytes_of(const elastic_event& event) noexcept;
[[nodiscard]] std::size_t bytes_of(const elastic_spec& spec) noexcept;
[[nodiscard]] std::size_t bytes_of(const elastic_grant& grant) noexcept;

} // namespace ringmaster::protocol
