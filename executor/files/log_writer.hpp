#pragma once

// The writer of one run's log.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "executor/files/log_place.hpp"

namespace ringmaster::executor {

/// The origin of a line, shown before it. Omits empty or zero parts.
struct line_origin {
  /// Shown without folders.
  std::string_view file;
  std::string_view function;
  unsigned line = 0;
  std::string_view thread;
};

/// The log file of one run. Any thread; all functions block as long as the disk does. They never fail: lost bytes are counted,
/// reported to the process's log and, once there is room again, noted in the file.
class log_writer {
public:
  /// `throughout` keeps the file open while this object lives; the constructor creates the file, if possible. `when_written`
  /// opens it at the first write, for an existing log. `for_each_write` is for thousands of waiting runs.
  enum class opens : std::uint8_t { throughout, when_written, for_each_write };

  log_writer(std::shared_ptr<log_place> place, const core::run_identity& which, opens when = opens::throughout);

  /// Writes `yyyy-MM-dd HH:mm:ss [file#function]-[line]-[thread] text`. Further lines of the text have no prefix.
  void line(const line_origin& from, std::string_view text);

  /// Writes bytes of a script as they arrive, in pieces of any size.
  void raw(std::string_view bytes);

  /// Writes lines of the process about the run, without a prefix. They have room even if the run has reached its limit.
  void note(std::string_view text);

  /// Errors: `unavailable`: the file could not be created.
  [[nodiscard]] core::result<void> opened() const;

private:
  enum class writes : std::uint8_t { run, process };
  /// `lines` begin with a `\n` that ends an unfinished line before them; otherwise it is skipped.
  enum class form : std::uint8_t { lines, bytes };

  void put_and_close(std::string_view text, form how, writes who);
  void put_lines(std::string_view text, writes who);
  void put(std::string_view text, form how, writes who);
  bool open();
  bool say_what_was_lost();
  void stop(std::string_view last);
  bool write(std::string_view text);
  void lose(std::size_t bytes, int reason);

  std::shared_ptr<log_place> place_;
  core::run_identity which_;
  /// Empty until the file was located.
  std::string path_;
  std::mutex& mutex_;
  const opens when_;
  file file_;
  /// Size of the file, as known to this writer.
  std::uint64_t bytes_ = 0;
  /// The last line is unfinished.
  bool mid_line_ = false;
  /// The run has reached its limit.
  bool stopped_ = false;
  std::uint64_t lost_ = 0;
  int lost_reason_ = 0;
};

} // namespace ringmaster::executor
