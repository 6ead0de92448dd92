#pragma once

// An http_client without a network: stores the calls and answers from a script, at once or on request.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/http.hpp"

namespace ringmaster::test {

[[nodiscard]] inline protocol::http_result http_answer(std::string body, unsigned status = 200) {
  return {protocol::delivery::answered, status, std::move(body), {}, {}, {}};
}

[[nodiscard]] inline protocol::http_result http_failure(protocol::delivery state, std::string error) {
  return {state, 0, {}, std::move(error), {}, {}};
}

/// Runs in one thread, like everything under virtual time. Checks gates as the transport does, by `boot`.
class scripted_client final : public protocol::http_client {
public:
  /// Answer to a call; empty: the call stays pending until `answer`.
  using script = std::function<std::optional<protocol::http_result>(const protocol::http_call& call)>;

  explicit scripted_client(std::function<std::int64_t()> boot) : boot_{std::move(boot)} {}

  /// Null: every call stays pending.
  script answers = [](const protocol::http_call&) { return http_answer(R"({"code":200})"); };

  void post(std::vector<protocol::http_call>&& calls, completion done) override {
    auto shared = std::make_shared<completion>(std::move(done));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].gate && !calls[i].gate->open_at(calls[i].incarnation, boot_())) {
        ++gated_;
        (*shared)(i, http_failure(protocol::delivery::gate_closed, "the lease is over"));
        continue;
      }
      sent_.push_back(calls[i]);
      auto answer = answers ? answers(calls[i]) : std::nullopt;
      if (answer)
        (*shared)(i, std::move(*answer));
      else
        pending_.push_back({std::move(calls[i]), i, shared});
    }
  }

  /// Calls whose bytes were written, in order.
  [[nodiscard]] const std::vector<protocol::http_call>& sent() const noexcept { return sent_; }
  /// `origin + target` of each call.
  [[nodiscard]] std::vector<std::string> targets() const {
    std::vector<std::string> all;
    for (const auto& call : sent_)
      all.push_back(call.origin + call.target);
    return all;
  }
  /// Number of calls that a closed gate held back.
  [[nodiscard]] std::size_t gated() const noexcept { return gated_; }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_.size(); }

  /// Answers the oldest pending call, or the oldest to `origin`.
  void answer(protocol::http_result result, const std::string& origin = {}) {
    for (auto at = pending_.begin(); at != pending_.end(); ++at) {
      if (!origin.empty() && at->call.origin != origin)
        continue;
      auto one = std::move(*at);
      pending_.erase(at);
      return (*one.done)(one.index, std::move(result));
    }
  }

  /// Answers all pending calls.
  void answer_all(const protocol::http_result& result) {
    for (auto waiting = std::exchange(pending_, {}); auto& one : waiting)
      (*one.done)(one.index, protocol::http_result{result});
  }

  /// Drops all pending calls, whose caller has ended.
  void forget() { pending_.clear(); }

private:
  struct waiting {
    protocol::http_call call;
    std::size_t index;
    std::shared_ptr<completion> done;
  };

  std::function<std::int64_t()> boot_;
  std::vector<protocol::http_call> sent_;
  std::deque<waiting> pending_;
  std::size_t gated_ = 0;
};

} // namespace ringmaster::test
