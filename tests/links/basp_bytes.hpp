#pragma once

// The bytes that a peer sends below CAF.

#include <cstdint>
#include <string>

#include <caf/all.hpp>
#include <caf/io/basp/header.hpp>

namespace ringmaster::test {

/// The id of a node that does not exist.
inline caf::node_id node_of(std::uint32_t process) {
  caf::hashed_node_id::host_id_type host{};
  host.fill(7);
  return caf::make_node_id(process, host);
}

template <class Value>
std::string bytes_of(const Value& value) {
  caf::byte_buffer bytes;
  caf::binary_serializer sink{nullptr, bytes};
  if (!sink.apply(value))
    return {};
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string basp_header(caf::io::basp::message_type what, std::uint32_t length, std::uint8_t flags = 0,
                               std::uint64_t to = 0) {
  return bytes_of(caf::io::basp::header{what, flags, length, 0, 0, to});
}

} // namespace ringmaster::test
