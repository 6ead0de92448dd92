#pragma once

// The store's part of a mutant: changes rows and writes, so that a rule of the store does not exist.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/elastic/store_ops.hpp"
#include "storage/sqlite/driver/connection.hpp"
#include "tests/simulation/elastic/mutant.hpp"

namespace ringmaster::simulation::elastic {

class rule_breaker {
public:
  rule_breaker(const mutant& off, storage::sqlite::connection& tables) : off_{off}, tables_{tables} {}

  /// Makes the node the keeper of the host. Returns the number of the keeper.
  std::int64_t make_keeper(core::elastic::host_number host, const core::node_incarnation& owner);
  void before_write(core::elastic::elastic_batch& batch);
  void after_write();
  void before_adoption();

private:
  void free_item(core::elastic::elastic_job_id job, core::elastic::item_number item, const core::elastic::item_grant& grant);
  void look_at(const core::elastic::item_write& write);

  const mutant& off_;
  storage::sqlite::connection& tables_;
  /// Items whose mark "missed" is to stay.
  std::vector<std::pair<core::elastic::elastic_job_id, core::elastic::item_number>> marked_;
};

} // namespace ringmaster::simulation::elastic
