#pragma once

// A new database with one node that is up, and helpers to create the rows and batches of the firing path.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/store.hpp"
#include "tests/storage/databases.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

/// 2024-03-01 12:00:00 in Shanghai, the database's zone.
inline constexpr core::time_point noon = core::from_ms(1'709'265'600'000);

/// Returns the time as stored in columns of Ringmaster's tables.
inline std::string ms(core::time_point t) { return std::to_string(core::to_ms(t)); }

/// Returns the value, or fails the test with the error's text.
template <class T>
T require(core::result<T> result) {
  if (!result)
    FAIL(std::string{core::to_string(result.error().code)} + ": " + result.error().context);
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// Returns the error of a call that must fail.
template <class T>
core::errc error_of(const core::result<T>& result) {
  REQUIRE_FALSE(result);
  CHECK_FALSE(result.error().context.empty());
  return result.error().code;
}

class firing_fixture {
public:
  explicit firing_fixture(const test_backend& backend) : firing_fixture{backend, test_options()} {}
  firing_fixture(const test_backend& backend, const storage::store_options& options);

  storage::firing_store& firings() { return store->firings(); }

  /// Adds a job of group 1 that is due at `next`; not scheduled when that is the epoch. `values` replace columns of xxl_job_info,
  /// e.g. `{"child_jobid", "'3,4'"}`.
  core::job_ptr add_job(std::int32_t id, core::time_point next = noon,
                        const std::vector<std::pair<std::string, std::string>>& values = {});

  /// Returns the stored job.
  core::job_ptr job(std::int32_t id);

  /// Returns a claim of the node `me` with the next free number.
  core::claim_batch batch();

  /// Moves the job from `fire_at` to a minute later, with one run.
  static void plan(core::claim_batch& batch, const core::job_ptr& spec, core::time_point fire_at = noon);

  static core::planned_run run_of(const core::job_ptr& spec, core::time_point fire_at = noon);

  /// Adds a job, claims one run of it and returns it.
  core::claimed_run claimed(std::int32_t id, std::int32_t retries = 0,
                            const std::vector<std::pair<std::string, std::string>>& values = {});

  core::record_batch results();
  static core::trigger_result answer(const core::claimed_run& run, std::int32_t code, std::string message = {});
  static core::callback callback(const core::claimed_run& run, std::int32_t code, std::string message = {});

  /// Records these results in one batch.
  core::record_outcome record(std::vector<core::trigger_result> triggers, std::vector<core::callback> callbacks);

  /// Executes T7 for one run.
  core::result<bool> permit(const core::node_incarnation& owner, std::int64_t claim, core::log_id run);

  core::log_row row(core::log_id id);
  std::string rows(const std::string& table, const std::string& where = "");

  std::unique_ptr<test_database> db;
  std::unique_ptr<storage::store> store;
  core::node_incarnation me;
  std::int64_t sequence = 0;
};

std::string text(core::log_id id);

} // namespace ringmaster::test
