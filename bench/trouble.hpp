#pragma once

// What becomes of a load in whose middle the server is killed or its database goes away.

#include <cstddef>
#include <cstdint>

#include "bench/run_book.hpp"

namespace ringmaster::bench {

enum class trouble_kind {
  none,
  kill,   ///< `kill -9` of the server, which is started again at once
  outage, ///< the database: MariaDB is ended and started again, a SQLite file is locked by somebody else
};

struct trouble_plan {
  trouble_kind kind = trouble_kind::none;
  std::int64_t after_s = 5; ///< from the begin of the window
  std::int64_t lasts_s = 0; ///< of an outage
};

struct trouble_account {
  std::int64_t began_ms = 0; ///< CLOCK_REALTIME
  std::int64_t back_ms = 0;  ///< the server is ready again, the database answers again
  /// Instants of that time, and of the few seconds until everything goes on, which nobody received: where the oldest of a job's
  /// instants is too late, its misfire policy decides all of them.
  std::size_t dropped = 0;
  /// Instants of any other time which nobody received.
  std::size_t lost = 0;
  /// From `back_ms` until no instant is missing and no arrival more than a second late any more.
  double steady_ms = 0;
};

/// `jobs` fire in each second of the window. Fills in what `known` does not have yet.
void account_for(trouble_account& known, const run_book& book, const load_window& window, std::size_t jobs);

} // namespace ringmaster::bench
