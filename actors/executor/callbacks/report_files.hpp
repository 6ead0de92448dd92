#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results that no admin has accepted yet, on disk (XXL wire §3.3). They outlive the process. Used only by callback_actor's
/// worker thread; every function blocks.
class report_files {
public:
  virtual ~report_files() = default;

  /// Writes the reports durably and returns the file name. Errors: `unavailable`, e.g. the disk is full; `too_large` for more
  /// than 50 reports; `invalid_argument` for none.
  virtual core::result<std::string> save(std::span<const core::run_report> reports) = 0;
  /// Returns file names, the oldest first.
  virtual core::result<std::vector<std::string>> names(std::size_t limit) = 0;
  /// Reads a file. Errors: `invalid_argument` for a foreign or broken file, which is then renamed; `unavailable`: it cannot be
  /// read now.
  virtual core::result<std::vector<core::run_report>> load(const std::string& name) = 0;
  /// Removes a file whose results an admin has. Removing it twice is not an error.
  virtual core::result<void> remove(const std::string& name) = 0;
};

} // namespace ringmaster::actors
