#pragma once

// Reads /api/v1 during a load, at a fixed rate.

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

/// Threads with a connection and a session each. They start on construction.
class api_readers {
public:
  /// Starts the readers with `per_second` requests in total. Signs in with the secrets in `data_dir`. Throws `std::runtime_error`
  /// if that fails.
  api_readers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t per_second, std::size_t jobs);
  ~api_readers();
  api_readers(const api_readers&) = delete;
  api_readers& operator=(const api_readers&) = delete;

  /// Ends the readers and returns their account. Call it once.
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
