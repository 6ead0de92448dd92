#pragma once

// figure_keeper with fixed figures.

#include "protocol/figure_messages.hpp"
#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

inline core::live_figures some_figures() {
  core::live_figures out;
  out.at = core::from_ms(1'767'323'045'000);
  out.nodes.resize(2);
  out.nodes[0] = {"a", 130, core::node_load{{{{"fast", 3, 200}, {"slow", 0, 100}}}, 4, 5, 6, 1234.54, 0.04}};
  out.nodes[1] = {"b", 126, std::nullopt};
  out.lateness = {7, 1};
  out.series = {core::from_ms(1'767'323'030'000), {5, 6, 0}, {0, 1, 0}};
  out.stored = core::stored_counts{41, 40, 10'000, true};
  out.executors = core::executor_totals{2, 1};
  out.partial = true;
  return out;
}

struct figure_keeper_double {
  static inline const char* name = "test.figure_keeper";
  figure_keeper_double(protocol::figure_keeper::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::figure_keeper::behavior_type make_behavior() {
    return {
      [this](protocol::figures_query) {
        return script->answer(line_of("figures_query"),
                              protocol::figures_told{std::make_shared<const core::live_figures>(some_figures())});
      },
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
