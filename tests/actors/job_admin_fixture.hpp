#pragma once

// job_admin over a real store, with doubles of planner and router.

#include <cstddef>
#include <utility>

#include "actors/console/job_admin.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/declared_jobs.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

inline config::security_settings with_scripts() {
  config::security_settings out;
  out.glue = true;
  return out;
}

struct job_administration : virtual_time {
  caf::expected<core::deploy_report> apply(core::declared_set declared, bool dry_run = false) {
    return ask<core::deploy_report>(actor, protocol::apply_declared{std::move(declared), dry_run, false});
  }
  [[nodiscard]] std::size_t hints() const { return schedule.record->edit_hints + *registry.hints; }

  memory_database database;
  faulty_store store{database.open()};
  query_worker_double edits{*this, store};
  query_worker_double worker{*this, store};
  schedule_double schedule{*this};
  registry_monitor_double registry{*this};
  protocol::job_admin spawn_admin(config::security_settings settings, std::chrono::milliseconds caller_limit = 9500ms) {
    return spawn<actors::job_admin_state, protocol::job_admin>(
      actors::query_workers{worker.actor, edits.actor, edits.actor}, schedule.actor, registry.actor,
      std::move(settings), clock(), silent_log(), actors::declared_files{}, actors::forecast_rules{}, caller_limit);
  }
  protocol::job_admin actor = spawn_admin(with_scripts());
};

/// Group, node and draft for jobs as users write them.
struct written_job : job_administration {
  written_job() {
    REQUIRE(apply(nightly()));
    schedule.record->edit_hints = 0;
    group = test::expect(store.jobs().find({std::nullopt, "pay-worker", "settle"})).spec->group;
    life = test::expect(store.cluster().enter("a", "a:8080"));
  }

  [[nodiscard]] core::job_draft draft() const {
    core::job_draft out;
    out.group = group;
    out.name = "Report";
    out.author = "ops";
    out.schedule_type = "CRON";
    out.schedule_conf = "0 0 1 * * ?";
    out.misfire = "DO_NOTHING";
    out.route = "FIRST";
    out.block = "SERIAL_EXECUTION";
    out.glue_type = "GLUE_SHELL";
    out.glue_source = "echo";
    return out;
  }
  core::job_id add() { return ask<protocol::added_job>(actor, protocol::add_job{draft(), core::local_operator()})->id; }

  core::group_id group{};
  core::node_incarnation life;
  core::principal guest{core::user_id{3}, "guest"};
};

} // namespace ringmaster::test
