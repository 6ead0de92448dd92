#pragma once

// Runs a real executor under a real server, from empty folders to a report of runs per second and their cost.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/executor_report.hpp"
#include "bench/link_files.hpp"
#include "bench/load_files.hpp"
#include "bench/load_place.hpp"
#include "bench/run_tally.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

struct executor_load {
  std::filesystem::path ringmaster;
  /// Program that links the SDK.
  std::filesystem::path executor;
  /// Transport of triggers and results.
  std::string way = "http";
  load_shape shape = load_shape::every_second;
  std::size_t jobs = 0;
  std::chrono::seconds seconds{10};
  std::chrono::seconds warmup{3};
  /// Number of measured starts or kills.
  std::size_t times = 20;
  /// `key=value`, for the server's --set.
  std::vector<std::string> settings;
  /// Parents of the temporary folders: of all, and of the executor's if it is different.
  std::filesystem::path data_dir, executor_dir;
  bool keep = false;
};

/// The executor with its folder, in a separate process.
class executor_process {
public:
  /// Starts the executor without waiting for it. `more`: further arguments of its command line.
  executor_process(const executor_load& options, const std::filesystem::path& folder, std::uint16_t port,
                   std::uint16_t admin_port, const std::vector<std::string>& more);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] run_tally& tally() const { return *tally_.operator->(); }
  [[nodiscard]] server_process& process() { return process_; }

private:
  std::uint16_t port_;
  shared_tally tally_;
  server_process process_;
};

/// A server with its jobs, and their executor. Both serve after construction.
struct executor_and_server {
  executor_and_server(const executor_load& options, const std::filesystem::path& folder, const load_plan& plan);

  std::uint16_t port;
  /// Set for the transport `native`.
  std::optional<link_files> link;
  temporary_folder executor_folder;
  std::optional<server_process> server;
  std::optional<executor_process> executor;
};

/// All throw `std::runtime_error` if the load could not be started or was interrupted.
[[nodiscard]] executor_rate run_executor_rate(const executor_load& options);
/// Measures one run of each job, all due at one instant: the memory of its job_threads. `held`: the handlers wait, so that all
/// run concurrently.
[[nodiscard]] executor_memory run_executor_memory(const executor_load& options, bool held);
[[nodiscard]] executor_starts run_executor_starts(const executor_load& options);
[[nodiscard]] executor_kills run_executor_kills(const executor_load& options);

} // namespace ringmaster::bench
