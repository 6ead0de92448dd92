#pragma once

// Declared sets, and helpers to apply them and to read their effects.

#include <string>
#include <vector>

#include "tests/storage/firing_fixture.hpp"

namespace ringmaster::test {

core::declared_job declared_job_of(const std::string& group, const std::string& key);

/// Returns source `pay.toml`: group `pay` with the jobs `settle` and `report`, both at 01:00.
core::declared_set pay_set();

/// Returns one character per change: `+` create, `~` update, `=` unchanged, `-` remove.
std::string kinds(const core::deploy_report& report);

/// Returns everything that a deploy may write.
std::vector<table> picture(test_database& db);

/// 01:00 in Shanghai on the day after `noon`.
inline constexpr core::time_point one_at_night = noon + std::chrono::hours{13};

class deploy_fixture : public firing_fixture {
public:
  using firing_fixture::firing_fixture;

  core::result<core::deploy_report> try_apply(const core::declared_set& set, bool prune = false, core::time_point now = noon,
                                              bool dry_run = false);

  /// Applies and returns the kinds.
  std::string apply(const core::declared_set& set, bool prune = false, core::time_point now = noon);

  /// Checks that `set` is refused, with and without `dry_run`, and that nothing of it is stored.
  core::error refused(const core::declared_set& set, bool prune = false);

  std::string id_of(const std::string& key);
  std::string of_job(const std::string& column, const std::string& key);
  std::string next_of(const std::string& key);
};

} // namespace ringmaster::test
