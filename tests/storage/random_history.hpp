#pragma once

// A random history of the firing path, recorded in a form that does not depend on the backend: two stores that agree return the
// same text.

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/storage/firing_fixture.hpp"

namespace ringmaster::test {

class random_history {
public:
  /// `connections`: number of stores among which the steps alternate.
  random_history(const test_backend& backend, std::uint64_t seed, std::size_t connections);

  /// Does `steps` random steps and returns the answers of the stores, a line per step, and the tables at the end.
  std::vector<std::string> run(int steps);

  test_database& database() { return *fixture_.db; }

private:
  void claim();
  void repeat_claim();
  void record();
  void adopt();
  void permit_resend();
  void edit();
  void remove();
  void change_incarnation();
  void sweep();

  void say(std::string line) { lines_.push_back(std::move(line)); }
  void say_runs(const core::claim_outcome& outcome);
  void dump();
  std::uint64_t pick(std::uint64_t bound) { return random_() % bound; }
  storage::firing_store& firings() { return stores_[step_ % stores_.size()]->firings(); }
  storage::cluster_store& cluster() { return stores_[step_ % stores_.size()]->cluster(); }

  // Ids differ between backends (a rolled-back transaction may use some up), so they are named in the order in which they appear.
  std::string name(core::log_id id);
  std::string name(core::intent_id id);
  void keep(const std::vector<core::intent>& intents);

  std::mt19937_64 random_;
  firing_fixture fixture_;
  std::vector<std::unique_ptr<storage::store>> stores_;
  std::size_t step_ = 0;
  core::time_point now_ = noon;
  std::vector<core::node_incarnation> lives_;
  std::map<std::int32_t, core::scheduled_job> jobs_;
  std::int64_t revision_ = 0;
  std::int64_t sequence_ = 0;
  core::claim_batch last_claim_;
  std::vector<core::claimed_run> runs_;
  std::vector<core::intent> intents_;
  std::map<std::int64_t, std::size_t> log_names_;
  std::map<std::int64_t, std::size_t> intent_names_;
  std::vector<std::string> lines_;
};

} // namespace ringmaster::test
