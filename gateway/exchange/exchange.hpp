#pragma once

// Context of a handler: one request, its reply, and the actors that the handler may ask.

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
#include "gateway/exchange/gzip.hpp"
#include "gateway/exchange/http_metrics.hpp"
#include "gateway/exchange/kept_answer.hpp"
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

/// Actors that handlers ask.
struct gateway_partners {
  protocol::registry_monitor registry;
  protocol::completion_actor completion;
  protocol::supervisor supervisor;
  /// Null: the transport's counters are not shown. Called from any thread.
  std::function<transport_counters()> transport{};
  protocol::job_admin jobs{};
  protocol::user_admin users{};
  protocol::group_admin groups{};
  protocol::run_admin runs{};
  protocol::log_follower followed_logs{};
  protocol::alarm_tester alarm_tests{};
  protocol::figure_keeper figures{};
  protocol::doctor node_checks{};
  protocol::task_runner tasks{};
  protocol::alarm_actor alarms{};
  protocol::elastic_admin elastic{};
};

/// Data shared by all exchanges of one gateway_actor; lives in its state.
struct gateway_services {
  protocol::gateway_actor::pointer self;
  gateway_partners partners;
  /// Normalised by `plain_path`.
  std::string context_path;
  protocol::access_token_source common_token;
  /// See `security.trust_loopback`.
  bool trust_loopback;
  /// Time limit for an answer of an actor. Ends before the transport's own limit, so that a handler can still answer.
  std::chrono::milliseconds ask_limit;
  protocol::logger log;
  http_metrics metrics;
  /// Tokens of all groups; without a value until the registry has reported them.
  std::optional<token_book> tokens;
  /// False once the registry's actor has ended: it answers no message that could show this.
  bool registry_lives = true;
  web_rules web;
  /// See `server.trusted_proxies`.
  proxy_list proxies;
  /// Civil time.
  std::function<core::time_point()> now;
  /// Rate limiter for each user's requests to /api/v1.
  mutable user_rate_limiter requests;
  /// Judge of the addresses that executors register.
  address_judge judge;
  /// Rate limiter for job management with an executor's token: 100 requests a second (XXL admin §8.12), with a burst of 200,
  /// because XXL-JOB lets a caller wait for a second and Ringmaster answers at once.
  mutable core::token_bucket management{100, 200};
  /// Rate limiter for one group's token: half as many.
  mutable std::unordered_map<core::group_id, core::token_bucket> group_management{};
  /// Rate limiter for wrong tokens of executors and operators.
  mutable core::failure_rate_limiter wrong_tokens{};
  mutable core::known_tokens right_tokens{};
  /// Executors that were refused.
  mutable refused_executors refused{};
  /// Answer of GET /api/v1/now: all viewers together cost one answer in a second.
  mutable kept_answer live_figures{std::chrono::seconds{1}};
  /// Limit of logs that are compressed at once.
  mutable gzip_turns compressions{};
};

/// Place where a request arrived: the part of its path before the route, and the route's, e.g. `/xxl-job-admin` and
/// `/joblog/pageList`.
struct arrival {
  std::string base;
  std::string path;
  path_parameters parameters = {};
};

/// Caller of a request, and how the caller signed in.
struct entrance {
  core::principal who;
  bool must_change_password = false;
  /// CSRF token that requests of the caller's pages must show to change something; empty with an API key.
  std::string csrf_token = {};
  /// Time at which the session or the API key ends: see `protocol::identified`.
  std::optional<core::time_point> expires = {};
};

/// One request on its way through gateway_actor. Cheap to copy: all copies are the same exchange. A second answer does nothing;
/// when the last copy is destroyed without an answer, the client gets 500. Used inside gateway_actor only.
class exchange {
public:
  exchange(const gateway_services& services, const route& row, arrival at, protocol::http_exchange&& message);

  [[nodiscard]] const gateway_services& services() const noexcept { return *services_; }
  [[nodiscard]] const protocol::http_request& request() const noexcept { return shared_->request; }
  /// Returns true when cookies of the answer are sent over HTTPS only.
  [[nodiscard]] bool secure_cookies() const noexcept { return services_->web.secure_cookies || request().is_https; }
  [[nodiscard]] const gateway::route& row() const noexcept { return *row_; }
  /// Returns the path below the context path, as the client writes it.
  [[nodiscard]] const std::string& path() const noexcept { return shared_->at.path; }
  /// Returns the value of a part in braces of the route's path, e.g. of `{id}`: see `match_path`. Empty without such a part.
  [[nodiscard]] std::string_view parameter(std::string_view name) const noexcept;
  /// Returns `path` with the prefix that the client used.
  [[nodiscard]] std::string location(std::string_view path) const { return shared_->at.base + std::string{path}; }
  /// Returns the dialect and language of the answer.
  [[nodiscard]] protocol::wire::reply_style style() const noexcept { return style_; }
  /// Returns the caller; an empty principal unless the route needs a session.
  [[nodiscard]] const core::principal& who() const noexcept { return shared_->entry.who; }
  [[nodiscard]] const gateway::entrance& entrance() const noexcept { return shared_->entry; }
  void enter(gateway::entrance entry) const { shared_->entry = std::move(entry); }
  /// Returns the kind of runs that this request asks for: `manual` with a session, as a user's own, and `api` with an API key.
  [[nodiscard]] core::trigger_kind kind_of_trigger() const noexcept {
    return entrance().csrf_token.empty() ? core::trigger_kind::api : core::trigger_kind::manual;
  }
  /// Returns the result of the token check of an executor's request.
  [[nodiscard]] const executor_admission& admission() const noexcept { return shared_->admission; }
  void admit(const executor_admission& admission) const { shared_->admission = admission; }
  /// Frees the body, for handlers that wait long.
  void drop_body() const noexcept;

  /// Answers XXL's `code` 200 without a message, HTTP 200.
  void succeed() const;
  /// Answers XXL's `code` 500 with `msg`, HTTP 200.
  void refuse(std::string_view msg) const;
  /// Answers with application/problem+json of type `urn:ringmaster:…` for the status; the client sees the detail.
  void problem(unsigned status, std::string_view detail, protocol::http_headers headers = {}) const;
  void respond(protocol::http_response&& response) const;
  /// Answers `error` in the row's dialect: XXL's `code` 500 with HTTP 200 for executors and in the web API, a problem for other
  /// routes. An error that may be tried again later (`too_large` with a number of seconds as subject) adds `Retry-After`, and is
  /// a 429 as a problem; `core::edited_meanwhile` is a 412 as a problem. An internal error shows no details. The reason why the
  /// store or a component is unavailable is logged and not shown, unless the error has a subject, e.g. an executor that does not
  /// answer.
  void fail(const core::error& error) const;
  /// Answers `core::edited_meanwhile` with the user and the time of the later edit. `by`: empty if the user is unknown.
  void fail_as_edited(const core::error& error, std::string_view by, std::optional<core::time_point> at) const;
  /// Returns the problem that `fail` answers to clients outside XXL's dialects: `urn:ringmaster:` and the name of the `errc`, or
  /// `not_permitted`; in the words of `api_message_of`.
  [[nodiscard]] std::string problem_of(const core::error& error) const;
  /// Returns the text of an error as clients see it. Logs nothing: for an error that is shown again and again.
  [[nodiscard]] std::string detail_of(const core::error& error) const;
  /// Answers a request that cannot be read: HTTP 400, in the web API with XXL's `code` 500. An error that XXL has words for is
  /// answered by `fail`.
  void reject(const core::error& error) const;
  /// Answers a reply of the web API that `protocol/wire` made. No cache keeps it.
  void tell(std::string reply, protocol::http_headers headers = {}) const;
  /// Answers the web API's `code` 500 with another HTTP status.
  void refuse_with(unsigned status, std::string_view msg, protocol::http_headers headers = {}) const;
  /// Redirects to another page, with an empty body.
  void redirect(unsigned status, std::string_view path, protocol::http_headers headers = {}) const;
  /// Suppresses every answer but a success from now on; refusals, timeouts, a stop and defects stay unanswered: see
  /// http_reply::keep_silent.
  void keep_silent() const;
  /// Extends the time limit of the answer, and of the actors that are asked from now on, by `longer`. For reading requests only.
  void hold(std::chrono::milliseconds longer) const;
  /// Returns a function that returns false once the client has gone. Any thread.
  [[nodiscard]] std::function<bool()> is_awaited() const;
  /// Counts a refused executor, keeps its name for users, and logs it, the same executor at most once in ten minutes.
  void note_refused(refused_for why, std::string app_name, std::string address) const;
  /// Counts a request that stays without an answer.
  void leave_unanswered() const;

  /// Asks `whom` and calls `on_reply(exchange, const Reply&)`, or `on_reply(exchange)` for a reply without a value. Calls
  /// `on_error(exchange, core::error)` when no answer arrives in time.
  template <class Reply, class Handle, class Message, class OnReply, class OnError>
  void ask(const Handle& whom, Message message, OnReply on_reply, OnError on_error) const {
    ask_within<Reply>(services_->ask_limit + shared_->held, whom, std::move(message), std::move(on_reply), std::move(on_error));
  }
  /// Asks `whom` as above, with a time limit of its own: for messages that are sent some time after the request arrived.
  template <class Reply, class Handle, class Message, class OnReply, class OnError>
  void ask_within(std::chrono::milliseconds limit, const Handle& whom, Message message, OnReply on_reply,
                  OnError on_error) const {
    if (!whom)
      return on_error(*this, core::error{core::errc::unavailable, "the node is still starting", core::refusal::none, "node"});
    auto failed = [ex = *this, on_error](const caf::error& error) {
      ex.guarded([&] { on_error(ex, protocol::to_core(error)); });
    };
    auto asked = protocol::request(services_->self, whom, limit, std::move(message));
    if constexpr (std::is_void_v<Reply>)
      std::move(asked).then([ex = *this, on_reply] { ex.guarded([&] { on_reply(ex); }); }, failed);
    else
      std::move(asked).then([ex = *this, on_reply](const Reply& reply) { ex.guarded([&] { on_reply(ex, reply); }); }, failed);
  }
  /// Asks `whom` as above; answers an error with `fail`.
  template <class Reply, class Handle, class Message, class OnReply>
  void ask(const Handle& whom, Message message, OnReply on_reply) const {
    ask<Reply>(whom, std::move(message), std::move(on_reply),
               [](const exchange& waiting, const core::error& error) { waiting.fail(error); });
  }

  /// Runs `step` and stops its exceptions, one of the three places that do. An exception is logged and answered as an internal
  /// error; after keep_silent it is only logged.
  template <class Step>
  void guarded(Step step) const noexcept {
    try {
      step();
    } catch (const std::exception& thrown) {
      broke(thrown.what());
    } catch (...) {
      broke("unknown exception");
    }
  }

private:
  /// State shared by all copies.
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
  /// Returns the text for the client, and logs what it does not show.
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

/// Maps an errc to an HTTP status, the only place that does.
[[nodiscard]] unsigned http_status(core::errc code) noexcept;

/// Returns application/problem+json for `code`, with `detail` for users.
[[nodiscard]] std::string problem_json(core::errc code, std::string_view detail);

} // namespace ringmaster::gateway
