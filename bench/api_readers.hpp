#pragma once

// Reads of /api/v1 beside a load, at a rate of their own.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/api_client.hpp"
#include "bench/report.hpp"

namespace ringmaster::bench {

/// Some threads, each with a connection and a session of its own. They begin when made.
class api_readers {
public:
  /// `per_second` in all. Signs in with what stands in `data_dir`. Throws `std::runtime_error` when that fails.
  api_readers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t per_second, std::size_t jobs);
  ~api_readers();
  api_readers(const api_readers&) = delete;
  api_readers& operator=(const api_readers&) = delete;

  /// Ends them and tells what they saw. Once.
  read_account finish();

private:
  struct reader {
    std::unique_ptr<api_client> client;
    std::vector<double> took_ms;
    std::size_t failed = 0;
    std::thread thread;
  };

  void read(reader& one, std::size_t index);

  std::size_t per_second_, jobs_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> over_{false};
  std::vector<reader> readers_;
};

} // namespace ringmaster::bench
