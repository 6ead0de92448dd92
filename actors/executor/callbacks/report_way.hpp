#pragma once

#include <caf/typed_actor.hpp>

#include "protocol/executor_type_ids.hpp"

namespace ringmaster::actors {

/// A way to deliver results to an admin other than HTTP. callback_actor tries it first, if it has one, and uses HTTP after an
/// error. Results that could not be delivered remain with the caller. link_dialer implements it.
using report_way = caf::typed_actor<
  /// Replies when an admin has made all reports durable. Errors: `unavailable`, at once when there is no way now, else when the
  /// way was cut or no receipt came; some reports may be durable then, and delivering them again changes nothing. `too_large`:
  /// other reports wait. Answers within 15 s, so use a longer time limit.
  caf::result<void>(protocol::run_reports)>;

} // namespace ringmaster::actors
