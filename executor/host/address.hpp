#pragma once

// The address under which an executor can be reached (XXL wire §4.1, §4.2).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::executor {

/// Returns the numeric addresses of this machine's interfaces that are up, in the system's order.
[[nodiscard]] std::vector<std::string> machine_addresses();

/// Returns the address that others can reach: the first IPv4 address that is neither loopback nor link-local, else such an IPv6
/// address; empty: none.
[[nodiscard]] std::string reachable_address(const std::vector<std::string>& addresses);

/// Returns whether only this machine can reach a server that listens on `host`.
[[nodiscard]] bool is_loopback(std::string_view host);

/// Returns `host:port` to listen on; an IPv6 host gets its brackets.
[[nodiscard]] std::string listen_text(const std::string& host, std::size_t port);

/// The address settings, as in executor_options.
struct own_address {
  std::string listen;
  std::string ip = {};
  std::string address = {};
};

/// Returns the address to register for an executor bound to `port`. Errors: `invalid_argument` when it listens on all addresses
/// and others can reach none of them, so that `ip` or `address` must be set.
[[nodiscard]] core::result<std::string> address_to_register(const own_address& said, std::uint16_t port, bool tls,
                                                            const std::vector<std::string>& of_machine);

/// Returns the address of an executor without a port, which only native links reach: `ringmaster://APP/INSTANCE`. The instance
/// name is created once and kept in a file of `folder`, so that it survives a restart. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> native_address(const std::string& app_name, const own_address& said,
                                                      const std::string& folder);

/// Returns the ports to try, in this order: the configured one; for 0, 9999 and up, then 9998 and down.
[[nodiscard]] std::vector<std::uint16_t> ports_to_try(std::size_t set);

} // namespace ringmaster::executor
