#pragma once

// Folders for the files of an executor, a clock that stands still, and a disk that is soon full.

#include <memory>
#include <string>
#include <vector>

#include "executor/files/log_files.hpp"
#include "tests/support/temp_folder.hpp"

namespace ringmaster::test {

/// 2023-11-14 22:13:20 in UTC.
inline constexpr core::time_point some_time = core::from_ms(1700000000000);

/// Logs of runs in a folder of its own. Not to be moved: its clock is referred to.
struct log_disk {
  explicit log_disk(std::string in = {}) : folder{in.empty() ? place.path() + "/logs" : std::move(in)} {}

  [[nodiscard]] executor::log_options options();
  /// Where the log of a run at `some_time` lies.
  [[nodiscard]] std::string path(std::int64_t run) const;
  /// What that file holds.
  [[nodiscard]] std::string bytes(std::int64_t run) const;
  /// Writes the file as somebody else would, and makes the clock say when that was.
  void write(std::int64_t run, const std::string& text);
  /// The clock says when the file was written last, and so much later.
  void look_after(std::int64_t run, core::milliseconds later);

  temp_folder place;
  std::string folder;
  core::time_point now = some_time;
  std::vector<std::string> complaints;
};

/// A file system of so many kilobytes in memory; needs root.
class small_disk {
public:
  explicit small_disk(std::size_t kilobytes);
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk();

  /// False: it could not be had here.
  [[nodiscard]] explicit operator bool() const noexcept { return mounted_; }
  [[nodiscard]] const std::string& path() const noexcept { return place_.path(); }
  /// Takes all the room there is, and gives it back.
  void fill();
  void free();

private:
  temp_folder place_;
  bool mounted_ = false;
};

} // namespace ringmaster::test
