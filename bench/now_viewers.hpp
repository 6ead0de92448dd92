#pragma once

// Viewers of the console's first page during a load.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/api_client.hpp"
#include "bench/timed_requests.hpp"

namespace ringmaster::bench {

/// Clients with a connection each, which read /api/v1/now every two seconds with the ETag of their last answer, as the page does.
/// A few threads serve them. They start on construction.
class now_viewers {
public:
  /// Signs in with the secrets in `data_dir`, once for each thread. Throws `std::runtime_error` if that fails.
  now_viewers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t viewers);

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
    std::size_t looks = 0, unchanged = 0, bytes = 0;
  };

  /// Returns whether the answer was right.
  static bool look(room& one, viewer& who);

  std::size_t viewers_;
  std::vector<room> rooms_;
  std::optional<timed_requests> requests_;
};

} // namespace ringmaster::bench
