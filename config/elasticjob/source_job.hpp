#pragma once

// Jobs in ElasticJob's own words, before they are definitions. Internal to the importer.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/elasticjob/import_findings.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

/// Form of a file, which decides the options of its jobs and their defaults (EJ §3).
enum class source_kind : std::uint8_t { stored, boot, xml };

/// One value of a file, with the whole name of its key: `elasticjob.jobs.sums.cron`, `jobListenerTypes[0]`.
struct property {
  std::string path;
  /// Unset: a key without a value.
  std::optional<std::string> value;
  std::size_t line = 1;
  /// The value is an alias of YAML, which the importer does not follow.
  bool is_alias = false;
};

/// A value of a job.
struct source_value {
  std::string text;
  std::size_t line = 1;
};

/// One job.
struct source_job {
  source_kind kind = source_kind::stored;
  std::string file;
  std::size_t line = 1;
  std::string name;
  std::string name_space;
  /// By ElasticJob's name in camel case.
  std::map<std::string_view, source_value> options;
  std::map<std::string, source_value> props;
  /// XML: ids of the bean with the class, and of the registry centre. Empty: none.
  std::string bean;
  std::string registry;

  /// Returns the value of an option; null if the job does not set it.
  [[nodiscard]] const source_value* find(std::string_view option) const {
    const auto at = options.find(option);
    return at == options.end() ? nullptr : &at->second;
  }
};

/// Names that files refer to, of all files.
struct source_names {
  /// XML: classes of beans, and namespaces of registry centres, by id.
  std::map<std::string, std::string, std::less<>> classes;
  std::map<std::string, std::string, std::less<>> name_spaces;
  /// Values of properties and of Spring's YAML, for placeholders. Unset: the files have several values.
  std::map<std::string, std::optional<std::string>, std::less<>> values;

  void add_values(std::span<const property> properties);
};

[[nodiscard]] bool has_placeholder(std::string_view text) noexcept;
/// Returns the text with the values of its placeholders, or their defaults. Errors: `invalid_argument` with what the text has: a
/// placeholder without a value or with several, without an end, inside another one or in a value; more than 1 MiB.
[[nodiscard]] core::result<std::string> filled(std::string_view text, const source_names& names);

/// Returns the name in lower case without hyphens and underscores: Spring Boot compares names in this form.
[[nodiscard]] std::string uniform(std::string_view name);

/// Adds an option, in any spelling. Refuses a name that jobs of this kind do not have, and one that the job has already.
void add_option(source_job& job, std::string_view key, std::string text, std::size_t line, file_findings& found);
/// Adds a name to the list of listeners.
void add_listener(source_job& job, std::string_view name, std::size_t line);
/// Adds a property of the job.
void add_prop(source_job& job, std::string key, std::string text, std::size_t line, file_findings& found);

/// One element of a path: `cron`, or `0` of `[0]`.
struct path_part {
  std::string_view text;
  /// Index in the path of the first character after the part and its separator.
  std::size_t rest = 0;
  bool is_bracketed = false;
};

/// Returns the elements of a path. They refer to it.
[[nodiscard]] std::vector<path_part> parts_of(std::string_view path);

/// Returns whether the values belong to a configuration that ElasticJob stores in its registry.
[[nodiscard]] bool is_stored_job(std::span<const property> values);
/// Adds the job of such a configuration.
void read_stored_job(std::span<const property> values, file_findings& found, std::vector<source_job>& jobs);

/// Adds the jobs below `elasticjob.jobs`. Values outside `elasticjob` are ignored. Returns whether there are any inside.
bool read_boot_jobs(std::span<const property> values, file_findings& found, std::vector<source_job>& jobs);

} // namespace ringmaster::config
