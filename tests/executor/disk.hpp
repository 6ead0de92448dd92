#pragma once

// Folders for the files of an executor, a clock that does not advance, and a small disk.

#include <memory>
#include <string>
#include <vector>

#include "executor/files/log_files.hpp"
#include "tests/support/temp_folder.hpp"

namespace ringmaster::test {

/// 2023-11-14 22:13:20 in UTC.
inline constexpr core::time_point some_time = core::from_ms(1700000000000);

/// Run logs in their own folder. Not movable, because its clock is referenced.
struct log_disk {
  explicit log_disk(std::string in = {}) : folder{in.empty() ? place.path() + "/logs" : std::move(in)} {}

  [[nodiscard]] executor::log_options options();
  /// Returns the path of the log of a run at `some_time`.
  [[nodiscard]] std::string path(std::int64_t run) const;
  /// Returns the content of that file.
  [[nodiscard]] std::string bytes(std::int64_t run) const;
  /// Writes the file as another process would, and sets the clock to the time of the write.
  void write(std::int64_t run, const std::string& text);
  /// Sets the clock to the time of the last write plus the given time.
  void look_after(std::int64_t run, core::milliseconds later);

  temp_folder place;
  std::string folder;
  core::time_point now = some_time;
  std::vector<std::string> complaints;
};

/// A memory file system with this many kilobytes; needs root.
class small_disk {
public:
  explicit small_disk(std::size_t kilobytes);
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk();

  /// Returns false if it could not be created.
  [[nodiscard]] explicit operator bool() const noexcept { return mounted_; }
  [[nodiscard]] const std::string& path() const noexcept { return place_.path(); }
  /// Fills the file system, and frees the space again.
  void fill();
  void free();

private:
  temp_folder place_;
  bool mounted_ = false;
};

} // namespace ringmaster::test
