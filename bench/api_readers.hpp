#pragma once

// Reads /api/v1 during a load, at a fixed rate.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "bench/api_client.hpp"
#include "bench/timed_requests.hpp"

namespace ringmaster::bench {

/// Threads with a connection and a session each. They start on construction.
class api_readers {
public:
  /// Starts the readers with `per_second` requests in total. Signs in with the secrets in `data_dir`. Throws `std::runtime_error`
  /// if that fails.
  api_readers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t per_second, std::size_t jobs);

  /// Ends the readers and returns their account. Call it once.
  read_account finish() { return requests_->finish(); }

private:
  std::vector<std::unique_ptr<api_client>> clients_;
  std::optional<timed_requests> requests_;
};

} // namespace ringmaster::bench
