#pragma once

#include <span>

#include "core/ids.hpp"
#include "core/time.hpp"
#include "storage/mysql/driver/connection.hpp"

namespace ringmaster::storage::mysql {

/// A run that has its result, and whose log is to be fetched.
struct log_request {
  core::log_id run{};
  core::job_id job{};
};

/// Inserts requests in the transaction of the results. Throws `driver_error`.
void insert_log_requests(connection& db, std::span<const log_request> requested, core::time_point now);

} // namespace ringmaster::storage::mysql
