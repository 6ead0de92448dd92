#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "actors/logger.hpp"
#include "core/result.hpp"
#include "core/text/language.hpp"
#include "core/time.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/notifier.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Form of test messages, which is that of alarms.
struct test_form {
  /// Shown as the origin.
  std::string host;
  core::language language = core::language::en;
  /// `alarm.form` is `xxl`.
  bool as_xxl = false;
};

/// Returns the test message to a channel. `recipient`: an address for mail; empty: the sender's. Errors: `invalid_argument` for a
/// recipient that is not an address, or for a webhook.
[[nodiscard]] core::result<protocol::notice> test_notice_of(const core::alarm_channel& channel, std::string_view recipient,
                                                            const test_form& form, core::time_point now);

/// Actor that sends test messages through the channels of alarms. A channel is tested once in ten seconds at most, because each
/// test reaches users; few tests are under way at once.
class alarm_tester_state {
public:
  static inline const char* name = "ringmaster.alarm_tester";

  /// Time from one test of a channel to the next one.
  static constexpr std::chrono::seconds pause{10};
  static constexpr std::size_t tests_max = 4;

  /// `notifier`: null: there are no channels. `patience`: time after which a test is answered without an outcome.
  alarm_tester_state(protocol::alarm_tester::pointer self, std::shared_ptr<protocol::notifier> notifier, test_form form,
                     std::chrono::milliseconds patience, protocol::wall_clock clock, logger log);
  protocol::alarm_tester::behavior_type make_behavior();

private:
  using steady = std::chrono::steady_clock::time_point;

  /// Test whose message is on its way.
  struct open_test {
    caf::typed_response_promise<protocol::channel_tested> answer;
    std::string channel;
    std::string by;
    steady since{};
  };

  caf::result<protocol::channel_list> list(const protocol::channels_query& asked) const;
  caf::result<protocol::channel_tested> test(const protocol::test_channel& asked);
  /// Errors: `too_large`.
  [[nodiscard]] core::result<void> admit(const std::string& channel);
  void answered(const protocol::notice_done& done);
  void give_up_late();
  void answer(open_test&& test, bool delivered, std::string detail);
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::alarm_tester::pointer self_;
  std::shared_ptr<protocol::notifier> notifier_;
  test_form form_;
  std::chrono::milliseconds patience_;
  protocol::wall_clock clock_;
  logger log_;

  std::map<std::uint64_t, open_test> open_;
  std::uint64_t last_number_ = 0;
  /// Begin of the last test by channel; entries older than the pause are removed.
  std::map<std::string, steady> begun_;
};

} // namespace ringmaster::actors
