#pragma once

// Viewers of the console's first page during a load.

#include <atomic>
#include <chrono>
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

/// Clients with a connection each, which read /api/v1/now every two seconds with the ETag of their last answer, as the page does.
/// A few threads serve them. They start on construction.
class now_viewers {
public:
  /// Signs in with the secrets in `data_dir`, once for each thread. Throws `std::runtime_error` if that fails.
  now_viewers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t viewers);
  ~now_viewers();
  now_viewers(const now_viewers&) = delete;
  now_viewers& operator=(const now_viewers&) = delete;

  /// Ends the viewers and returns their account, without the figures of the load. Call it once.
  viewer_account finish();

private:
  struct viewer {
    std::unique_ptr<api_client> client;
    std::string tag;
  };
  /// The viewers of one thread.
  struct room {
    std::vector<viewer> viewers;
    std::vector<double> took_ms;
    std::size_t unchanged = 0, failed = 0, bytes = 0;
    std::thread thread;
  };

  void watch(room& one, std::size_t index);
  static void look(room& one, viewer& who, std::chrono::steady_clock::time_point due);

  std::size_t viewers_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<bool> over_{false};
  std::vector<room> rooms_;
};

} // namespace ringmaster::bench
