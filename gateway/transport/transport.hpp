#pragma once

// Interface of the transport: a server and a client on a few io threads. The only seam to Boost.Beast.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway {

/// Counters of the transport, read from any thread.
struct transport_counters {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t requests = 0;
  /// Number of waits of requests for room for their body: see `server.buffered_bytes_max`.
  std::uint64_t body_waits = 0;
  /// Failed handshakes of clients, from the first byte on: wrong, too slow, given up, or not TLS at all.
  std::uint64_t handshakes_failed = 0;
  std::uint64_t calls = 0;
  std::uint64_t calls_in_flight = 0;
};

/// Owner of the io threads, the listening socket, every session and every client connection.
class transport {
public:
  virtual ~transport() = default;

  /// Binds the address and refuses connections until `listen`; returns the address really bound, e.g. `127.0.0.1:8080`. Errors:
  /// `unavailable` naming the address when it is in use, `invalid_argument` for an invalid address or unusable TLS files. Called
  /// at most once.
  virtual core::result<std::string> bind() = 0;

  /// Starts to accept; binds first if `bind` was not called. Returns and errors as `bind`. Called at most once. A request whose
  /// body is longer than `body_limit` permits reaches the handler without it, and its connection ends after the reply.
  virtual core::result<std::string> listen(protocol::http_handler handler, protocol::body_rule body_limit) = 0;
  core::result<std::string> listen(protocol::http_handler handler) { return listen(std::move(handler), {}); }

  /// Returns the client; it lives as long as the transport.
  [[nodiscard]] virtual std::shared_ptr<protocol::http_client> client() = 0;

  [[nodiscard]] virtual transport_counters counters() const = 0;

  /// Reads the TLS files again, for later connections. Errors: `invalid_argument`, a line for each side that keeps its old files.
  /// Any thread; reads disks.
  virtual core::result<void> reload_tls() = 0;

  /// Stops accepting connections; sessions end after their reply.
  virtual void stop_accepting() = 0;

  /// Ends everything: pending calls complete as `unknown` or `not_sent`. Joins the io threads. Idempotent.
  virtual void stop() = 0;
};

/// Makes a transport. Calls to an address outside `security.executor_networks` end as `not_sent`; the address is checked after
/// the name is resolved, on the socket's own peer. Link-local and metadata addresses are never allowed.
[[nodiscard]] std::unique_ptr<transport> make_transport(const config::server_settings& server,
                                                        const config::trigger_settings& trigger,
                                                        const config::security_settings& security);

/// Finding about the TLS files, for operators.
struct tls_finding {
  /// `failure`: the file cannot be used, or every peer will refuse it.
  enum class level : std::uint8_t { fine, warning, failure };
  level how = level::fine;
  /// Text with the setting that names the file.
  std::string detail;
};

/// Reads the TLS files; returns no findings when TLS is not used. Warns of certificates that expire within 30 days.
[[nodiscard]] std::vector<tls_finding> examine_tls(const config::server_settings& server,
                                                   const config::security_settings& security,
                                                   const config::link_settings& link, std::chrono::system_clock::time_point now);

/// Returns the reason why no call can be sent to an executor's address, as far as its text shows; empty: none. Host names and
/// invalid addresses are judged when they are called. Any thread.
using address_judge = std::function<std::string(std::string_view address)>;
[[nodiscard]] address_judge judge_addresses_by(const config::security_settings& security);

} // namespace ringmaster::gateway
