#pragma once

// Rows and checks that the doubles of the actors for users share.

#include <string>
#include <utility>

#include "tests/gateway/admin_doubles.hpp"

namespace ringmaster::test {

using core::check_admin;
using core::check_right;

inline core::time_point at(std::int64_t s) { return core::from_ms(s * 1000); }

/// Around 2026-01-02 03:04:05 UTC.
inline constexpr std::int64_t a_second = 1'767'323'045;

inline core::log_row a_run() {
  core::log_row run;
  run.id = core::log_id{70};
  run.group = core::group_id{1};
  run.job = core::job_id{7};
  run.executor_address = "http://10.0.0.3:9999/";
  run.executor_handler = "nightly";
  run.executor_param = "p=1";
  run.executor_sharding_param = "0/2";
  run.fail_retry_count = 2;
  run.trigger_time = at(a_second);
  run.trigger_code = 200;
  run.trigger_msg = "sent<br>";
  run.handle_time = at(a_second + 9);
  run.handle_code = 200;
  run.handle_msg = "done";
  run.alarm_status = 1;
  return run;
}

inline core::run_names names_of_runs() { return {{{core::job_id{7}, "settle"}}, {{core::group_id{1}, "First"}}}; }

inline core::user_card a_user() { return {core::user_id{4}, "edda", false, {{core::group_id{1}, group_right::editor}}}; }

template <class Row>
core::page<Row> page_of(Row row) {
  core::page<Row> page;
  page.rows.push_back(std::move(row));
  page.total = 41;
  return page;
}

/// Checks access to a list: every user may read it, with the caller's part; the list of one group needs access to that group.
inline core::result<void> check_list(const core::principal& by, std::optional<core::group_id> group) {
  return group ? check_right(by, group_right::viewer, *group) : core::result<void>{};
}

inline std::string text_of_seen(const std::string& seen) { return seen.empty() ? std::string{} : " seen " + seen; }

} // namespace ringmaster::test
