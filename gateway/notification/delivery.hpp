#pragma once

// Delivery of one message through libcurl.

#include <chrono>
#include <memory>
#include <string>

#include "gateway/notification/notification.hpp"
#include "protocol/curl/curl_transfer.hpp"

namespace ringmaster::gateway {

/// One message on its way. Owned by the notifier's thread. Ready to be added to a multi handle; must not move while it is there.
class delivery {
public:
  /// Errors: `invalid_argument` for a message that cannot be sent at all.
  [[nodiscard]] static core::result<std::unique_ptr<delivery>> make(const notification_settings& settings,
                                                                    protocol::notice what, protocol::notifier::done then);

  [[nodiscard]] CURL* handle() const noexcept { return transfer_.handle(); }
  [[nodiscard]] const std::string& channel() const noexcept { return what_.channel; }

  /// Probes instead of sending: goes as far as the message would begin (connect, TLS, sign in). Blocks for at most `limit`,
  /// and about a second after `go_on` has returned false; null: always true.
  [[nodiscard]] core::result<void> probe(std::chrono::milliseconds limit, const std::function<bool()>& go_on);

  /// Reports the outcome to the sender; `code` is libcurl's result of the transfer.
  void finish(CURLcode code);
  void give_up(core::error why);

private:
  delivery(protocol::notice what, protocol::notifier::done then);
  core::result<void> prepare(const notification_settings& settings);
  core::result<void> prepare_target(const notification_settings& settings);
  core::result<void> prepare_mail(const config::mail_settings& mail, core::language language);
  core::result<void> prepare_webhook(const config::webhook_settings& webhook, std::chrono::milliseconds limit);
  void begin(const std::string& url, const char* protocols, std::chrono::milliseconds limit);
  [[nodiscard]] core::result<void> verdict(CURLcode code) const;

  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t take_line(char* from, std::size_t size, std::size_t count, void* self);

  protocol::notice what_;
  protocol::notifier::done then_;
  std::string body_;
  /// Last line of an SMTP server's answer.
  std::string last_line_;
  std::string forbidden_;
  std::string preset_ = "generic";
  bool is_mail_ = false;
  /// Ends first, because it points to the others.
  protocol::curl_transfer transfer_;
};

} // namespace ringmaster::gateway
