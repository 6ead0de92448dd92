#pragma once

// Destinations of calls: the parts of an origin, the networks that executors may be in, and the look-up of names.

#include "gateway/transport/io/asio.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "gateway/transport/io/inbox.hpp"

namespace ringmaster::gateway::http {

/// Parts of `http://host:port` or `https://host:port`.
struct origin_address {
  /// Host without the brackets of an IPv6 address.
  std::string host;
  std::uint16_t port = 80;
  /// Value of the Host header: as written in the origin.
  std::string authority;
  /// True for https; then the default port is 443.
  bool tls = false;
};

/// Parses an origin. Errors: `invalid_argument`.
[[nodiscard]] core::result<origin_address> parse_origin(std::string_view origin);

/// Returns untrusted text for an error message: printable ASCII, at most 128 bytes.
[[nodiscard]] std::string printable(std::string_view text);

/// Networks of `security.executor_networks`. An invalid entry matches nothing.
class network_list {
public:
  explicit network_list(const std::vector<std::string>& networks);

  /// Returns true for an allowed address. Link-local addresses and the addresses of cloud metadata services are never allowed,
  /// whatever the list says.
  [[nodiscard]] bool allows(asio::ip::address address) const;

private:
  std::vector<asio::ip::network_v4> v4_;
  std::vector<asio::ip::network_v6> v6_;
};

/// Resolver of names with short-lived threads: a dead name server delays neither the io thread nor a stop.
class name_lookup {
public:
  /// Receives addresses, or none and the reason.
  using completion = std::function<void(std::vector<asio::ip::address>&& addresses, std::string&& error)>;

  name_lookup(engine& shared, std::thread::id io);

  /// Looks a name up and calls `done` on the io thread, unless `stop` comes first. Numeric addresses complete at once.
  void start(std::string host, completion done);
  void stop();

private:
  struct answer {
    std::uint64_t ticket = 0;
    std::vector<asio::ip::address> addresses;
    std::string error;
  };
  struct question {
    std::uint64_t ticket = 0;
    std::string host;
  };
  static answer ask(const question& asked);
  void run_next();
  void on_answers();

  std::shared_ptr<inbox<answer>> answers_;
  std::unordered_map<std::uint64_t, completion> waiting_;
  std::deque<question> queue_;
  std::uint64_t tickets_ = 0;
  std::size_t running_ = 0;
};

} // namespace ringmaster::gateway::http
