#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringmaster::executor {

/// Which script: one version of the source of a job.
struct script_key {
  core::job_id job{};
  std::string glue_type;
  /// Only equal or not.
  std::int64_t updated_ms = 0;

  friend bool operator==(const script_key&, const script_key&) = default;
};

/// The files that interpreters read, `<log_path>/gluesource/<job>_<version><suffix>` (XXL wire §5.7). Only the owner may read
/// them, for people write secrets into scripts. Any thread; blocks.
class glue_folder {
public:
  /// `log_path`, which is made with the folder when it is not there, is taken as it is now: a later change of the working
  /// directory does not matter.
  explicit glue_folder(const std::string& log_path);

  [[nodiscard]] std::string path_of(const script_key& script, std::string_view suffix) const;

  /// Writes the source to its file, whole or not at all, and then removes the other files of the job, if no script with a higher
  /// `order` came before: a run that begins late does not take the file of the version that is asked for since. Errors:
  /// `unavailable`, e.g. the disk is full; what was there is as before.
  core::result<void> replace(const script_key& script, std::string_view suffix, std::string_view source, std::uint64_t order);

  /// Writes it only if the file is gone.
  core::result<void> keep(const script_key& script, std::string_view suffix, std::string_view source, std::uint64_t order);

private:
  std::string path_;
  /// Nobody removes what another one is writing.
  std::mutex guard_;
  /// The highest order of each job.
  std::unordered_map<core::job_id, std::uint64_t> newest_;
};

} // namespace ringmaster::executor
