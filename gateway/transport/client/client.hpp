#pragma once

// Client half of the transport: the origins of one io thread, and the calls that wait for their instant.

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
#include "gateway/transport/client/burst.hpp"
#include "gateway/transport/client/pending_call.hpp"
#include "gateway/transport/io/asio.hpp"
#include "gateway/transport/io/inbox.hpp"
#include "gateway/transport/io/networks.hpp"
#include "gateway/transport/io/realtime_priority.hpp"
#include "gateway/transport/tls/tls_context.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

class origin;

/// HTTP client with the origins of one io thread. `post` from any thread, everything else on that thread.
class client final : public protocol::http_client {
public:
  /// Calls `forgotten`, on the io thread, for an origin that was not used for long and has been removed.
  client(engine& shared, const config::trigger_settings& trigger, const config::security_settings& security,
         std::shared_ptr<tls_source> tls, std::thread::id io, std::function<void(const std::string& origin)> forgotten);
  ~client() override;

  void post(std::vector<protocol::http_call>&& calls, completion done) override;
  void stop();

  // -- for origins and connections --
  [[nodiscard]] engine& shared() noexcept { return shared_; }
  [[nodiscard]] const config::trigger_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const network_list& networks() const noexcept { return networks_; }
  [[nodiscard]] tls_source& tls() noexcept { return *tls_; }
  [[nodiscard]] name_lookup& names() noexcept { return names_; }
  /// Returns one buffer for all connections: a reply reader keeps no bytes of it.
  [[nodiscard]] std::span<char> read_buffer() noexcept { return read_buffer_; }
  /// Ends a call that was submitted. Its result may wait until all due calls are written.
  void finish(pending_call&& call, protocol::http_result&& result);
  /// Adds calls that wait for a connection; negative: calls that no longer wait.
  void on_waiting(std::ptrdiff_t calls) noexcept { burst_.on_waiting(calls); }
  void forget(std::string key);
  /// Has `to` open its expected connections, a few at a time, as far as there is room.
  void open_ahead(origin& to);
  /// Returns the number of connections that may still be opened ahead, over all origins.
  [[nodiscard]] std::size_t room_ahead() const noexcept { return ahead_max_ > connections_ ? ahead_max_ - connections_ : 0; }
  void on_opened() noexcept { ++connections_; }
  /// Counts a closed connection; origins that wait for room to open ahead get it.
  void on_closed();

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
  /// Submits the calls and returns their number.
  std::size_t submit(const held_calls& calls);
  [[nodiscard]] origin& origin_of(const std::string& key);
  void on_held_timer();
  void go_on_opening();
  void arm_opening(deadline::clock::time_point when);
  void release_held(deadline::clock::time_point now);
  void arm_held();
  [[nodiscard]] bool many_leave_next() const;
  void rest(deadline::clock::time_point now);
  void pass_on(ended_call&& ended);
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
  /// Held calls by the time at which they leave.
  std::multimap<deadline::clock::time_point, held_calls> held_;
  /// Empty after stop, because another owner may keep this client longer than the engine lives.
  std::optional<tcp_timer> held_timer_;
  deadline::clock::time_point held_armed_ = deadline::never;
  /// Origins that open connections ahead, or wait for room to do so; `forget` removes one.
  std::vector<origin*> opening_;
  std::optional<tcp_timer> opening_timer_;
  /// The timer is set, or its step runs. While there is no room it is not set.
  bool opening_armed_ = false;
  /// This thread's share of `trigger.connections_ahead_max`.
  std::size_t ahead_max_;
  /// Connections to all origins, including those that are being established.
  std::size_t connections_ = 0;
  realtime_priority priority_;
  burst burst_;
  std::unordered_map<std::string, std::unique_ptr<origin>, key_hash, std::equal_to<>> origins_;
};

} // namespace ringmaster::gateway::http
