#pragma once

// Reply path from a handler to its session.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/transport/io/reply_text.hpp"
#include "gateway/transport/server/session.hpp"

namespace ringmaster::gateway::http {

/// Reply for one waiting client. Any thread.
class session_reply final : public protocol::http_reply {
public:
  session_reply(std::shared_ptr<reply_inbox> inbox, std::weak_ptr<session> to, std::uint64_t ticket)
    : inbox_(std::move(inbox)), to_(std::move(to)), ticket_(ticket) {}

  ~session_reply() override {
    if (!used_.exchange(true) && !silent_)
      deliver(plain_reply(500, "the request was dropped"));
  }

  void send(protocol::http_response&& response) override {
    if (!used_.exchange(true))
      deliver(std::move(response));
  }

  void keep_silent() override {
    if (!used_ && !silent_.exchange(true))
      deliver(std::nullopt);
  }

  void hold(std::chrono::milliseconds longer) override {
    posted_reply item{to_, ticket_, std::nullopt, longer};
    if (!used_ && !silent_ && longer.count() > 0)
      (void)inbox_->post(item);
  }

  [[nodiscard]] bool is_awaited() const noexcept override { return !to_.expired(); }

private:
  void deliver(std::optional<protocol::http_response>&& response) {
    if (inbox_->on_io_thread()) {
      if (auto session = to_.lock())
        session->answer(ticket_, std::move(response));
      return;
    }
    posted_reply item{to_, ticket_, std::move(response), {}};
    (void)inbox_->post(item);
  }

  std::shared_ptr<reply_inbox> inbox_;
  std::weak_ptr<session> to_;
  std::uint64_t ticket_;
  std::atomic<bool> used_{false};
  std::atomic<bool> silent_{false};
};

} // namespace ringmaster::gateway::http
