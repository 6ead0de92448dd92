#pragma once

// Messages about failed items to users: error handlers EMAIL, WECHAT, DINGTALK and WEBHOOK, and their properties (EJ §13).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/props.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Place that the messages of an error handler go to.
struct error_target {
  enum class form : std::uint8_t { mail, wechat, dingtalk, webhook };

  form what = form::webhook;
  /// Name of a channel of the node, used instead of all that follows; empty: none.
  std::string channel = {};

  /// Addresses that each get a mail. Only of `mail`.
  std::vector<std::string> recipients = {};
  /// SMTP server; empty: that of the node.
  std::string host = {};
  std::uint16_t port = 0;
  std::string user = {};
  std::string password = {};
  std::string from = {};
  /// TLS from the first byte.
  bool uses_tls = true;
  /// Title of the messages. Only of `mail`.
  std::string subject = {};

  /// Contains a secret: never shown. Only of the others.
  std::string url = {};
  /// Signs messages to `dingtalk`; empty: unsigned.
  std::string secret = {};
  /// Word that messages to `dingtalk` begin with; empty: none.
  std::string keyword = {};
  /// Time limit of a whole call.
  milliseconds timeout{8000};
};

/// Returns whether the error handler is one that notifies users.
[[nodiscard]] bool notifies_users(std::string_view error_handler) noexcept;

/// Returns whether the host of the item sends the messages, not the node: property `error.notify`.
[[nodiscard]] bool is_notified_by_host(const job_props& props);

/// Returns the target of an error handler that notifies users. Errors: `invalid_argument` for a missing property and a wrong
/// value; the message begins with the name of the property.
[[nodiscard]] result<error_target> error_target_of(std::string_view error_handler, const job_props& props);

/// Checks the properties of any error handler: those that notify users need a target. Errors: as `error_target_of`.
[[nodiscard]] result<void> check_error_handler(std::string_view error_handler, const job_props& props);

/// Returns the properties that a host gets: without those of an error handler whose messages the node sends, because they have
/// secrets. `text`: in the canonical form; another form is returned unchanged.
[[nodiscard]] std::string props_for_host(std::string_view error_handler, const std::string& text);

} // namespace ringmaster::core::elastic
