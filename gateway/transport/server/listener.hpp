#pragma once

// Server half of the transport: the listening socket and the sessions that it accepted.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/io/inbox.hpp"
#include "gateway/transport/server/client_shares.hpp"
#include "gateway/transport/tls/tls_context.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

class session;

/// A reply on its way from another thread to its session.
struct posted_reply {
  std::weak_ptr<session> to;
  std::uint64_t ticket = 0;
  /// Without a value: see http_reply::keep_silent.
  std::optional<protocol::http_response> response;
  /// Above 0: no reply, but an extension of its time limit.
  std::chrono::milliseconds hold{0};
};
using reply_inbox = inbox<posted_reply>;

/// Accepts, counts and ends sessions. Everything but `bind` and `open` runs on the io thread.
class listener final : private deadline {
public:
  /// `tls`: null, or the TLS context that every connection must use.
  listener(engine& shared, const config::server_settings& settings, std::shared_ptr<tls_source> tls, std::thread::id io);
  ~listener() = default;

  /// Return the bound address; `open` binds if `bind` was not called. Any thread, before the first `start`.
  core::result<std::string> bind();
  core::result<std::string> open(protocol::http_handler handler, protocol::body_rule body_limit);
  [[nodiscard]] bool is_bound() const noexcept { return !bound_.empty(); }
  void start() { accept(); }
  /// Stops accepting; ends idle sessions now, the others after their reply.
  void drain();
  /// Ends every session at once.
  void stop();

  // -- for sessions --
  [[nodiscard]] engine& shared() noexcept { return shared_; }
  [[nodiscard]] const config::server_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const protocol::http_handler& handler() const noexcept { return handler_; }
  [[nodiscard]] const std::shared_ptr<reply_inbox>& replies() const noexcept { return replies_; }
  [[nodiscard]] const protocol::body_rule& body_limit() const noexcept { return body_limit_; }
  [[nodiscard]] bool draining() const noexcept { return draining_; }
  void forget(session& ended);

private:
  [[nodiscard]] core::result<std::string> give_up(error_code why);
  void accept();
  void on_accept(error_code ec, tcp_socket socket);
  void admit(tcp_socket socket);
  [[nodiscard]] bool takes_share(session& of);
  void admit_tls(std::shared_ptr<session> made, bool full);
  void on_replies();
  void expired() override;

  engine& shared_;
  config::server_settings settings_;
  std::shared_ptr<tls_source> tls_;
  protocol::http_handler handler_;
  protocol::body_rule body_limit_;
  tcp_acceptor acceptor_;
  std::string bound_;
  client_shares shares_;
  std::shared_ptr<reply_inbox> replies_;
  std::vector<posted_reply> taken_;
  std::unordered_map<session*, std::shared_ptr<session>> sessions_;
  /// Number of sessions that only send their client the refusal "too many connections".
  std::size_t refusing_ = 0;
  bool draining_ = false;
};

} // namespace ringmaster::gateway::http
