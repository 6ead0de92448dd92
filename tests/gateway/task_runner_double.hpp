#pragma once

// task_runner whose tasks below 1000 are those of the caller, and the others those of other users. Searches find 57 objects.

#include "protocol/task_messages.hpp"
#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

struct task_runner_double {
  static inline const char* name = "test.task_runner";
  task_runner_double(protocol::task_runner::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::task_runner::behavior_type make_behavior() {
    return {
      [this](const protocol::begin_task& m) -> caf::result<protocol::task_begun> {
        if (m.by_search && m.expect != 57)
          return protocol::to_caf({core::errc::conflict, "57 objects match the filter", core::refusal::none, "57"});
        return script->answer(line_of_begin(m), m.by, core::check_right_anywhere(m.by, core::right_for(m.action)),
                              protocol::task_begun{core::task_id{7}});
      },
      [this](const protocol::task_query& m) { return show("task_query", m.task, m.by); },
      [this](const protocol::abort_task& m) { return show("abort_task", m.task, m.by); },
    };
  }

  static std::string line_of_begin(const protocol::begin_task& m) {
    std::string ids;
    for (const auto id : m.ids)
      ids += (ids.empty() ? "" : ",") + std::to_string(id);
    const auto search = core::works_on_runs(m.action) ? text_of(m.runs.group) + "/" + std::to_string(m.runs.one_of.size())
                                                      : text_of(m.jobs.group) + "/" + m.jobs.name_part;
    return line_of("begin_task", core::to_string(m.action), ids, m.by_search ? search : std::string{"-"},
                   m.wanted.param.value_or("-"), m.to_same_executor, m.wanted.token != 0, !m.digest.empty());
  }

  caf::result<protocol::task_found> show(std::string_view what, core::task_id task, const core::principal& by) {
    if (!by.admin && core::number(task) >= 1000)
      return protocol::to_caf({core::errc::not_found, "no such task"});
    core::task_progress progress{task, core::task_action::stop, core::task_state::done, 50, 46, 4};
    progress.problems = {{8, {core::errc::not_found, "job 8 does not exist"}},
                         {9, {core::errc::unavailable, "a secret of the driver"}},
                         {10, {core::errc::internal, "a defect"}},
                         {11, {core::errc::invalid_argument, "run 11 is one shard", core::refusal::one_shard}}};
    return script->answer(line_of(what, task), by, {}, protocol::task_found{std::move(progress)});
  }
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test
