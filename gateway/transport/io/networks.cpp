#include "gateway/transport/io/networks.hpp"

#include <algorithm>
#include <thread>

#include <netdb.h>
#include <signal.h>

#include "core/text/ip_bytes.hpp"
#include "core/text/network_text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::gateway::http {

namespace {

constexpr std::size_t lookups_max = 8;

core::result<origin_address> refuse(std::string_view origin, std::string_view why) {
  return core::fail(core::errc::invalid_argument, "invalid executor address `" + printable(origin) + "`: " + std::string(why));
}

bool is_host_char(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_host(std::string_view host) noexcept { return host.size() <= 253 && std::all_of(host.begin(), host.end(), is_host_char); }

/// Converts an IPv4-mapped IPv6 address to IPv4, so that it is judged as IPv4.
asio::ip::address plain(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  return address;
}

bool never_allowed(const asio::ip::address& address) {
  return address.is_v4() ? core::is_link_local_or_metadata(address.to_v4().to_bytes())
                         : core::is_link_local_or_metadata(address.to_v6().to_bytes());
}

template <class Network, class Address>
bool contains(const Network& network, const Address& address) {
  return Network{address, network.prefix_length()}.canonical() == network;
}

} // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t bytes_max = 128;
  std::string shown(text.substr(0, bytes_max));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > bytes_max ? shown + "..." : shown;
}

core::result<origin_address> parse_origin(std::string_view origin) {
  const auto url = core::split_url(origin);
  if (!url.scheme)
    return refuse(origin, "no scheme");
  if (!url.is_http())
    return refuse(origin, "the scheme must be http or https");
  const auto place = core::split_host_port(url.authority);
  origin_address parts;
  parts.tls = url.scheme == "https";
  parts.host = place.host;
  parts.authority = url.authority;
  error_code ec;
  if (url.authority.starts_with('[')) {
    asio::ip::make_address_v6(parts.host, ec);
    if (ec || !place.in_brackets || parts.host.find('%') != std::string::npos)
      return refuse(origin, "the host is not an IPv6 address");
  } else if (parts.host.empty()) {
    return refuse(origin, "the host is empty");
  } else if (place.is_plain && !is_host(parts.host)) {
    return refuse(origin, "invalid host");
  }
  if (!url.path.empty() || !url.tail.empty())
    return refuse(origin, "invalid host");
  if (core::is_ip6_without_brackets(url.authority))
    return refuse(origin, "an IPv6 address must be in brackets");
  const auto port = place.port ? core::parse_port(*place.port).value_or(0) : parts.tls ? 443 : 80;
  if (!place.is_plain || port == 0)
    return refuse(origin, "the port must be a number from 1 to 65535");
  parts.port = static_cast<std::uint16_t>(port);
  return parts;
}

network_list::network_list(const std::vector<std::string>& networks) {
  for (const auto& text : networks) {
    const auto network = core::split_network(text);
    error_code ec;
    if (!network)
      continue;
    if (network->v6) {
      if (const auto address = asio::ip::make_address_v6(network->address, ec); !ec)
        v6_.push_back(asio::ip::network_v6{address, network->prefix}.canonical());
    } else if (const auto address = asio::ip::make_address_v4(network->address, ec); !ec) {
      v4_.push_back(asio::ip::network_v4{address, network->prefix}.canonical());
    }
  }
}

bool network_list::allows(asio::ip::address address) const {
  address = plain(address);
  if (never_allowed(address))
    return false;
  if (address.is_v4())
    return std::any_of(v4_.begin(), v4_.end(), [a = address.to_v4()](const auto& network) { return contains(network, a); });
  auto bytes = asio::ip::address_v6{address.to_v6().to_bytes()}; // without a scope, which would differ from the list's
  return std::any_of(v6_.begin(), v6_.end(), [&](const auto& network) { return contains(network, bytes); });
}

name_lookup::name_lookup(engine& shared, std::thread::id io)
  : answers_(std::make_shared<inbox<answer>>(io, [this, &shared] { asio::post(shared.io, [this] { on_answers(); }); })) {}

void name_lookup::start(std::string host, completion done) {
  error_code ec;
  if (auto address = asio::ip::make_address(host, ec); !ec)
    return done({address}, {});
  waiting_.emplace(++tickets_, std::move(done));
  queue_.push_back({tickets_, std::move(host)});
  run_next();
}

void name_lookup::stop() {
  queue_.clear();
  waiting_.clear();
  (void)answers_->close();
}

void name_lookup::run_next() {
  while (running_ < lookups_max && !queue_.empty()) {
    ++running_;
    auto work = [answers = answers_, asked = std::move(queue_.front())] {
      auto found = ask(asked);
      (void)answers->post(found);
    };
    queue_.pop_front();
    // Signals belong to the main thread.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread{std::move(work)}.detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

name_lookup::answer name_lookup::ask(const question& asked) {
  answer found{asked.ticket, {}, {}};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = AF_UNSPEC;
  addrinfo* list = nullptr;
  if (int status = ::getaddrinfo(asked.host.c_str(), nullptr, &hints, &list); status != 0) {
    found.error = "cannot resolve the host name " + printable(asked.host) + ": " + ::gai_strerror(status);
    return found;
  }
  for (auto* item = list; item != nullptr; item = item->ai_next) {
    tcp::endpoint endpoint;
    if (item->ai_addrlen <= endpoint.capacity()) {
      endpoint.resize(item->ai_addrlen);
      std::copy_n(reinterpret_cast<const char*>(item->ai_addr), item->ai_addrlen, reinterpret_cast<char*>(endpoint.data()));
      found.addresses.push_back(endpoint.address());
    }
  }
  ::freeaddrinfo(list);
  return found;
}

void name_lookup::on_answers() {
  std::vector<answer> found;
  answers_->take(found);
  for (auto& item : found) {
    --running_;
    if (auto waiting = waiting_.extract(item.ticket))
      waiting.mapped()(std::move(item.addresses), std::move(item.error));
  }
  run_next();
}

} // namespace ringmaster::gateway::http
