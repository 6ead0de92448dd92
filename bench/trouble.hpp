#pragma once

// A load in whose middle the server is killed or its database becomes unavailable.

#include <cstddef>
#include <cstdint>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

enum class trouble_kind {
  none,
  kill,   ///< `kill -9` of the server, which is started again at once
  outage, ///< the database: MariaDB is stopped and restarted, a SQLite file is locked by another connection
};

struct trouble_plan {
  trouble_kind kind = trouble_kind::none;
  std::int64_t after_s = 5; ///< from the begin of the window
  std::int64_t lasts_s = 0; ///< duration of an outage
};

struct trouble_account {
  std::int64_t began_ms = 0; ///< CLOCK_REALTIME
  std::int64_t back_ms = 0;  ///< the server is ready again, the database answers again
  /// Missing instants of that time and of the few seconds until the load is steady again. If the oldest instant of a job is too
  /// late, its misfire policy decides all of them.
  std::size_t dropped = 0;
  /// Missing instants of any other time.
  std::size_t lost = 0;
  /// Time from `back_ms` until no instant is missing and no arrival is more than a second late.
  double steady_ms = 0;
};

/// Completes `known`. `jobs` fire in each second of the window.
void account_for(trouble_account& known, const run_book& book, const load_window& window, std::size_t jobs);

} // namespace ringmaster::bench
