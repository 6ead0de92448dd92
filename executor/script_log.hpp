#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "core/trigger_request.hpp"

namespace ringmaster::executor {

/// The log of one run while its program runs; one thread. What cannot be written is lost.
class script_log {
public:
  virtual ~script_log() = default;

  /// A line of ours, without an end of line; in the form of the log's other lines.
  virtual void line(std::string_view text) = 0;
  /// What the program wrote, as it came: any bytes, parts of lines and of characters.
  virtual void bytes(std::string_view output) = 0;
};

/// Never null. Called on the thread of the run.
using open_script_log = std::function<std::unique_ptr<script_log>(const core::trigger_request&)>;

} // namespace ringmaster::executor
