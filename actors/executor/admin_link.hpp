#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/http.hpp"
#include "protocol/wire/xxl/admin_codec.hpp"

namespace ringmaster::actors {

struct admin_link_settings {
  /// Base addresses, asked in this order.
  std::vector<std::string> admins;
  std::string app_name;
  /// Blank: no token is sent.
  std::string access_token;
  /// Time limit to connect, and again for a response.
  std::chrono::milliseconds timeout{3000};
  /// Protocol family of all admins; nullopt: detected from the responses of each.
  std::optional<protocol::wire::admin_family> family = {};
};

/// Returns a time limit longer than one round through all admins.
[[nodiscard]] std::chrono::milliseconds patience_with(const admin_link_settings& settings);

/// Talks to admins over HTTP, to each in its protocol family (XXL wire §0.3). It assumes the old family until an admin asks for
/// the app name, and returns to it when an admin cannot parse the new form. After a change it asks the same admin again, once.
class admin_link_state {
public:
  static inline const char* name = "ringmaster.admin_link";

  /// Longest response that is read.
  static constexpr std::size_t reply_bytes_max = 64 * 1024;

  admin_link_state(protocol::admin_link::pointer self, std::shared_ptr<protocol::http_client> client,
                   admin_link_settings settings, logger log);
  protocol::admin_link::behavior_type make_behavior();

private:
  struct admin {
    std::string base;
    protocol::address_parts address;
    protocol::wire::admin_family family = protocol::wire::admin_family::array;
  };

  /// One request on its way through the admins.
  struct round {
    protocol::admin_registration registration = {};
    /// Null: the round is a registration.
    std::shared_ptr<const std::vector<core::run_report>> reports = {};
    caf::typed_response_promise<protocol::admin_answer> promise = {};
    std::size_t at = 0;
    bool asked_again = false;
    protocol::admin_answer answer = {};
  };

  caf::result<protocol::admin_answer> begin(round&& asked);
  void ask(std::uint64_t number);
  [[nodiscard]] protocol::http_call call(const round& of) const;
  void replied(protocol::admin_replied&& told);
  /// Returns whether the response shows that the admin uses the other family, and switches to it.
  [[nodiscard]] bool learn(admin& from, const protocol::wire::admin_reply& reply) const;
  void end(std::map<std::uint64_t, round>::iterator which);

  protocol::admin_link::pointer self_;
  std::shared_ptr<protocol::http_client> client_;
  admin_link_settings settings_;
  logger log_;
  std::vector<admin> admins_;
  std::map<std::uint64_t, round> rounds_;
  std::uint64_t last_round_ = 0;
};

} // namespace ringmaster::actors
