#pragma once

// Client's view of one executor address: a few kept connections and a queue of calls that wait for one.

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/transport/client/pending_call.hpp"
#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/io/networks.hpp"
#include "gateway/transport/tls/tls_stream.hpp"

namespace ringmaster::gateway::http {

class client;
class connection;

/// Returns the result of a call whose gate is closed.
[[nodiscard]] protocol::http_result gate_closed();
/// Returns the result of an unwritten call when the node stops.
[[nodiscard]] protocol::http_result stopped(const protocol::http_call& call);

/// One origin: calls wait here, first come first served, until a connection is free or another may be opened.
class origin final : private deadline {
public:
  origin(client& owner, std::string_view key);
  ~origin();

  void submit(pending_call&& call);
  /// Opens connections for `calls` more calls that leave at `when`, step by step until shortly before it.
  void expect(std::size_t calls, deadline::clock::time_point when);
  /// Opens the next few expected connections, as far as the client has room; returns false when there is nothing left to do.
  bool open_ahead(deadline::clock::time_point now);
  /// Ends every call: `unknown` once a byte was written, else `not_sent`.
  void stop();

  // -- for connections --
  void on_established() noexcept { ++established_; }
  void on_answer(deadline::clock::time_point now) noexcept { answered_at_ = now; }
  void on_free(std::shared_ptr<connection> free, deadline::clock::time_point now);
  void on_closed(connection& closed, bool was_established);
  /// Handles a failed attempt to connect: other waiting calls would fail as well.
  void on_connect_failed(const std::string& error);
  [[nodiscard]] client& owner() noexcept { return owner_; }
  [[nodiscard]] const origin_address& address() const noexcept { return address_; }
  /// Returns the session for a handshake by `context`; null when there is none.
  [[nodiscard]] tls_session session(const tls_context& context) const {
    return context == session_context_ ? session_ : nullptr;
  }
  void keep_session(tls_session session, const tls_context& context);

private:
  void pump();
  void send_on_idle();
  bool open();
  void connect(pending_call&& call);
  bool resolve();
  void on_resolved(std::vector<asio::ip::address>&& found, std::string&& error);
  [[nodiscard]] pending_call take_first();
  [[nodiscard]] std::deque<pending_call> take_all();
  void fail_waiting(const std::string& error);
  void expect_none_until(clock::time_point when) { expected_.erase(expected_.begin(), expected_.upper_bound(when)); }
  [[nodiscard]] clock::time_point patience(const pending_call& call) const;
  void end_turn();
  void expired() override;

  client& owner_;
  std::string key_;
  origin_address address_;
  /// Reason why no call can be sent to the origin; empty if there is none.
  std::string defect_;
  std::vector<tcp::endpoint> endpoints_;
  deadline::clock::time_point resolved_until_ = deadline::clock::time_point::min();
  deadline::clock::time_point answered_at_ = deadline::clock::time_point::min();
  /// While other connections work, a failed attempt is not repeated before this time.
  deadline::clock::time_point no_open_before_ = deadline::clock::time_point::min();
  bool resolving_ = false;
  /// Numbers of calls that are to leave, by their time.
  std::map<clock::time_point, std::size_t> expected_;
  tls_session session_;
  /// Context that made the session: another one may trust other certificates.
  tls_context session_context_;
  bool pumping_ = false;
  std::size_t established_ = 0;
  std::unordered_map<connection*, std::shared_ptr<connection>> connections_;
  /// The connection that was used last is used next, so that the others reach their idle limit and close.
  std::vector<std::shared_ptr<connection>> idle_;
  std::deque<pending_call> waiting_;
};

} // namespace ringmaster::gateway::http
