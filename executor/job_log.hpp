#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <string_view>

#include "core/run/trigger_request.hpp"

namespace ringmaster::executor {

/// Where a line of a log comes from, as it stands before it: `[file#function]-[line]`. Folders of the file are left out, and
/// what is empty or 0. Texts are not copied.
struct code_place {
  std::string_view file;
  std::string_view function;
  unsigned line = 0;

  code_place(std::string_view file_, std::string_view function_ = {}, unsigned line_ = 0)
    : file{file_}, function{function_}, line{line_} {}
  code_place(const std::source_location& where)
    : file{where.file_name()}, function{where.function_name()}, line{where.line()} {}
};

/// The log of one run, which people of the admin read while it runs. Any thread; writes block for the file, never for a reader.
/// What cannot be written is lost.
class job_log {
public:
  virtual ~job_log() = default;

  /// One line, or several: time, place and thread are put before the first. `text`: UTF-8; other bytes are kept and shown
  /// replaced.
  virtual void line(std::string_view text, const code_place& where = std::source_location::current()) = 0;
  /// Bytes as they are, e.g. what a child process prints: parts of lines and of characters.
  virtual void raw(std::string_view bytes) = 0;
};

/// Opens the log of a run; never null. Called on a thread of the run.
using log_opener = std::function<std::unique_ptr<job_log>(const core::trigger_request&)>;

} // namespace ringmaster::executor
