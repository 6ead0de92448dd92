#pragma once

// A server with elastic jobs and its workers, each in a separate process, and the notes of the workers' bodies.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/link_files.hpp"
#include "bench/load_place.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

struct elastic_load {
  std::filesystem::path ringmaster;
  /// The program of tests/elastic/elastic_worker.cpp.
  std::filesystem::path worker;
  std::size_t workers = 2;
  /// Maximum number of item runs of a worker at the same time.
  std::size_t capacity = 5000;
  /// `key=value`, for the server's --set.
  std::vector<std::string> settings;
  /// Parents of the temporary folders: of the server, and of the workers, which write a log for each run.
  std::filesystem::path data_dir, worker_dir;
  bool keep = false;
};

/// One line of a worker's notes; see tests/elastic/elastic_worker.cpp. Moments in us.
struct body_note {
  std::int64_t wall_us = 0, boot_us = 0;
  std::string event, job;
  std::int32_t item = 0;
  std::int64_t run = 0, fence = 0;
  std::int32_t attempt = 0;
  std::string source;
};

/// Returns the moment on CLOCK_BOOTTIME, which notes use, too.
[[nodiscard]] std::int64_t boot_us();

/// Declaration of one elastic job.
struct elastic_declaration {
  std::string name;
  std::string handler = "quick";
  std::size_t items = 1;
  std::string cron = "* * * * * ?";
  /// Parameter of all items.
  std::string param = {};
  /// Further lines of its table.
  std::string more = {};
};

/// A worker, and what its bodies have noted. Not thread-safe.
class elastic_worker {
public:
  elastic_worker(const elastic_load& load, std::filesystem::path folder, std::vector<std::string> words);

  /// Starts the process, in the same folder as before. Notes of an earlier process are kept.
  void start();
  /// Sends SIGKILL or SIGSTOP, and returns the moment before it.
  std::int64_t break_off(int signal);
  void go_on();
  /// Ends it gracefully; throws `std::runtime_error` if it fails.
  void stop();

  /// Reads new notes and returns all.
  const std::vector<body_note>& notes();
  [[nodiscard]] server_process& process() { return *process_; }

private:
  std::filesystem::path folder_, file_;
  std::vector<std::string> words_;
  std::optional<server_process> process_;
  std::vector<body_note> notes_;
  std::streamoff read_ = 0;
};

/// A running server and its workers. All of them are hosts after construction.
class elastic_world {
public:
  /// Declares the jobs, and `beat`, a job with one item for each worker in each second. Throws `std::runtime_error`.
  elastic_world(const elastic_load& load, std::vector<elastic_declaration> jobs);

  /// Adds a worker without waiting for it.
  elastic_worker& add_worker();
  [[nodiscard]] elastic_worker& worker(std::size_t number) { return *workers_.at(number); }
  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  [[nodiscard]] server_process& server() { return *server_; }
  [[nodiscard]] std::filesystem::path database() const { return folder_.path() / "ringmaster.db"; }

  /// Time from the start of the server to its first answer, with all jobs declared.
  [[nodiscard]] double ready_ms() const { return ready_ms_; }
  /// Waits until the worker gets items after the moment.
  void wait_for_beat(elastic_worker& of, std::int64_t since_us);
  /// Ends the workers, then the server, and returns the server's exit status.
  std::optional<int> stop();

private:
  const elastic_load& load_;
  temporary_folder folder_, worker_folder_;
  link_files link_;
  std::uint16_t port_;
  double ready_ms_ = 0;
  std::optional<server_process> server_;
  std::vector<std::unique_ptr<elastic_worker>> workers_;
};

/// Waits until the function returns a note, looking each millisecond. Throws `std::runtime_error` after 30 s or an interruption.
body_note await_note(const std::function<std::optional<body_note>()>& look, const char* what);

} // namespace ringmaster::bench
