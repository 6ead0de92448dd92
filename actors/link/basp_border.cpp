#include "actors/link/basp_border.hpp"

#include <optional>
#include <utility>

#include <caf/binary_deserializer.hpp>
#include <caf/io/basp/header.hpp>

#include "protocol/link_type_ids.hpp"

namespace ringmaster::actors {

namespace basp = caf::io::basp;
using operation = basp::message_type;

namespace {

static_assert(basp_border::header_size == basp::header_size);

// Offsets of the header fields; numbers are in network order.
constexpr std::size_t operation_at = 0;
constexpr std::size_t flags_at = 3;
constexpr std::size_t length_at = 4;
constexpr std::size_t source_at = 16;

/// Size of an error without a context; a few extra bytes are harmless.
constexpr std::size_t plain_error_size = 16;

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = number << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return number;
}

/// Returns the type of a single, direct message of protocol/link_type_ids.hpp. CAF itself would act on others: it ends actors,
/// links them, and stores their content.
std::optional<caf::type_id_t> link_type_of(std::span<const std::byte> payload) {
  using ids = caf::id_block::ringmaster_net;
  constexpr std::size_t type_at = 2;
  if (payload.size() < type_at + 2 || payload[0] != std::byte{0} || payload[1] != std::byte{1})
    return std::nullopt;
  const auto type = std::to_integer<unsigned>(payload[type_at]) << 8U | std::to_integer<unsigned>(payload[type_at + 1]);
  if (type < ids::begin || type >= ids::end)
    return std::nullopt;
  return static_cast<caf::type_id_t>(type);
}

} // namespace

basp_border::verdict basp_border::judge(std::span<const std::byte> bytes) {
  if (bytes.size() != next_size())
    return verdict::close;
  return length_ == 0 ? judge_header(bytes) : judge_payload(bytes);
}

basp_border::verdict basp_border::judge_header(std::span<const std::byte> bytes) {
  operation_ = std::to_integer<std::uint8_t>(bytes[operation_at]);
  length_ = number_at(bytes, length_at);
  if (length_ > payload_max)
    return verdict::close;
  const auto what = operation{operation_};
  if (!greeted_)
    return what == (dials_ ? operation::server_handshake : operation::client_handshake) && length_ > 0 ? verdict::pass
                                                                                                       : verdict::close;
  const bool named = (std::to_integer<std::uint8_t>(bytes[flags_at]) & basp::header::named_receiver_flag) != 0;
  switch (what) {
  case operation::heartbeat: return length_ == 0 ? verdict::pass : verdict::close;
  case operation::monitor_message:
  case operation::down_message: return length_ > 0 ? verdict::pass : verdict::close;
  case operation::direct_message:
    if (length_ == 0)
      return verdict::close;
    // For CAF's own servers, which CAF asks when a connection begins; no actor of Ringmaster needs an answer.
    dropping_ = named;
    if (named)
      return verdict::drop;
    // Ringmaster's messages have no sender; CAF would keep a proxy for each named sender.
    return number_at(bytes, source_at) == 0 && number_at(bytes, source_at + 4) == 0 ? verdict::pass : verdict::close;
  default: return verdict::close;
  }
}

basp_border::verdict basp_border::judge_payload(std::span<const std::byte> bytes) {
  length_ = 0;
  if (std::exchange(dropping_, false))
    return verdict::drop;
  const auto what = operation{operation_};
  if (what == operation::direct_message) {
    const auto type = link_type_of(bytes);
    const bool is_hello = type == caf::type_id_v<protocol::link_hello>;
    const bool is_proof = type == caf::type_id_v<protocol::link_proof>;
    if (!type || (is_hello && ++hellos_ > hellos_max) || (is_proof && ++proofs_ > hellos_max))
      return verdict::close;
    return verdict::pass;
  }
  // All other operations begin with the sender's node id.
  caf::binary_deserializer source{nullptr, bytes.data(), bytes.size()};
  caf::node_id from;
  if (!source.apply(from) || !from || from == here_)
    return verdict::close;
  if (!std::exchange(greeted_, true)) {
    peer_ = std::move(from);
    return verdict::pass;
  }
  caf::node_id to;
  if (from != peer_ || !source.apply(to) || to != here_)
    return verdict::close;
  // The exit reason of an actor: a plain CAF error code, after which arbitrary data could follow.
  return what == operation::down_message && source.remaining() > plain_error_size ? verdict::close : verdict::pass;
}

} // namespace ringmaster::actors
