#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include <caf/actor_clock.hpp>

#include "actors/logger.hpp"
#include "core/result.hpp"
#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// File with results.
struct kept_file {
  std::string name;
  /// 0: not read yet.
  std::size_t reports = 0;
  /// For a file with only individually refused results: the number of refusals.
  int refusals = 0;
  caf::actor_clock::time_point not_before{};
};

/// File that was read, and its runs.
struct sent_file {
  kept_file file;
  std::vector<core::log_id> runs;
};

/// Content of some files: one request to an admin.
struct files_to_send {
  std::vector<core::run_report> reports;
  std::vector<sent_file> from;
  /// Files without a result, to be removed.
  std::vector<kept_file> empty;
};

/// Files whose results no admin has, as far as their names are known, and the state of their disk. Invariant: a file waits here,
/// is being read, or is with the caller, who puts it back or counts it as gone; few names are in memory, the others are listed
/// later. After an error of the disk nothing is read or written for a while, and the same error is logged once. Part of the
/// state of callback_actor, whose worker thread does the work.
class kept_files {
public:
  using steady = caf::actor_clock::time_point;

  /// Names kept in memory at a time.
  static constexpr std::size_t files_max = 1'000;

  explicit kept_files(logger log) : log_{std::move(log)} {}

  /// Returns false if no file waits and there are none with unknown names.
  [[nodiscard]] bool has_any() const noexcept { return !files_.empty() || unlisted_; }
  [[nodiscard]] bool is_reading() const noexcept { return !reading_.empty(); }
  /// Number of reports in the files that this process has read or written.
  [[nodiscard]] std::size_t reports() const noexcept { return reports_; }

  /// Adds a file that was written now.
  void add(std::string&& name, std::size_t reports);
  /// Adds a file of individually refused results that was written now.
  void add_refused(kept_file&& file, steady t);
  /// Puts a file back; one that was refused waits for a while.
  void put_back(kept_file&& file, bool was_refused, steady t);
  /// Counts a file as removed.
  void gone(const kept_file& file) noexcept { reports_ -= file.reports; }

  /// Begins to read files for one request. Returns their names.
  [[nodiscard]] std::vector<std::string> begin_read(steady t);
  /// Takes their content; fewer than requested if the request was full. Broken files are counted as gone.
  [[nodiscard]] files_to_send end_read(std::vector<core::result<std::vector<core::run_report>>>&& read, steady t);

  /// Begins to list the files. Returns false if all names are known, or if it is not time yet.
  [[nodiscard]] bool begin_list(steady t);
  void end_list(core::result<std::vector<std::string>>&& names, steady t);

  // -- disk
  [[nodiscard]] bool may_use_disk(steady t) const noexcept { return t >= disk_retry_at_; }
  void disk_worked() { disk_trouble_.clear(); }
  /// Records an error. It pauses the use of the disk, unless the cause is the content of a file.
  void disk_failed(const char* what, const core::error& why, steady t);
  void write_failed(const core::error& why, steady t);

private:
  void take_unreadable(const kept_file& file, const core::error& why, steady t);

  logger log_;
  std::deque<kept_file> files_;
  std::vector<kept_file> reading_;
  std::size_t reports_ = 0;
  /// There may be files whose names are not known.
  bool unlisted_ = true;
  bool listing_ = false;
  steady list_retry_at_{};
  steady disk_retry_at_{};
  /// The disk error that was logged last.
  std::string disk_trouble_;
};

} // namespace ringmaster::actors
