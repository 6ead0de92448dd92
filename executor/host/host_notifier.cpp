#include "executor/host/host_notifier.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "core/alarm/error_message.hpp"
#include "core/elastic/error_target.hpp"
#include "core/elastic/part_names.hpp"
#include "gateway/notification/notification.hpp"

namespace ringmaster::executor {

namespace {

using elastic::error_verdict;
using elastic::item_failure;
using std::chrono::steady_clock;

/// Sender of all handlers of this process.
class shared_notifier {
public:
  shared_notifier(std::vector<std::string> targets, protocol::logger log) : targets_{std::move(targets)}, log_{std::move(log)} {}

  void send(protocol::notice what, const std::string& shown) {
    sender().send(std::move(what), [log = log_, shown](const core::result<void>& sent) {
      if (!sent)
        log->error("elastic job {}: no message: {}", shown, sent.error().context);
    });
  }

private:
  gateway::channel_notifier& sender() {
    const std::lock_guard lock{guard_};
    if (!sender_) {
      gateway::notification_settings settings;
      settings.error_targets = targets_;
      sender_ = gateway::make_notifier(std::move(settings));
    }
    return *sender_;
  }

  const std::vector<std::string> targets_;
  const protocol::logger log_;
  std::mutex guard_;
  std::unique_ptr<gateway::channel_notifier> sender_;
};

/// Error handler of one job.
class notifying_handler final : public elastic::error_handler {
public:
  notifying_handler(std::string name, std::shared_ptr<shared_notifier> sender)
    : name_{std::move(name)}, sender_{std::move(sender)} {}

  core::result<void> configure(const elastic::job_props& props) override {
    if (!core::elastic::is_notified_by_host(props))
      return {};
    auto target = core::elastic::error_target_of(name_, props);
    if (!target)
      return tl::unexpected{std::move(target.error())};
    target_ = std::make_shared<const core::elastic::error_target>(std::move(*target));
    return {};
  }

  error_verdict handle(const item_failure& failure) override {
    if (!target_)
      return error_verdict::proceed;
    ++count_;
    const auto now = steady_clock::now();
    if (quiet_until_ && now < *quiet_until_)
      return error_verdict::proceed;
    quiet_until_ = now + core::elastic::failure_windows<int>::window;
    send(failure, std::exchange(count_, 0));
    return error_verdict::proceed;
  }

private:
  void send(const item_failure& failure, std::uint64_t count) {
    const auto at = std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now());
    protocol::notice what;
    what.message_id = "ringmaster.elastic." + std::to_string(core::to_ms(at)) + '.' + std::to_string(failure.item);
    what.target = target_;
    what.message = core::elastic::error_message_of(
      {failure.job_id, failure.job, core::elastic::item_number{failure.item}, failure.run, {}, at, failure.text}, count,
      target_->subject);
    const auto shown = failure.job + ", error handler " + name_;
    if (target_->recipients.empty())
      return sender_->send(std::move(what), shown);
    for (const auto& recipient : target_->recipients) {
      auto one = what;
      one.recipient = recipient;
      sender_->send(std::move(one), shown);
    }
  }

  const std::string name_;
  const std::shared_ptr<shared_notifier> sender_;
  /// Null: the node notifies.
  std::shared_ptr<const core::elastic::error_target> target_;
  std::optional<steady_clock::time_point> quiet_until_;
  /// Failures since the last message.
  std::uint64_t count_ = 0;
};

} // namespace

elastic::error_handler_factories notifying_handlers(std::vector<std::string> targets, protocol::logger log) {
  const auto sender = std::make_shared<shared_notifier>(std::move(targets), std::move(log));
  elastic::error_handler_factories out;
  for (const auto name : core::elastic::error_handler_names)
    if (core::elastic::notifies_users(name))
      out.emplace(name, [name = std::string{name}, sender] { return std::make_shared<notifying_handler>(name, sender); });
  return out;
}

} // namespace ringmaster::executor
