#include "gateway/transport/server/listener.hpp"

#include <boost/asio/ip/v6_only.hpp>

#include <algorithm>

#include <netdb.h>
#include <sys/socket.h>

#include "core/text/url_text.hpp"
#include "gateway/transport/io/networks.hpp"
#include "gateway/transport/server/session.hpp"

namespace ringmaster::gateway::http {

namespace {

constexpr int backlog = 4096;
constexpr std::chrono::milliseconds accept_pause{100};
/// Beyond this many refused clients at once, further connections are closed without a reply.
constexpr std::size_t refusing_max = 256;

/// Accepts `host:port`, `[::1]:port`, `:port` (all IPv4 addresses).
core::result<tcp::endpoint> parse_listen(const std::string& text) {
  auto bad = [&text](std::string_view why) {
    return core::fail(core::errc::invalid_argument, "server.listen = `" + printable(text) + "`: " + std::string(why));
  };
  const auto place = core::split_host_port(text);
  if (!place.port)
    return bad("it must be host:port");
  const auto port = core::parse_port(*place.port);
  if (!port)
    return bad("the port must be a number from 0 to 65535");
  if (!place.is_plain)
    return bad("an IPv6 address must be in brackets");
  std::string host{place.host};
  if (host.empty() || host == "*")
    host = "0.0.0.0";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (int status = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); status != 0)
    return bad(std::string("unknown host: ") + ::gai_strerror(status));
  // A name with both kinds of addresses, such as localhost, stands for the IPv4 address.
  auto* chosen = list;
  for (auto* item = list; item != nullptr && chosen->ai_family != AF_INET; item = item->ai_next)
    chosen = item->ai_family == AF_INET ? item : chosen;
  tcp::endpoint endpoint;
  endpoint.resize(chosen->ai_addrlen);
  std::copy_n(reinterpret_cast<const char*>(chosen->ai_addr), chosen->ai_addrlen, reinterpret_cast<char*>(endpoint.data()));
  ::freeaddrinfo(list);
  endpoint.port(*port);
  return endpoint;
}

std::string to_text(const tcp::endpoint& endpoint) {
  auto host = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

} // namespace

listener::listener(engine& shared, const config::server_settings& settings, std::shared_ptr<tls_source> tls, std::thread::id io)
  : deadline(shared.limits), shared_(shared), settings_(settings), tls_(std::move(tls)), acceptor_(shared.io),
    shares_(settings.connections_per_client, settings.trusted_proxies),
    replies_(std::make_shared<reply_inbox>(io, [this] { asio::post(shared_.io, [this] { on_replies(); }); })) {}

core::result<std::string> listener::bind() {
  if (acceptor_.is_open())
    return core::fail(core::errc::invalid_argument, "the server is already bound to an address");
  auto endpoint = parse_listen(settings_.listen);
  if (!endpoint)
    return tl::unexpected{endpoint.error()};
  error_code ec;
  acceptor_.open(endpoint->protocol(), ec);
  if (!ec)
    acceptor_.set_option(tcp_acceptor::reuse_address{true}, ec);
  if (!ec && endpoint->address().is_v6())
    acceptor_.set_option(asio::ip::v6_only{!endpoint->address().is_unspecified()}, ec);
  if (!ec)
    acceptor_.bind(*endpoint, ec);
  // Listens at once, because with SO_REUSEADDR another process could still bind the address of a socket that does not listen.
  // Clients wait in the backlog until `open`.
  if (!ec)
    acceptor_.listen(backlog, ec);
  if (ec)
    return give_up(ec);
  bound_ = to_text(acceptor_.local_endpoint(ec));
  return bound_;
}

core::result<std::string> listener::open(protocol::http_handler handler, protocol::body_rule body_limit) {
  if (handler_)
    return core::fail(core::errc::invalid_argument, "the server is already listening");
  if (bound_.empty())
    if (auto done = bind(); !done)
      return done;
  handler_ = std::move(handler);
  body_limit_ = std::move(body_limit);
  return bound_;
}

core::result<std::string> listener::give_up(error_code why) {
  error_code ignored;
  acceptor_.close(ignored);
  bound_.clear();
  return core::fail(core::errc::unavailable, "cannot listen on " + settings_.listen + ": " + why.message());
}

void listener::accept() {
  acceptor_.async_accept([this](error_code ec, tcp_socket socket) { on_accept(ec, std::move(socket)); });
}

void listener::on_accept(error_code ec, tcp_socket socket) {
  if (draining_)
    return;
  if (!ec)
    admit(std::move(socket));
  // Out of descriptors or memory: another try at once would burn a core until a descriptor is closed.
  if (ec && ec != asio::error::connection_aborted && ec != asio::error::interrupted)
    return expire_after(accept_pause);
  accept();
}

void listener::expired() {
  if (!draining_)
    accept();
}

/// Returns false when the client already has its share of connections.
bool listener::takes_share(session& of) {
  auto key = shares_.take(of.remote());
  if (!key)
    return false;
  of.charge(std::move(*key));
  return true;
}

void listener::admit(tcp_socket socket) {
  auto made = std::make_shared<session>(*this, std::move(socket));
  const bool full = sessions_.size() - refusing_ >= settings_.connections_max || !takes_share(*made);
  if (full)
    count(shared_.connections_refused);
  if (tls_)
    return admit_tls(std::move(made), full);
  if (full && refusing_ >= refusing_max)
    return made->abandon();
  sessions_.emplace(made.get(), made);
  if (full) {
    ++refusing_;
    made->refuse();
  } else {
    made->start();
  }
}

void listener::admit_tls(std::shared_ptr<session> made, bool full) {
  auto context = tls_->get();
  // A refusal over TLS would cost more than serving the client.
  if (full || !context) {
    shares_.give_back(made->charged());
    return made->abandon();
  }
  sessions_.emplace(made.get(), made);
  made->start(*context);
}

void listener::forget(session& ended) {
  if (ended.refused())
    --refusing_;
  shares_.give_back(ended.charged());
  sessions_.erase(&ended);
}

void listener::on_replies() {
  replies_->take(taken_);
  for (auto& item : taken_) {
    auto to = item.to.lock();
    if (to && item.hold.count() > 0)
      to->hold_reply(item.ticket, item.hold);
    else if (to)
      to->answer(item.ticket, std::move(item.response));
  }
  taken_.clear();
}

void listener::drain() {
  draining_ = true;
  error_code ec;
  acceptor_.close(ec);
  expire_never();
  std::vector<std::shared_ptr<session>> open;
  for (const auto& [key, value] : sessions_)
    open.push_back(value);
  for (const auto& item : open)
    item->drain();
}

void listener::stop() {
  drain();
  on_replies();
  (void)replies_->close();
  while (!sessions_.empty()) {
    auto last = sessions_.begin()->second;
    last->close();
  }
}

} // namespace ringmaster::gateway::http
