#pragma once

// What a handler gets: one request, the way back, and the actors that it may ask.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "gateway/access.hpp"
#include "gateway/http_metrics.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/logger.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::gateway {

struct route;

/// Whom handlers ask.
struct gateway_partners {
  protocol::registry_monitor registry;
  protocol::completion_actor completion;
  protocol::supervisor supervisor;
  /// Null: the transport's counters are not shown. Any thread.
  std::function<transport_counters()> transport{};
};

/// What all exchanges of one gateway_actor share; lives in its state.
struct gateway_services {
  protocol::gateway_actor::pointer self;
  gateway_partners partners;
  /// As made by `plain_path`.
  std::string context_path;
  std::string access_token;
  /// See `security.trust_loopback`.
  bool trust_loopback;
  /// How long an actor may take. Ends before the transport's own limit, so that a handler can still answer.
  std::chrono::milliseconds ask_limit;
  protocol::logger log;
  http_metrics metrics;
  /// App names of all groups; nothing before the registry told them.
  std::optional<app_name_set> app_names;
  /// False once the registry's actor ended: it answers nothing that could say so.
  bool registry_lives = true;
};

/// One request on its way through gateway_actor. Cheap to copy: all copies are the same exchange. Answering twice does nothing;
/// when the last copy is gone unanswered the client gets 500. Used inside gateway_actor only.
class exchange {
public:
  exchange(const gateway_services& services, const route& row, std::string path, protocol::http_exchange&& message);

  [[nodiscard]] const gateway_services& services() const noexcept { return *services_; }
  [[nodiscard]] const protocol::http_request& request() const noexcept { return shared_->request; }
  [[nodiscard]] const gateway::route& row() const noexcept { return *row_; }
  /// Below the context path, as the route table writes it.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Frees the body, for handlers that wait long.
  void drop_body() const noexcept;

  /// XXL's `code` 200 without a word, HTTP 200.
  void succeed() const;
  /// XXL's `code` 500 with `msg`, HTTP 200.
  void refuse(std::string_view msg) const;
  /// application/problem+json; the detail is for the client's eyes.
  void problem(unsigned status, std::string_view detail, protocol::http_headers headers = {}) const;
  void respond(protocol::http_response&& response) const;
  /// `error` in the row's dialect: XXL's `code` 500 for executors, a problem for everybody else. An internal one says nothing of
  /// itself.
  void fail(const core::error& error) const;
  /// Only a success answers from now on; a refusal, being late, a stop or a defect does not: see http_reply::keep_silent.
  void keep_silent() const;
  /// Counts a request that stays without an answer.
  void leave_unanswered() const;

  /// Asks `whom` and calls `on_reply(exchange, const Reply&)`, or `on_error(exchange, core::error)` when there is no answer in
  /// time.
  template <class Reply, class Handle, class Message, class OnReply, class OnError>
  void ask(const Handle& whom, Message message, OnReply on_reply, OnError on_error) const {
    protocol::request(services_->self, whom, services_->ask_limit, std::move(message))
      .then([ex = *this, on_reply](const Reply& reply) { ex.guarded([&] { on_reply(ex, reply); }); },
            [ex = *this, on_error](const caf::error& error) { ex.guarded([&] { on_error(ex, protocol::to_core(error)); }); });
  }

  /// One of the three borders that no exception crosses: what `step` throws is logged and answered as an internal error,
  /// after keep_silent only logged.
  template <class Step>
  void guarded(Step step) const noexcept {
    try {
      step();
    } catch (const std::exception& thrown) {
      broke(thrown.what());
    } catch (...) {
      broke("an unknown exception");
    }
  }

private:
  /// What all copies have in common.
  struct shared_part {
    protocol::http_request request;
    bool silent = false;
    bool done = false;
  };

  void broke(const char* what) const noexcept;
  void answer(protocol::http_response&& response, int code) const;
  void count(const std::string& code) const;

  const gateway_services* services_;
  const gateway::route* row_;
  std::string path_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<shared_part> shared_;
  protocol::http_reply_ptr reply_;
};

/// errc → HTTP status, the one translator of the two.
[[nodiscard]] unsigned http_status(core::errc code) noexcept;

} // namespace ringmaster::gateway
