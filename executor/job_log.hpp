#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <string_view>

#include "core/run/trigger_request.hpp"

namespace ringmaster::executor {

/// The origin of a log line, shown before it: `[file#function]-[line]`. Omits folders of the file, and empty or zero parts. Texts
/// are not copied.
struct code_place {
  std::string_view file;
  std::string_view function;
  unsigned line = 0;

  code_place(std::string_view file_, std::string_view function_ = {}, unsigned line_ = 0)
    : file{file_}, function{function_}, line{line_} {}
  code_place(const std::source_location& where)
    : file{where.file_name()}, function{where.function_name()}, line{where.line()} {}
};

/// The log of one run, which users of the admin can read during the run. Any thread; writes block for the file, never for a
/// reader. Lines that cannot be written are lost.
class job_log {
public:
  virtual ~job_log() = default;

  /// Writes one or more lines, with time, place and thread before the first. `text`: UTF-8; other bytes are kept and shown
  /// replaced.
  virtual void line(std::string_view text, const code_place& where = std::source_location::current()) = 0;
  /// Writes unchanged bytes, e.g. the output of a child process: parts of lines and of characters.
  virtual void raw(std::string_view bytes) = 0;
};

/// Opens the log of a run; never returns null. Called on a thread of the run.
using log_opener = std::function<std::unique_ptr<job_log>(const core::trigger_request&)>;

} // namespace ringmaster::executor
