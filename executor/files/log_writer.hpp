#pragma once

// What one run writes into its log.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "executor/files/log_place.hpp"

namespace ringmaster::executor {

/// Where a line comes from, as it stands before it. What is empty or 0 is left out.
struct line_origin {
  /// Its folders are left out.
  std::string_view file;
  std::string_view function;
  unsigned line = 0;
  std::string_view thread;
};

/// The log file of one run. Any thread; everything blocks as long as the disk does. No failure comes
/// out of it: what cannot be written is counted, told to the process's log and, once there is room again, said in the file.
class log_writer {
public:
  /// `throughout` has the file as long as this lives, and the file is there when the constructor returns, if it can be.
  /// `when_written`: from the first write on, for a log that is there already. `for_each_write` is for runs that wait by
  /// thousands.
  enum class opens : std::uint8_t { throughout, when_written, for_each_write };

  log_writer(std::shared_ptr<log_place> place, const core::run_identity& which, opens when = opens::throughout);

  /// `yyyy-MM-dd HH:mm:ss [file#function]-[line]-[thread] text`. Further lines of the text have no prefix.
  void line(const line_origin& from, std::string_view text);

  /// Bytes of a script as they come, in pieces of any size.
  void raw(std::string_view bytes);

  /// Lines of the process about the run, without a prefix. They fit when the run itself may write no more.
  void note(std::string_view text);

  /// Errors: `unavailable`: the file could not be made.
  [[nodiscard]] core::result<void> opened() const;

private:
  enum class writes : std::uint8_t { run, process };
  /// `lines` begin with a `\n`, which is for the end of what stands before them, if that has none.
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
  /// Empty before the file was looked for.
  std::string path_;
  std::mutex& mutex_;
  const opens when_;
  file file_;
  /// Of the file, as far as this writes it.
  std::uint64_t bytes_ = 0;
  /// The last line has no end.
  bool mid_line_ = false;
  /// The run has written what it may.
  bool stopped_ = false;
  std::uint64_t lost_ = 0;
  int lost_reason_ = 0;
};

} // namespace ringmaster::executor
