#pragma once

// Store with deployed jobs for the tests of start, stop, trigger and removal.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/storage/deploy_fixture.hpp"

namespace ringmaster::test {

struct edit_fixture : deploy_fixture {
  using deploy_fixture::deploy_fixture;

  storage::job_store& jobs() { return store->jobs(); }
  core::scheduled_job stored(std::int32_t id) {
    core::job_id wanted{id};
    return require(firings().read_jobs({&wanted, 1})).at(0);
  }
  core::claim_outcome claim(std::int32_t id, std::int64_t seen_revision = 1000) {
    const auto job = stored(id);
    auto one = batch();
    one.seen_revision = seen_revision;
    plan(one, job.spec, *job.next);
    return require(firings().claim(one, noon));
  }
  core::intent ask(std::int32_t id, std::vector<std::string> addresses = {}, std::optional<std::string> param = std::nullopt) {
    return require(
      jobs().trigger({core::job_id{id}, core::trigger_kind::manual, std::move(param), std::move(addresses), --token}, noon));
  }
  core::claimed_run claim_intent(const core::intent& intent) {
    auto one = batch();
    auto run = run_of(job(core::number(intent.job)));
    run.intent = intent.id;
    run.kind = intent.kind;
    run.param = intent.param;
    run.addresses = intent.addresses;
    run.retry_left = intent.retry_left;
    one.runs.push_back(run);
    auto outcome = require(firings().claim(one, noon));
    REQUIRE(outcome.runs.size() == 1);
    return outcome.runs[0];
  }
  std::string of(const std::string& column, std::int32_t id) {
    return db->value("SELECT " + column + " FROM xxl_job_info WHERE id = " + std::to_string(id));
  }

  std::int64_t token = 0;
};

inline constexpr core::job_id seven{7};

} // namespace ringmaster::test
