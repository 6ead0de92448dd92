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
  /// Owner of what is declared.
  std::string source;
  /// Who named the patterns, for messages about files that are not there: `c.toml:3: deploy.files`. May be empty.
  std::string asked_by;
};

/// Reads all files in the order of the patterns, each pattern's matches sorted by their bytes, none twice, into one set.
///
/// `where` of a job is `file:line` of its table. Enumerations are XXL's stored names in any case, with `-` or `_`. What this
/// cannot see, it does not check: groups and children that another source declares, and whether a schedule still fires. Errors:
/// `invalid_argument`; one line for each thing wrong: `file:line: what, and what is allowed`.
[[nodiscard]] core::result<core::declared_set> load_declared(const declared_request& request);

/// One file's text; `name` stands in messages.
struct declared_document {
  std::string name;
  std::string text;
};

/// The files alone, in the order in which they are read. Errors: `invalid_argument`, a line for each that cannot be.
[[nodiscard]] core::result<std::vector<declared_document>> find_declared(const declared_request& request);

/// The same for texts that came from elsewhere, in their order.
[[nodiscard]] core::result<core::declared_set> parse_declared(std::span<const declared_document> documents,
                                                              const std::string& source, std::int64_t revision);

/// The same for one document; `name` stands in messages.
[[nodiscard]] core::result<core::declared_set> parse_declared(std::string_view text, const std::string& name,
                                                              const std::string& source);

} // namespace ringmaster::config
