#pragma once

// Jobs of ElasticJob as definitions, and their text. Internal to the importer.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/elasticjob/source_job.hpp"
#include "core/elastic/elastic_definition.hpp"

namespace ringmaster::config {

/// One job for the declared file.
struct imported_job {
  /// `file:line`.
  std::string where;
  /// Its group is not set: the file has names.
  core::elastic::elastic_definition what;
  bool enabled = true;
  /// The job did not say whether missed fires are made up for, and its default is another one than here.
  bool implies_no_misfire = false;
  /// Differences from ElasticJob, a sentence each.
  std::vector<std::string> notes;
  /// Options that this release does not support, by their name in declared files.
  std::vector<std::pair<std::string_view, std::string>> left_out;
  /// Reason why the whole job is left out; empty: it is declared.
  std::string unsupported;
};

/// Converts one job. An error leaves it incomplete. `names` has the beans and registry centres of all files. The cron of an
/// enabled job must fire after `now`.
[[nodiscard]] imported_job to_imported_job(const source_job& from, const source_names& names, core::time_point now,
                                           import_findings& all);

/// Returns the IANA name of a time zone of Java such as `GMT+08:00`; empty if it has none. Names of IANA stay.
[[nodiscard]] std::string zone_name_of(std::string_view java_name);

/// Returns the table of the job with its comments; a job that is left out is a comment as a whole. Ends with a line feed.
[[nodiscard]] std::string elastic_job_text(const imported_job& job, std::string_view group);

} // namespace ringmaster::config
