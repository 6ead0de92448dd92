#pragma once

// A MariaDB in shared mode, as a database that XXL-JOB made.

#include <algorithm>
#include <string>
#include <vector>

#include "storage/reservations.hpp"
#include "tests/storage/deploy_fixture.hpp"

namespace ringmaster::test {

/// Returns the backends whose schedule other programs may plan.
[[nodiscard]] inline std::vector<test_backend> shared_backends() {
  auto out = backends_under_test();
  std::erase_if(out, [](const test_backend& backend) { return backend.name == "sqlite"; });
  return out;
}

class reservation_fixture : public deploy_fixture {
public:
  explicit reservation_fixture(const test_backend& backend) : deploy_fixture{backend} {
    db->exec("UPDATE rm_mode SET mode = 'shared'");
  }

  storage::reservation_store& reservations() { return *store->reservations(); }

  /// Adds a job as a Java admin starts it.
  core::job_ptr add_shared(std::int32_t id, core::time_point next, const std::string& cron = "0 * * * * ?",
                           std::vector<std::pair<std::string, std::string>> values = {}) {
    values.emplace_back("schedule_conf", "'" + cron + "'");
    values.emplace_back("trigger_next_time", std::to_string(core::to_ms(next)));
    return add_job(id, next, values);
  }

  core::reserve_outcome reserve(core::time_point now, std::size_t jobs_max = 500) {
    return require(reservations().reserve(me, {.now = now, .jobs_max = jobs_max}));
  }

  /// Executes T2 for these intents, planned with the definitions in `specs` or, by default, the store's.
  core::claim_outcome claim(const std::vector<core::intent>& intents, std::vector<core::job_ptr> specs = {}) {
    return require(try_claim(me, intents, std::move(specs)));
  }

  core::result<core::claim_outcome> try_claim(const core::node_incarnation& owner, const std::vector<core::intent>& intents,
                                              std::vector<core::job_ptr> specs = {}) {
    auto one = batch();
    one.owner = owner;
    one.shared = true;
    for (const auto& intent : intents) {
      auto known = std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec->id == intent.job; });
      if (known == specs.end())
        known = specs.insert(specs.end(), job(core::number(intent.job)));
      auto run = run_of(*known, intent.fire_at);
      run.kind = intent.kind;
      run.intent = intent.id;
      one.runs.push_back(std::move(run));
    }
    return firings().claim(one, noon);
  }

  /// Returns `status last next` of a job, times as seconds from noon.
  std::string schedule_of(std::int32_t id) {
    const auto row = db->query("SELECT trigger_status, trigger_last_time, trigger_next_time FROM xxl_job_info WHERE id = " +
                               std::to_string(id)).at(0);
    return row[0] + ' ' + from_noon(row[1]) + ' ' + from_noon(row[2]);
  }

  static std::string from_noon(const std::string& ms) {
    const auto value = std::stoll(ms);
    return value == 0 ? "-" : std::to_string((value - core::to_ms(noon)) / 1000);
  }
};

/// Returns their instants, in seconds from noon.
inline std::vector<std::int64_t> instants(const std::vector<core::intent>& intents) {
  std::vector<std::int64_t> out;
  for (const auto& intent : intents)
    out.push_back((core::to_ms(intent.fire_at) - core::to_ms(noon)) / 1000);
  return out;
}

} // namespace ringmaster::test
