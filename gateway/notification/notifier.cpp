#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "core/text/url_text.hpp"
#include "gateway/notification/delivery.hpp"
#include "gateway/notification/error_place.hpp"
#include "gateway/notification/notification.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::size_t on_their_way_max = 4;
constexpr std::size_t queue_max = 1000;
constexpr int poll_limit_ms = 1000;
constexpr std::chrono::milliseconds probe_limit{5000};

const config::webhook_settings* find_webhook(const notification_settings& settings, std::string_view name) {
  for (const auto& each : settings.webhooks)
    if (each.name == name)
      return &each;
  return nullptr;
}

class curl_notifier final : public protocol::notifier {
public:
  explicit curl_notifier(notification_settings settings) : settings_{std::move(settings)} {
    protocol::init_curl();
    multi_ = curl_multi_init();
    thread_ = std::thread{[this] { run(); }};
  }

  ~curl_notifier() override {
    stop();
    curl_multi_cleanup(multi_);
  }

  void stop() override {
    {
      const std::lock_guard lock{guard_};
      stopping_ = true;
    }
    curl_multi_wakeup(multi_);
    const std::lock_guard lock{joining_};
    if (thread_.joinable())
      thread_.join();
  }

  [[nodiscard]] std::vector<core::alarm_channel> channels() const override { return channels_of(settings_); }

  void send(protocol::notice what, done then) override {
    if (auto placed = place(what, settings_); !placed)
      return then(tl::unexpected{std::move(placed.error())});
    const char* refusal = nullptr;
    {
      const std::lock_guard lock{guard_};
      auto& queue = arrived_[what.channel];
      if (stopping_)
        refusal = "the node is stopping";
      else if (queue.size() >= queue_max)
        refusal = "too many messages are queued for this channel";
      else
        queue.push_back({std::move(what), then});
    }
    if (refusal)
      return then(core::fail(core::errc::unavailable, refusal));
    curl_multi_wakeup(multi_);
  }

private:
  struct waiting {
    protocol::notice what;
    done then;
  };
  void run() {
    for (;;) {
      if (!take_work())
        return give_up_all();
      int running = 0;
      curl_multi_perform(multi_, &running);
      if (!finish_deliveries())
        curl_multi_poll(multi_, nullptr, 0, poll_limit_ms, nullptr);
    }
  }

  /// Returns false when the thread must end.
  bool take_work() {
    std::vector<waiting> starting;
    {
      const std::lock_guard lock{guard_};
      if (stopping_)
        return false;
      for (auto at = arrived_.begin(); at != arrived_.end();) {
        auto& [channel, queue] = *at;
        for (auto& running = on_their_way_[channel]; !queue.empty() && running < on_their_way_max; ++running) {
          starting.push_back(std::move(queue.front()));
          queue.pop_front();
        }
        at = queue.empty() ? arrived_.erase(at) : std::next(at);
      }
    }
    for (auto& each : starting)
      start(std::move(each));
    return true;
  }

  void start(waiting&& next) {
    const auto channel = next.what.channel;
    auto made = delivery::make(settings_, std::move(next.what), next.then);
    if (!made) {
      --on_their_way_[channel];
      next.then(tl::unexpected{std::move(made.error())});
      return;
    }
    auto* handle = (*made)->handle();
    deliveries_.emplace(handle, std::move(*made));
    curl_multi_add_handle(multi_, handle);
  }

  /// Returns true when a delivery ended, so that a waiting message may take its place.
  bool finish_deliveries() {
    bool any = false;
    int left = 0;
    while (auto* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE)
        continue;
      auto* handle = message->easy_handle;
      const auto code = message->data.result;
      const auto at = deliveries_.find(handle);
      curl_multi_remove_handle(multi_, handle);
      if (at == deliveries_.end())
        continue;
      --on_their_way_[at->second->channel()];
      at->second->finish(code);
      deliveries_.erase(at);
      any = true;
    }
    return any;
  }

  void give_up_all() {
    const core::error why{core::errc::unavailable, "the node is stopping"};
    for (auto& [handle, each] : deliveries_) {
      curl_multi_remove_handle(multi_, handle);
      each->give_up(why);
    }
    deliveries_.clear();
    const std::lock_guard lock{guard_};
    for (auto& [channel, queue] : arrived_)
      for (auto& each : queue)
        each.then(tl::unexpected{why});
    arrived_.clear();
  }

  const notification_settings settings_;
  CURLM* multi_ = nullptr;

  std::mutex joining_;
  std::mutex guard_;
  bool stopping_ = false;
  std::map<std::string, std::deque<waiting>> arrived_;

  /// Used by the notifier's thread only.
  std::map<CURL*, std::unique_ptr<delivery>> deliveries_;
  std::map<std::string, std::size_t> on_their_way_;
  std::thread thread_;
};

class replaceable_notifier final : public channel_notifier {
public:
  explicit replaceable_notifier(notification_settings settings)
    : current_{std::make_shared<curl_notifier>(std::move(settings))} {}

  void send(protocol::notice what, done then) override { present()->send(std::move(what), std::move(then)); }

  [[nodiscard]] std::vector<core::alarm_channel> channels() const override { return present()->channels(); }

  void reload(notification_settings settings) override {
    const std::lock_guard one_at_a_time{reloading_};
    if (stopped_)
      return;
    auto former = std::make_shared<curl_notifier>(std::move(settings));
    {
      const std::lock_guard lock{guard_};
      std::swap(current_, former);
    }
    former->stop();
  }

  void stop() override {
    const std::lock_guard one_at_a_time{reloading_};
    stopped_ = true;
    present()->stop();
  }

private:
  [[nodiscard]] std::shared_ptr<curl_notifier> present() const {
    const std::lock_guard lock{guard_};
    return current_;
  }

  std::mutex reloading_;
  mutable std::mutex guard_;
  bool stopped_ = false;
  std::shared_ptr<curl_notifier> current_;
};

} // namespace

std::unique_ptr<channel_notifier> make_notifier(notification_settings settings) {
  return std::make_unique<replaceable_notifier>(std::move(settings));
}

core::result<void> probe_channel(const notification_settings& settings, std::string_view channel,
                                 const std::function<bool()>& go_on) {
  protocol::notice nothing{std::string{channel}, {}, "ringmaster.probe", {}};
  if (channel == protocol::mail_channel)
    nothing.recipient = settings.mail.from;
  auto made = delivery::make(settings, std::move(nothing), nullptr);
  if (!made)
    return tl::unexpected{made.error()};
  const auto own = channel == protocol::mail_channel ? settings.mail.timeout : settings.alarm.webhook_timeout;
  return (*made)->probe(std::min(probe_limit, own), go_on);
}

std::vector<core::alarm_channel> channels_of(const notification_settings& settings) {
  std::vector<core::alarm_channel> out;
  if (!settings.mail.host.empty())
    out.push_back({std::string{protocol::mail_channel}, "mail", settings.mail.host + ':' + std::to_string(settings.mail.port),
                   settings.mail.from});
  for (const auto& each : settings.webhooks) {
    const auto url = core::split_url(each.url);
    out.push_back({each.name, each.preset, std::string{core::split_authority(url.authority).place}});
  }
  return out;
}

core::result<void> check_channel(const notification_settings& settings, std::string_view channel) {
  if (channel == protocol::mail_channel) {
    if (settings.mail.host.empty())
      return core::fail(core::errc::not_found, "cannot send mail: mail.host is not set");
    return {};
  }
  if (!find_webhook(settings, channel))
    return core::fail(core::errc::not_found, "no [[webhook]] named \"" + std::string{channel} + "\"");
  return {};
}

} // namespace ringmaster::gateway
