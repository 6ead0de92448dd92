#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results that no admin has taken yet, on disk (XXL wire §3.3). They outlive the process. Used by callback_actor's worker alone;
/// everything blocks.
class report_files {
public:
  virtual ~report_files() = default;

  /// Durable when it returns: the name to take it back by. Errors: `unavailable`, e.g. the disk is full; `too_large` for more
  /// than 50 reports; `invalid_argument` for none.
  virtual core::result<std::string> save(std::span<const core::run_report> reports) = 0;
  /// Names, the oldest first.
  virtual core::result<std::vector<std::string>> names(std::size_t limit) = 0;
  /// Errors: `invalid_argument` for a file that is none of ours or broken, which is then put aside under another name;
  /// `unavailable`: it cannot be read now.
  virtual core::result<std::vector<core::run_report>> load(const std::string& name) = 0;
  /// An admin has them. Removing twice is no error.
  virtual core::result<void> remove(const std::string& name) = 0;
};

} // namespace ringmaster::actors
