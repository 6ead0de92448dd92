#pragma once

// alarm_tester with one channel of each kind.

#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

struct alarm_tester_double {
  static inline const char* name = "test.alarm_tester";
  alarm_tester_double(protocol::alarm_tester::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::alarm_tester::behavior_type make_behavior() {
    return {
      [this](const protocol::channels_query& m) {
        return script->answer(line_of("channels_query"), m.by, check_admin(m.by),
                              protocol::channel_list{{{"mail", "mail", "smtp.example.org:587", "ops@example.org"},
                                                      {"ops", "slack", "hooks.example.org"}}});
      },
      [this](const protocol::test_channel& m) {
        return script->answer(line_of("test_channel", m.channel, m.recipient), m.by, check_admin(m.by),
                              protocol::channel_tested{false, "refused", core::milliseconds{12}});
      },
      [](const protocol::notice_done&) {},
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
