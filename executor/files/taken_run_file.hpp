#pragma once

// Accepted runs whose result is not safe yet, in a file that outlives the process.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/executor/taken_runs.hpp"
#include "executor/files/file.hpp"

namespace ringmaster::executor {

struct taken_run_slot;

struct taken_run_options {
  std::string path;
  /// Initial number of slots; doubled when half of them are used.
  std::size_t slots_first = 8192;
  std::size_t slots_max = std::size_t{1} << 20;
  /// With this many closed runs without a log file, no more runs are accepted.
  std::size_t closed_max = 1000;
  /// The process's log.
  std::function<void(const std::string&)> complain = [](const std::string&) {};
};

/// A memory-mapped file with a slot of 256 bytes per run; one process per file. Data survives the end of the process, but not of
/// the machine. All space is allocated in advance, so a full disk only makes `grow` fail.
class taken_run_file final : public actors::taken_runs {
public:
  /// Opens the file and reads the runs that an earlier process left. A foreign file is renamed and reported. A full disk is not
  /// an error: no run is accepted until `grow` succeeds. Errors: `unavailable`.
  [[nodiscard]] static core::result<std::shared_ptr<taken_run_file>> open(taken_run_options options);
  taken_run_file(const taken_run_file&) = delete;
  taken_run_file& operator=(const taken_run_file&) = delete;
  ~taken_run_file() override;

  core::result<bool> take(const core::trigger_request& request) override;
  [[nodiscard]] bool contains(const core::run_identity& which) const override;
  void forget(const core::run_identity& which) override { remove(which); }
  void begin(const core::run_identity& which) override;
  void settle(const core::run_report& report) override;
  void remove(const core::run_identity& which) override;
  void close(const core::run_identity& which) override;

  [[nodiscard]] std::vector<core::run_report> open_of(core::job_id job) const override;
  std::vector<core::run_report> left() override;
  [[nodiscard]] std::vector<core::run_report> closed(std::size_t limit) const override;

  [[nodiscard]] bool is_scarce() const override;
  core::result<void> grow() override;

private:
  explicit taken_run_file(taken_run_options options) : options_{std::move(options)} {}

  core::result<void> open_file();
  core::result<bool> is_ours() const;
  core::result<void> put_aside();
  core::result<void> map();
  void read();
  [[nodiscard]] std::size_t slots_on_disk() const;
  /// Allocates disk space. Returns 0, or the `errno` of the failure.
  [[nodiscard]] int allocate(std::size_t before, std::size_t slots) const;
  using places = std::unordered_multimap<core::log_id, std::uint32_t>;
  [[nodiscard]] places::const_iterator place_of(const core::run_identity& which) const;
  [[nodiscard]] taken_run_slot* find(const core::run_identity& which) const;
  [[nodiscard]] taken_run_slot& at(std::uint32_t index) const noexcept;
  [[nodiscard]] std::size_t bytes_max() const noexcept;

  taken_run_options options_;
  file file_;
  /// Maps `bytes_max`, more than the file has: the file grows within the mapping.
  std::byte* map_ = nullptr;

  std::mutex growing_;
  mutable std::mutex mutex_;
  places places_;
  /// Used from the end, so that few pages are touched.
  std::vector<std::uint32_t> free_;
  std::size_t slots_ = 0;
  std::size_t closed_ = 0;
  std::vector<std::uint32_t> left_;
  /// Reason why there is no more room.
  std::string trouble_;
};

} // namespace ringmaster::executor
