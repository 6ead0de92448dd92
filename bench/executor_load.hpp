#pragma once

// A real executor under a real server, from empty folders to a report: how many runs a second, and what they cost.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/executor_report.hpp"
#include "bench/load_files.hpp"
#include "bench/load_place.hpp"
#include "bench/run_tally.hpp"
#include "bench/server_process.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/temp_folder.hpp"

namespace ringmaster::bench {

struct executor_load {
  std::filesystem::path ringmaster;
  /// The program that links the SDK.
  std::filesystem::path executor;
  /// How triggers and results travel.
  std::string way = "http";
  load_shape shape = load_shape::every_second;
  std::size_t jobs = 0;
  std::chrono::seconds seconds{10};
  std::chrono::seconds warmup{3};
  /// Of the measurements of start and kill.
  std::size_t times = 20;
  /// `key=value`, for the server's --set.
  std::vector<std::string> settings;
  /// Where temporary folders are made: of all, and of the executor where that is another one.
  std::filesystem::path data_dir, executor_dir;
  bool keep = false;
};

/// What both ends of a native link need.
class link_files {
public:
  link_files();

  /// `key=value` of the server, and of the executor.
  [[nodiscard]] std::vector<std::string> settings() const;
  [[nodiscard]] std::vector<std::string> executor_words() const;

private:
  test::temp_folder folder_;
  test::test_authority authority_{folder_, "authority"};
  test::certificate_files node_ = authority_.issue("node"), executor_ = authority_.issue("executor");
  std::uint16_t port_;
};

/// The executor with its folder, in a process of its own.
class executor_process {
public:
  /// Not waited for. `more`: further words of its command line.
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

/// A server with its jobs, and the executor that they go to. Both serve when it is made.
struct executor_and_server {
  executor_and_server(const executor_load& options, const std::filesystem::path& folder, const load_plan& plan);

  std::uint16_t port;
  /// Of `native`.
  std::optional<link_files> link;
  temporary_folder executor_folder;
  std::optional<server_process> server;
  std::optional<executor_process> executor;
};

/// All throw `std::runtime_error` when the load could not be put on at all, or was interrupted.
[[nodiscard]] executor_rate run_executor_rate(const executor_load& options);
/// One run of each job, all due at one instant: what its job_threads take. `held`: of a handler that waits, so that all run.
[[nodiscard]] executor_memory run_executor_memory(const executor_load& options, bool held);
[[nodiscard]] executor_starts run_executor_starts(const executor_load& options);
[[nodiscard]] executor_kills run_executor_kills(const executor_load& options);

} // namespace ringmaster::bench
