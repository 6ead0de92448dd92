#pragma once

// Where a call may go: the parts of an origin, the networks that executors may live in, and the look-up of names.

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

/// `http://host:port` or `https://host:port`, taken apart.
struct origin_address {
  /// Without the brackets of an IPv6 address.
  std::string host;
  std::uint16_t port = 80;
  /// What the Host header says: as the origin wrote it.
  std::string authority;
  /// https; then the port is 443 unless it says another one.
  bool tls = false;
};

/// Errors: `invalid_argument` for what is no origin.
[[nodiscard]] core::result<origin_address> parse_origin(std::string_view origin);

/// Untrusted text for an error message: printable ASCII, at most 128 bytes.
[[nodiscard]] std::string printable(std::string_view text);

/// The networks of `security.executor_networks`. An entry that is none matches nothing.
class network_list {
public:
  explicit network_list(const std::vector<std::string>& networks);

  /// Link-local addresses and the addresses of cloud metadata services never are, whatever the list says.
  [[nodiscard]] bool allows(asio::ip::address address) const;

private:
  std::vector<asio::ip::network_v4> v4_;
  std::vector<asio::ip::network_v6> v6_;
};

/// Looks names up on short-lived threads of its own: a dead name server holds up neither the io thread nor a stop.
class name_lookup {
public:
  /// Addresses, or none and the reason.
  using completion = std::function<void(std::vector<asio::ip::address>&& addresses, std::string&& error)>;

  name_lookup(engine& shared, std::thread::id io);

  /// `done` comes on the io thread, unless `stop` comes first. Numeric addresses complete at once.
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
