#pragma once

// doctor with one finding of each level.

#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

struct doctor_double {
  static inline const char* name = "test.doctor";
  doctor_double(protocol::doctor::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::doctor::behavior_type make_behavior() {
    using level = core::finding::level;
    using progress = protocol::doctor_report::progress;
    return {
      [this](const protocol::doctor_query& m) {
        return script->answer(line_of("doctor_query"), m.by, check_admin(m.by),
                              protocol::doctor_report{progress::done, core::from_ms(1767225600000), "node-a",
                                                      {{level::fine, "clock", "agrees with the database"},
                                                       {level::warning, "disk", "nearly full", "free some space"},
                                                       {level::failure, "mode", "differs"}}});
      },
      [this](const protocol::start_doctor& m) {
        return script->answer(line_of("start_doctor"), m.by, check_admin(m.by),
                              protocol::doctor_report{progress::running, core::from_ms(1767225600000), "node-a"});
      },
      [](const protocol::doctor_progress&) {},
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
