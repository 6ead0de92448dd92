#pragma once

// One bench run from an empty folder to its report.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/load_files.hpp"
#include "bench/load_store.hpp"
#include "bench/report.hpp"

namespace ringmaster::bench {

struct load_options {
  std::filesystem::path ringmaster;
  store_kind store = store_kind::sqlite;
  load_shape shape = load_shape::every_second;
  std::size_t jobs = 0;
  /// Runs as alongside Java admins, on tables that XXL-JOB created.
  bool shared = false;
  std::chrono::seconds seconds{60};
  std::chrono::seconds warmup{5};
  std::size_t executors = 10;
  bool batched_callbacks = true;
  /// Connections on which the executors report results.
  std::size_t result_connections = 16;
  /// Work per call before the answer, in the one thread of all executors.
  std::chrono::microseconds answer_work{0};
  /// For --ingest: connections that report results, one in each request.
  std::size_t ingest = 0;
  /// Finished runs in the log at the start.
  std::size_t prefill = 0;
  /// For --pages: requests of each kind of page.
  std::size_t pages = 0;
  /// Running jobs of another group that an apply changes in the middle of the load.
  std::size_t applied = 0;
  /// Reads of the API per second during the load.
  std::size_t reads = 0;
  /// Viewers of /api/v1/now in the second half of the load.
  std::size_t viewers = 0;
  trouble_plan trouble;
  /// `key=value`, for the server's --set.
  std::vector<std::string> settings;
  /// Parent of the temporary folders.
  std::filesystem::path data_dir;
  bool keep = false;
};

/// Returns the CPU seconds so far, by process.
[[nodiscard]] cpu_shares cpu_now(pid_t server, pid_t store, pid_t executors);

/// Throw `std::runtime_error` if the load could not be started or was interrupted.
[[nodiscard]] load_report run_load(const load_options& options);
[[nodiscard]] idle_report run_idle(const load_options& options);
[[nodiscard]] ingest_report run_ingest(const load_options& options);
[[nodiscard]] page_report run_pages(const load_options& options);

} // namespace ringmaster::bench
