#pragma once

// Store with rows of the log for the tests of reads, ends and clearing of runs by users.

#include <string>
#include <utility>
#include <vector>

#include "tests/storage/firing_fixture.hpp"

namespace ringmaster::test {

using id_list = std::vector<std::int64_t>;

inline core::principal user(std::vector<std::pair<core::group_id, core::group_right>> rights) {
  return {core::user_id{7}, "carol", false, std::move(rights), "10.1.1.1"};
}

inline const core::principal& admin() {
  static const core::principal who{core::user_id{1}, "admin", true};
  return who;
}

/// Row of the log.
struct log_entry {
  std::int64_t id = 0;
  /// In the database's zone; empty: none.
  std::string when = "2024-03-01 12:00:00";
  int trigger_code = 200;
  int handle_code = 200;
  int group = 1;
  int job = 7;
};

struct reader_fixture : firing_fixture {
  explicit reader_fixture(const test_backend& backend) : firing_fixture{backend} {}

  storage::run_reader& reader() { return store->run_reading(); }

  void add(const log_entry& row) {
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES ("
             + std::to_string(row.id) + ", " + std::to_string(row.group) + ", " + std::to_string(row.job) + ", "
             + (row.when.empty() ? "NULL" : "'" + row.when + "'") + ", " + std::to_string(row.trigger_code) + ", "
             + std::to_string(row.handle_code) + ")");
  }

  void add_job_of(int id, int group) {
    db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy, executor_block_strategy,"
             " glue_type) VALUES (" + std::to_string(id) + ", " + std::to_string(group)
             + ", 'j', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')");
  }

  core::page<core::log_row> page(const core::run_search& search, const core::principal& by = admin(), std::size_t count = 1000) {
    return require(reader().page(search, count, by));
  }
  id_list found(const core::run_search& search, const core::principal& by = admin()) { return ids_of(page(search, by)); }

  static id_list ids_of(const core::page<core::log_row>& page) {
    id_list out;
    for (const auto& row : page.rows)
      out.push_back(core::number(row.id));
    return out;
  }

  id_list ids(const std::string& of = "id", const std::string& in = "xxl_job_log") {
    id_list out;
    for (const auto& row : db->query("SELECT " + of + " FROM " + in + " ORDER BY 1"))
      out.push_back(std::stoll(row.at(0)));
    return out;
  }

  /// Clears step by step until the end; returns the number of removed runs.
  std::size_t clear(const core::clear_search& search, std::size_t limit = 1000, const core::principal& by = admin()) {
    auto step = require(reader().clear(search, {}, limit, by, noon));
    std::size_t removed = step.removed;
    for (int steps = 0; step.next; ++steps) {
      REQUIRE(steps < 10'000);
      step = require(reader().clear(search, step.next, limit, by, noon));
      REQUIRE(step.removed <= limit);
      removed += step.removed;
    }
    return removed;
  }
};

} // namespace ringmaster::test
