#pragma once

// Sources of declarations: ownership of objects, and protection against a prune with only a part of the source's files.

#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"

namespace ringmaster::core {

/// Returns the text that an object of another source stays unchanged, and how to change it.
[[nodiscard]] std::string belongs_to_text(const std::string& source);

/// Rejects a prune that removes something while files of the source's earlier applies (`known`) are missing. Errors: `conflict`
/// naming the files.
[[nodiscard]] result<void> check_prune(const std::vector<std::string>& known, const declared_set& declared,
                                       const deploy_report& report);

/// Returns the files of the source after this apply, sorted: with prune those of `declared`, otherwise also those in `known`.
[[nodiscard]] std::vector<std::string> files_after(const std::vector<std::string>& known, const declared_set& declared,
                                                   bool prune);

} // namespace ringmaster::core
