#pragma once

// What a handler gets: one request, the way back, and the actors that it may ask.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "config/settings.hpp"
#include "core/access/principal.hpp"
#include "core/limits/failure_rate_limiter.hpp"
#include "core/limits/token_bucket.hpp"
#include "core/result.hpp"
#include "gateway/auth/access.hpp"
#include "gateway/auth/user_rate_limiter.hpp"
#include "gateway/auth/refused_executors.hpp"
#include "gateway/auth/reply_style.hpp"
#include "gateway/exchange/forwarded.hpp"
#include "gateway/exchange/http_metrics.hpp"
#include "gateway/exchange/paths.hpp"
#include "gateway/transport/transport.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/logger.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::gateway {

struct route;

inline constexpr std::string_view problem_type = "application/problem+json";

/// Whom handlers ask.
struct gateway_partners {
  protocol::registry_monitor registry;
  protocol::completion_actor completion;
  protocol::supervisor supervisor;
  /// Null: the transport's counters are not shown. Any thread.
  std::function<transport_counters()> transport{};
  protocol::job_admin jobs{};
  protocol::user_admin users{};
  protocol::group_admin groups{};
  protocol::run_admin runs{};
  protocol::log_follower followed_logs{};
};

/// What all exchanges of one gateway_actor share; lives in its state.
struct gateway_services {
  protocol::gateway_actor::pointer self;
  gateway_partners partners;
  /// As made by `plain_path`.
  std::string context_path;
  protocol::access_token_source common_token;
  /// See `security.trust_loopback`.
  bool trust_loopback;
  /// How long an actor may take. Ends before the transport's own limit, so that a handler can still answer.
  std::chrono::milliseconds ask_limit;
  protocol::logger log;
  http_metrics metrics;
  /// Of all groups; nothing before the registry told them.
  std::optional<token_book> tokens;
  /// False once the registry's actor ended: it answers nothing that could say so.
  bool registry_lives = true;
  web_rules web;
  /// See `server.trusted_proxies`.
  proxy_list proxies;
  /// Civil time.
  std::function<core::time_point()> now;
  /// Of each user, to /api/v1.
  mutable user_rate_limiter requests;
  /// Of the addresses that executors register.
  address_judge judge;
  /// How often jobs may be managed with an executor's token: 100 a second (XXL admin §8.12), and as many again at once, because
  /// XXL-JOB lets a caller wait for a second and we answer at once.
  mutable core::token_bucket management{100, 200};
  /// The same with one group's token: half of it.
  mutable std::unordered_map<core::group_id, core::token_bucket> group_management{};
  /// Of executors' and operators' requests.
  mutable core::failure_rate_limiter wrong_tokens{};
  mutable core::known_tokens right_tokens{};
  /// Executors that are not let in.
  mutable refused_executors refused{};
};

/// Where a request arrived: the part of its path in front of the route, and the route's. `/xxl-job-admin` and `/joblog/pageList`.
struct arrival {
  std::string base;
  std::string path;
  path_parameters parameters = {};
};

/// Who came, and how.
struct entrance {
  core::principal who;
  bool must_change_password = false;
  /// What requests of his pages that change something must show; empty for who came with an API key.
  std::string csrf_token = {};
};

/// One request on its way through gateway_actor. Cheap to copy: all copies are the same exchange. Answering twice does nothing;
/// when the last copy is gone unanswered the client gets 500. Used inside gateway_actor only.
class exchange {
public:
  exchange(const gateway_services& services, const route& row, arrival at, protocol::http_exchange&& message);

  [[nodiscard]] const gateway_services& services() const noexcept { return *services_; }
  [[nodiscard]] const protocol::http_request& request() const noexcept { return shared_->request; }
  /// Cookies of the answer are for HTTPS alone.
  [[nodiscard]] bool secure_cookies() const noexcept { return services_->web.secure_cookies || request().is_https; }
  [[nodiscard]] const gateway::route& row() const noexcept { return *row_; }
  /// Below the context path, as the client writes it.
  [[nodiscard]] const std::string& path() const noexcept { return shared_->at.path; }
  /// What stands where the route's path has `{name}`: a number from 1 to 2⁶³-1. Empty where it has none.
  [[nodiscard]] std::string_view parameter(std::string_view name) const noexcept;
  /// `path` as the client would have to write it to stay under the prefix that it used.
  [[nodiscard]] std::string location(std::string_view path) const { return shared_->at.base + std::string{path}; }
  /// The dialect and language of its answer.
  [[nodiscard]] protocol::wire::reply_style style() const noexcept { return style_; }
  /// Who asks; nobody unless the route needs a session.
  [[nodiscard]] const core::principal& who() const noexcept { return shared_->entry.who; }
  [[nodiscard]] const gateway::entrance& entrance() const noexcept { return shared_->entry; }
  void enter(gateway::entrance entry) const { shared_->entry = std::move(entry); }
  /// With which token an executor came.
  [[nodiscard]] const executor_admission& admission() const noexcept { return shared_->admission; }
  void admit(const executor_admission& admission) const { shared_->admission = admission; }
  /// Frees the body, for handlers that wait long.
  void drop_body() const noexcept;

  /// XXL's `code` 200 without a word, HTTP 200.
  void succeed() const;
  /// XXL's `code` 500 with `msg`, HTTP 200.
  void refuse(std::string_view msg) const;
  /// application/problem+json of type `urn:ringmaster:…`, as the status says; the detail is for the client's eyes.
  void problem(unsigned status, std::string_view detail, protocol::http_headers headers = {}) const;
  void respond(protocol::http_response&& response) const;
  /// What may be tried again later (`too_large`, whose subject is a number of seconds) says `Retry-After`, and is a 429 where it
  /// is a problem; `core::edited_meanwhile` is a 412 there.
  /// `error` in the row's dialect: XXL's `code` 500 with HTTP 200 for executors and in the web API, a problem for everybody else.
  /// An internal one says nothing of itself. People are not told why the store or a component is away (that is logged),
  /// unless the error has a subject: an executor that does not answer.
  void fail(const core::error& error) const;
  /// The problem that `fail` answers to who speaks none of XXL's dialects: `urn:ringmaster:` and the name of the `errc`, in XXL's
  /// words where it has some.
  [[nodiscard]] std::string problem_of(const core::error& error) const;
  /// The request cannot be read: HTTP 400, in the web API with XXL's `code` 500. What XXL has words for is as `fail`.
  void reject(const core::error& error) const;
  /// An answer of the web API that `protocol/wire` made: a `reply`. No cache keeps it.
  void tell(std::string reply, protocol::http_headers headers = {}) const;
  /// The web API's `code` 500 with another HTTP status.
  void refuse_with(unsigned status, std::string_view msg, protocol::http_headers headers = {}) const;
  /// To another page; nothing is shown.
  void redirect(unsigned status, std::string_view path, protocol::http_headers headers = {}) const;
  /// Only a success answers from now on; a refusal, being late, a stop or a defect does not: see http_reply::keep_silent.
  void keep_silent() const;
  /// The answer may take so much longer than usual, and so may the actors that are asked from now on. For reading alone.
  void hold(std::chrono::milliseconds longer) const;
  /// Says false once the client has gone. Any thread.
  [[nodiscard]] std::function<bool()> is_awaited() const;
  /// Counts that an executor is not let in, keeps its name for people and says it in the log, the same one every ten minutes.
  void note_refused(refused_for why, std::string app_name, std::string address) const;
  /// Counts a request that stays without an answer.
  void leave_unanswered() const;

  /// Asks `whom` and calls `on_reply(exchange, const Reply&)`, without a reply's value `on_reply(exchange)`; or
  /// `on_error(exchange, core::error)` when there is no answer in time.
  template <class Reply, class Handle, class Message, class OnReply, class OnError>
  void ask(const Handle& whom, Message message, OnReply on_reply, OnError on_error) const {
    if (!whom)
      return on_error(*this, core::error{core::errc::unavailable, "the node is still starting", core::refusal::none, "node"});
    auto failed = [ex = *this, on_error](const caf::error& error) {
      ex.guarded([&] { on_error(ex, protocol::to_core(error)); });
    };
    auto asked = protocol::request(services_->self, whom, services_->ask_limit + shared_->held, std::move(message));
    if constexpr (std::is_void_v<Reply>)
      std::move(asked).then([ex = *this, on_reply] { ex.guarded([&] { on_reply(ex); }); }, failed);
    else
      std::move(asked).then([ex = *this, on_reply](const Reply& reply) { ex.guarded([&] { on_reply(ex, reply); }); }, failed);
  }
  /// The same; an error is answered as `fail` does.
  template <class Reply, class Handle, class Message, class OnReply>
  void ask(const Handle& whom, Message message, OnReply on_reply) const {
    ask<Reply>(whom, std::move(message), std::move(on_reply),
               [](const exchange& waiting, const core::error& error) { waiting.fail(error); });
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
    arrival at;
    gateway::entrance entry = {};
    executor_admission admission = {};
    std::chrono::milliseconds held{0};
    bool silent = false;
    bool done = false;
  };

  void broke(const char* what) const noexcept;
  /// What the client is told; the rest is logged.
  [[nodiscard]] std::string words_of(const core::error& error) const;
  void answer(protocol::http_response&& response, int code) const;
  void count(const std::string& code) const;

  const gateway_services* services_;
  const gateway::route* row_;
  protocol::wire::reply_style style_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::shared_ptr<shared_part> shared_;
  protocol::http_reply_ptr reply_;
};

/// errc → HTTP status, the one translator of the two.
[[nodiscard]] unsigned http_status(core::errc code) noexcept;

/// application/problem+json of `code`, with `detail` for people.
[[nodiscard]] std::string problem_json(core::errc code, std::string_view detail);

} // namespace ringmaster::gateway
