#pragma once

// Files that declare groups and jobs (`[deploy] files`, `ringmaster apply`).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"

namespace ringmaster::config {

struct declared_request {
  /// Paths or globs, relative to `base_dir`. Each must match at least one file.
  std::vector<std::string> patterns;
  std::string base_dir = ".";
  std::int64_t revision = 0;
  /// Owner of the declarations.
  std::string source;
  /// Origin of the patterns, for errors about missing files: `c.toml:3: deploy.files`. May be empty.
  std::string asked_by;
};

/// Reads all files into one set: in the order of the patterns, each pattern's matches sorted by their bytes, without duplicates.
///
/// `where` of a job is `file:line` of its table. Enumerations are XXL's stored names in any case, with `-` or `_`. Not checked
/// here: groups and children that another source declares, and whether a schedule still fires. Errors: `invalid_argument`; one
/// line for each error: `file:line: error, and the allowed values`.
[[nodiscard]] core::result<core::declared_set> load_declared(const declared_request& request);

/// Text of one file; `name` is used in errors.
struct declared_document {
  std::string name;
  std::string text;
};

/// Returns the files in the order in which they are read, without parsing them. Errors: `invalid_argument`, a line for each
/// unreadable file.
[[nodiscard]] core::result<std::vector<declared_document>> find_declared(const declared_request& request);

/// Parses documents from another origin, in their order.
[[nodiscard]] core::result<core::declared_set> parse_declared(std::span<const declared_document> documents,
                                                              const std::string& source, std::int64_t revision);

/// Parses one document; `name` is used in errors.
[[nodiscard]] core::result<core::declared_set> parse_declared(std::string_view text, const std::string& name,
                                                              const std::string& source);

} // namespace ringmaster::config
