#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::executor {

/// Identifies one version of a job's source.
struct script_key {
  core::job_id job{};
  std::string glue_type;
  /// Compared only for equality.
  std::int64_t updated_ms = 0;

  friend bool operator==(const script_key&, const script_key&) = default;
};

/// The files that interpreters read, `<log_path>/gluesource/<job>_<version><suffix>` (XXL wire §5.7). Only the owner may read
/// them, because scripts may contain secrets. Any thread; blocks.
class glue_folder {
public:
  /// Resolves `log_path` now: a later change of the working directory has no effect. It is created with the folder if it is
  /// missing.
  explicit glue_folder(const std::string& log_path);

  [[nodiscard]] std::string path_of(const script_key& script, std::string_view suffix) const;

  /// Writes the source to its file atomically, then removes the other files of the job, unless a script with a higher `order`
  /// came before: a late run must not remove the file of a newer version. Errors: `unavailable`, e.g. the disk is full; then the
  /// existing files are unchanged.
  core::result<void> replace(const script_key& script, std::string_view suffix, std::string_view source, std::uint64_t order);

  /// Writes the file only if it is missing.
  core::result<void> keep(const script_key& script, std::string_view suffix, std::string_view source, std::uint64_t order);

private:
  std::string path_;
  /// Keeps one thread from removing a file that another thread writes.
  std::mutex guard_;
  /// The highest order of each job.
  std::unordered_map<core::job_id, std::uint64_t> newest_;
};

} // namespace ringmaster::executor
