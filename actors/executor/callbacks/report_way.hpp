#pragma once

#include <caf/typed_actor.hpp>

#include "protocol/executor_type_ids.hpp"

namespace ringmaster::actors {

/// A way for results to an admin besides HTTP: callback_actor asks it first, if it has one, and goes the way of HTTP after an
/// error. What it was given and could not hand over is still the asker's. link_dialer is one: hand its handle over.
using report_way = caf::typed_actor<
  /// Replies when an admin has made all of them durable. Errors: `unavailable`, at once when there is no way now, else when the
  /// way was cut or no receipt came; some may be durable then, and giving them again changes nothing. `too_large`: others wait.
  /// Answers within 15 s: ask with a time limit behind that.
  caf::result<void>(protocol::run_reports)>;

} // namespace ringmaster::actors
