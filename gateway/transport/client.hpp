#pragma once

// The calling half: for each origin a few kept connections and a queue of calls that wait for one.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "gateway/transport/asio.hpp"
#include "gateway/transport/inbox.hpp"
#include "gateway/transport/networks.hpp"
#include "gateway/transport/tls_stream.hpp"
#include "gateway/transport/urgency.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

class client;
class connection;

/// Calls that were posted together; lives until the last of them is done.
struct call_batch {
  std::vector<protocol::http_call> calls;
  protocol::http_client::completion done;
  /// The requests as they are written, for calls that were made ready ahead of their time; empty for the others.
  std::vector<std::string> texts;
};

/// One call on its way.
struct pending_call {
  std::shared_ptr<call_batch> batch;
  std::size_t index = 0;

  [[nodiscard]] protocol::http_call& call() const noexcept { return batch->calls[index]; }
  /// The request was made ready, so that nothing is wrong with it.
  [[nodiscard]] bool ready() const noexcept { return !batch->texts.empty() && !batch->texts[index].empty(); }
  /// When it may leave: its time limits count from here.
  [[nodiscard]] deadline::clock::time_point due() const noexcept { return call().not_before; }
  explicit operator bool() const noexcept { return batch != nullptr; }
};

/// What a call ends with that its gate keeps back.
[[nodiscard]] protocol::http_result gate_closed();
/// What a call ends with of which nothing was written when the node stops.
[[nodiscard]] protocol::http_result stopped(const protocol::http_call& call);

/// One origin: calls wait here, first come first served, until a connection is free or another may be opened.
class origin final : private deadline {
public:
  origin(client& owner, std::string_view key);
  ~origin();

  void submit(pending_call&& call);
  /// So many calls will come at once. Over TLS connections are made for them now: handshakes take longer than calls.
  void expect(std::size_t calls);
  /// Ends every call: `unknown` once a byte was written, else `not_sent`.
  void stop();

  // For connections.
  void on_established() noexcept { ++established_; }
  void on_answer(deadline::clock::time_point now) noexcept { answered_at_ = now; }
  void on_free(std::shared_ptr<connection> free, deadline::clock::time_point now);
  void on_closed(connection& closed, bool was_established);
  /// A new connection could not be made: nothing that waits will do better.
  void on_connect_failed(const std::string& error);
  [[nodiscard]] client& owner() noexcept { return owner_; }
  [[nodiscard]] const origin_address& address() const noexcept { return address_; }
  /// For a handshake by `context`; null when there is none.
  [[nodiscard]] tls_session session(const tls_context& context) const {
    return context == session_context_ ? session_ : nullptr;
  }
  void keep_session(tls_session session, const tls_context& context);

private:
  void pump();
  void send_on_idle();
  bool open();
  void open_ahead();
  void connect(pending_call&& call);
  bool resolve();
  void on_resolved(std::vector<asio::ip::address>&& found, std::string&& error);
  void fail_waiting(const std::string& error);
  [[nodiscard]] clock::time_point patience(const pending_call& call) const;
  void end_turn();
  void expired() override;

  client& owner_;
  std::string key_;
  origin_address address_;
  /// Why no call can go there; empty: it can.
  std::string defect_;
  std::vector<tcp::endpoint> endpoints_;
  deadline::clock::time_point resolved_until_ = deadline::clock::time_point::min();
  deadline::clock::time_point answered_at_ = deadline::clock::time_point::min();
  /// While other connections work, a failed attempt is not repeated before this.
  deadline::clock::time_point no_open_before_ = deadline::clock::time_point::min();
  bool resolving_ = false;
  /// Connections to make as soon as the addresses are known.
  std::size_t expected_ = 0;
  tls_session session_;
  /// By which it was made: another one may trust somebody else.
  tls_context session_context_;
  bool pumping_ = false;
  std::size_t established_ = 0;
  std::unordered_map<connection*, std::shared_ptr<connection>> connections_;
  /// The one used last is used next, so that the others can grow old and close.
  std::vector<std::shared_ptr<connection>> idle_;
  std::deque<pending_call> waiting_;
};

/// The origins of one io thread. `post` from any thread, everything else on that one.
class client final : public protocol::http_client {
public:
  /// `forgotten` is told, on the io thread, which origin was not used for long and is gone.
  client(engine& shared, const config::trigger_settings& trigger, const config::security_settings& security,
         std::shared_ptr<tls_source> tls, std::thread::id io, std::function<void(const std::string& origin)> forgotten);
  ~client() override;

  void post(std::vector<protocol::http_call>&& calls, completion done) override;
  void stop();

  // For origins and connections.
  [[nodiscard]] engine& shared() noexcept { return shared_; }
  [[nodiscard]] const config::trigger_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const network_list& networks() const noexcept { return networks_; }
  [[nodiscard]] tls_source& tls() noexcept { return *tls_; }
  [[nodiscard]] name_lookup& names() noexcept { return names_; }
  /// One for all connections: a reply reader keeps nothing of what it was fed.
  [[nodiscard]] std::span<char> read_buffer() noexcept { return read_buffer_; }
  void finish(pending_call&& call, protocol::http_result&& result);
  void forget(std::string key);

private:
  struct key_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  /// Calls of one batch, posted ahead of the time at which they leave together.
  struct held_calls {
    std::shared_ptr<call_batch> batch;
    std::size_t first = 0;
    std::size_t end = 0;
  };

  void on_posted();
  void take(const std::shared_ptr<call_batch>& batch, deadline::clock::time_point now);
  void make_ready(held_calls&& calls);
  void submit(const held_calls& calls);
  [[nodiscard]] origin& origin_of(const std::string& key);
  void on_held_timer();
  void release_held(deadline::clock::time_point now);
  void arm_held();
  [[nodiscard]] bool many_leave_next() const;
  static void refuse(call_batch& batch);

  engine& shared_;
  config::trigger_settings settings_;
  network_list networks_;
  std::shared_ptr<tls_source> tls_;
  name_lookup names_;
  std::function<void(const std::string& origin)> forgotten_;
  std::vector<char> read_buffer_;
  inbox<std::shared_ptr<call_batch>> posted_;
  std::vector<std::shared_ptr<call_batch>> taken_;
  /// By the time at which they leave.
  std::multimap<deadline::clock::time_point, held_calls> held_;
  /// None after stop: whoever still has this client may keep it longer than the engine lives.
  std::optional<tcp_timer> held_timer_;
  deadline::clock::time_point held_armed_ = deadline::never;
  urgency urgency_;
  std::unordered_map<std::string, std::unique_ptr<origin>, key_hash, std::equal_to<>> origins_;
};

} // namespace ringmaster::gateway::http
