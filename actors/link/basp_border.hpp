#pragma once

// Checks of the bytes that a peer sends below CAF. Pure; one object per connection.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <caf/node_id.hpp>

namespace ringmaster::actors {

/// CAF trusts the bytes of its peers: a handshake without a payload ends the process, memory is allocated for a length before its
/// data arrives, and a peer may reach other peers through this process. The peer has shown a certificate but no token, so every
/// header and payload is checked here before CAF sees it. Each end sends its handshake first and once; then only data for the
/// other end.
class basp_border {
public:
  static constexpr std::size_t header_size = 32;
  /// Twice the largest message of Ringmaster (protocol/link_border.hpp).
  static constexpr std::uint32_t payload_max = 2 * 1024 * 1024;
  /// Maximum number of hellos and of proofs per connection. CAF keeps a proxy for each named gate as long as the connection
  /// lives.
  static constexpr int hellos_max = 16;

  enum class verdict : std::uint8_t {
    pass,
    /// Not needed: CAF must not see it.
    drop,
    /// No node or executor sends this: the connection ends.
    close
  };

  /// `dials`: this end opened the connection. `here`: the node id of this process.
  basp_border(bool dials, caf::node_id here) : dials_{dials}, here_{std::move(here)} {}

  /// Judges the next `next_size` bytes.
  [[nodiscard]] verdict judge(std::span<const std::byte> bytes);
  /// Returns the other end's node id from its handshake; empty before that.
  [[nodiscard]] const caf::node_id& peer() const noexcept { return peer_; }
  [[nodiscard]] std::size_t next_size() const noexcept { return length_ == 0 ? header_size : length_; }

private:
  [[nodiscard]] verdict judge_header(std::span<const std::byte> bytes);
  [[nodiscard]] verdict judge_payload(std::span<const std::byte> bytes);

  bool dials_;
  caf::node_id here_;
  /// From the peer's handshake.
  caf::node_id peer_;
  /// Length of the payload that follows.
  std::uint32_t length_ = 0;
  std::uint8_t operation_ = 0;
  bool greeted_ = false;
  bool dropping_ = false;
  int hellos_ = 0;
  int proofs_ = 0;
};

} // namespace ringmaster::actors
