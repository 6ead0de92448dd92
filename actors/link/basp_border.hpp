#pragma once

// What a peer may send below CAF. Pure; one for each connection.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <caf/node_id.hpp>

namespace ringmaster::actors {

/// CAF believes the bytes of its peers: a handshake without a payload ends its process, a length is allocated before anything of
/// it has come, and one peer may speak to the others through it. Whoever is at the other end has shown a certificate, but no
/// token: each header and each payload is looked at here before CAF sees it. Each end says its own handshake first and once; then
/// what is for the other end alone.
class basp_border {
public:
  static constexpr std::size_t header_size = 32;
  /// Twice the largest of our messages (protocol/link_border.hpp).
  static constexpr std::uint32_t payload_max = 2 * 1024 * 1024;
  /// Hellos over one connection, and proofs. CAF keeps a proxy for each gate that is named, as long as the connection lives.
  static constexpr int hellos_max = 16;

  enum class verdict : std::uint8_t {
    pass,
    /// Of no use here: CAF shall not see it.
    drop,
    /// Nobody of ours sends it: the connection ends.
    close
  };

  /// `dials`: whether this end did. `here`: of this process.
  basp_border(bool dials, caf::node_id here) : dials_{dials}, here_{std::move(here)} {}

  /// Of the next bytes: `next_size` of them.
  [[nodiscard]] verdict judge(std::span<const std::byte> bytes);
  /// The other end, as it said in its handshake; nothing before that.
  [[nodiscard]] const caf::node_id& peer() const noexcept { return peer_; }
  [[nodiscard]] std::size_t next_size() const noexcept { return length_ == 0 ? header_size : length_; }

private:
  [[nodiscard]] verdict judge_header(std::span<const std::byte> bytes);
  [[nodiscard]] verdict judge_payload(std::span<const std::byte> bytes);

  bool dials_;
  caf::node_id here_;
  /// As it said in its handshake.
  caf::node_id peer_;
  /// Of the payload that comes next.
  std::uint32_t length_ = 0;
  std::uint8_t operation_ = 0;
  bool greeted_ = false;
  bool dropping_ = false;
  int hellos_ = 0;
  int proofs_ = 0;
};

} // namespace ringmaster::actors
