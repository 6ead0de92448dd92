#pragma once

// Import of the jobs of ElasticJob 3 as a declared file: stored YAML, settings of Spring Boot, Spring XML (elastic design §7).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/declared/declared_file.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::config {

/// Longest file, in bytes.
inline constexpr std::size_t import_file_bytes_max = std::size_t{4} << 20U;
/// Maximum number of jobs of one import.
inline constexpr std::size_t import_jobs_max = 10'000;

/// A declared file, and what it does not say.
struct imported_jobs {
  /// Text of the file. Comments say what differs from ElasticJob.
  std::string text;
  /// Number of jobs that the file declares.
  std::size_t declared = 0;
  /// Number of jobs that this release does not support. They are comments in the file.
  std::size_t left_out = 0;
  /// One line for each setting or job that was left out or changed its meaning.
  std::vector<std::string> remarks;
};

/// Reads the files in their order, a file that is named twice once. Errors: `invalid_argument`, a line for each file that cannot
/// be read or is too long.
[[nodiscard]] core::result<std::vector<declared_document>> read_import_files(std::span<const std::string> paths);

/// Converts the jobs of all documents. Each may have another form, which is told by its content. `group` is the executor group of
/// all jobs; without it each job belongs to the group with the name of its namespace. The cron of an enabled job must fire after
/// `now`.
/// Errors: `invalid_argument`, a line for each error: `file:line: error`.
[[nodiscard]] core::result<imported_jobs> import_elasticjob(std::span<const declared_document> documents,
                                                            const std::string& group, core::time_point now);

} // namespace ringmaster::config
