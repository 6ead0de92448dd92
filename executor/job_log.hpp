#pragma once

#include <source_location>
#include <string_view>

namespace ringmaster::executor {

/// The log of one run, which people of the admin read while it runs. Any thread; writes block for the file, never for a reader.
class job_log {
public:
  virtual ~job_log() = default;

  /// One line, or several: time, place and thread are put before the first. `text`: UTF-8; other bytes are kept and shown
  /// replaced.
  virtual void line(std::string_view text, const std::source_location& where = std::source_location::current()) = 0;
  /// Bytes as they are, e.g. what a child process prints.
  virtual void raw(std::string_view bytes) = 0;
};

} // namespace ringmaster::executor
