#pragma once

// alarm_actor with one message of each kind.

#include "protocol/alarm_messages.hpp"
#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

struct alarm_actor_double {
  static inline const char* name = "test.alarm_actor";
  alarm_actor_double(protocol::alarm_actor::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::alarm_actor::behavior_type make_behavior() {
    return {
      [](const protocol::incarnation_change&) {},
      [](const protocol::notice_done&) {},
      [this](const protocol::sent_messages_query& m) {
        const core::sent_message mail{"ringmaster.alarm.70", "mail", "ann@example.org",
                                      {core::alarm_kind::failure, core::job_id{7}, "nightly", core::log_id{70}, 2},
                                      core::from_ms(1767225602000), core::message_outcome::will_retry, 3, "connection refused"};
        core::sent_message late{
          "ringmaster.alarm.elastic.5", "ops", "", {core::alarm_kind::failure}, core::from_ms(1767225601000)};
        late.about.job_name = "sums";
        late.about.elastic = core::elastic_subject{core::elastic::elastic_job_id{7}, core::elastic::alarm_cause::late};
        late.attempts = 1;
        const core::sent_message summary{"ringmaster.summary.60.5", "ops", "", {.count = 5}, core::from_ms(1767225600000),
                                         core::message_outcome::delivered, 1};
        return script->answer(line_of("sent_messages_query"), m.by, check_admin(m.by),
                              protocol::sent_messages{{mail, late, summary}, "node-a"});
      },
      [](const protocol::pending_work_update&) {},
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
