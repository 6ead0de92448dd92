#pragma once

// A log row for display.

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// One row of `xxl_job_log`, every column. In native mode handle_time and handle_msg have no meaning while handle_code is 0.
struct log_row {
  log_id id{};
  group_id group{};
  job_id job{};
  std::string executor_address;
  std::string executor_handler;
  std::string executor_param;
  std::string executor_sharding_param;
  std::int32_t fail_retry_count = 0;
  time_point trigger_time{};
  std::int32_t trigger_code = 0;
  std::string trigger_msg;
  std::optional<time_point> handle_time;
  std::int32_t handle_code = 0;
  std::string handle_msg;
  std::int32_t alarm_status = 0;
};

} // namespace ringmaster::core
