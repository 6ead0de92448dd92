#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

#include "bench/now_viewers.hpp"
#include "bench/report.hpp"
#include "bench/run_book.hpp"

namespace ringmaster::bench {

/// The viewers, their half of the window and the half before, and the CPU time of the server in both.
class watched_half {
public:
  watched_half(const load_window& window, pid_t server);

  /// Waits for the middle of the window and starts the viewers. The window has begun.
  void begin(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t viewers);
  /// Ends the viewers at the end of the window.
  void end();
  [[nodiscard]] viewer_account account(const run_book& book) const;

private:
  load_window whole_;
  pid_t server_;
  std::int64_t middle_ms_, began_ms_ = 0;
  double first_half_s_ = 0, cpu_at_begin_ = 0;
  std::optional<now_viewers> viewers_;
  viewer_account account_;
};

} // namespace ringmaster::bench
