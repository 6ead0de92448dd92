#pragma once

// Under which address an executor can be reached (XXL wire §4.1, §4.2).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::executor {

/// Numeric addresses of this machine's interfaces that are up, in the system's order.
[[nodiscard]] std::vector<std::string> machine_addresses();

/// The one that others can reach: the first IPv4 address that is neither loopback nor link-local, else such an IPv6 address;
/// empty: there is none.
[[nodiscard]] std::string reachable_address(const std::vector<std::string>& addresses);

/// Only this machine can reach who listens there.
[[nodiscard]] bool is_loopback(std::string_view host);

/// `host:port` to listen on; an IPv6 host gets its brackets.
[[nodiscard]] std::string listen_text(const std::string& host, std::size_t port);

/// What is said of it, as in executor_options.
struct own_address {
  std::string listen;
  std::string ip = {};
  std::string address = {};
};

/// The address to register for an executor that is bound to `port`. Errors: `invalid_argument` when it listens on all addresses
/// and none of them can be reached by others, so that `ip` or `address` has to be said.
[[nodiscard]] core::result<std::string> address_to_register(const own_address& said, std::uint16_t port, bool tls,
                                                            const std::vector<std::string>& of_machine);

/// The address of an executor without a port, which native links alone lead to: `ringmaster://APP/INSTANCE`, with a name that is
/// made once and kept in a file of `folder`, so that it is the same after a restart. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> native_address(const std::string& app_name, const own_address& said,
                                                      const std::string& folder);

/// Ports to try, in this order: the one that is set; where that is 0 9999 and up, then 9998 and down.
[[nodiscard]] std::vector<std::uint16_t> ports_to_try(std::size_t set);

} // namespace ringmaster::executor
