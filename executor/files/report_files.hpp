#pragma once

// Results that no admin has accepted yet, in files (XXL wire §3.3).

#include <functional>
#include <string>

#include "actors/executor/callbacks/report_files.hpp"
#include "core/time.hpp"
#include "executor/files/file.hpp"
#include "executor/files/log_place.hpp"

namespace ringmaster::executor {

/// Writes one JSON file per batch to `<log folder>/callbacklogs/`: `xxl-job-callback-<milliseconds>-<number>.log`, so that names
/// sort by age. Also reads files that a Java executor left there. One thread; one process per folder.
class report_files final : public actors::report_files {
public:
  /// More results in one save are `too_large`: a request to an admin has no more.
  static constexpr std::size_t reports_max = 50;

  explicit report_files(const std::string& log_folder, std::function<core::time_point()> now = system_now)
    : folder_{log_folder + "/callbacklogs"}, now_{std::move(now)} {}

  core::result<std::string> save(std::span<const core::run_report> reports) override;
  /// Also removes unfinished files of interrupted saves.
  core::result<std::vector<std::string>> names(std::size_t limit) override;
  core::result<std::vector<core::run_report>> load(const std::string& name) override;
  core::result<void> remove(const std::string& name) override;

private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return folder_ + '/' + name; }
  core::result<void> make_folder();
  core::result<void> write_durably(const std::string& path, const std::string& text) const;
  core::result<std::string> give_name(const std::string& unfinished);
  core::result<void> sync_folder() const;
  core::error put_aside(const std::string& name, std::string_view why) const;

  std::string folder_;
  std::function<core::time_point()> now_;
  bool made_ = false;
  unsigned saved_ = 0;
};

} // namespace ringmaster::executor
