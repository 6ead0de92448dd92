#pragma once

// Call between its posting and its result.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gateway/transport/io/deadlines.hpp"
#include "protocol/http.hpp"

namespace ringmaster::gateway::http {

/// Calls that were posted together; lives until the last of them is done.
struct call_batch {
  std::vector<protocol::http_call> calls;
  protocol::http_client::completion done;
  /// Requests as they are written, for calls that were made ready ahead of their time; empty for the others.
  std::vector<std::string> texts;
};

/// One call on its way.
struct pending_call {
  std::shared_ptr<call_batch> batch;
  std::size_t index = 0;

  [[nodiscard]] protocol::http_call& call() const noexcept { return batch->calls[index]; }
  /// Returns true when the request was made ready, and so has no defect.
  [[nodiscard]] bool ready() const noexcept { return !batch->texts.empty() && !batch->texts[index].empty(); }
  /// Returns the time at which the call may leave: its time limits count from here.
  [[nodiscard]] deadline::clock::time_point due() const noexcept { return call().not_before; }
  explicit operator bool() const noexcept { return batch != nullptr; }
};

} // namespace ringmaster::gateway::http
