#pragma once

// The sources of declarations: whose an object is, and that prune must not take a part of the files for the whole.

#include <string>
#include <vector>

#include "core/editing/declared.hpp"
#include "core/result.hpp"

namespace ringmaster::storage {

/// Says that an object of another source stays as it is, and how to change it.
[[nodiscard]] std::string belongs_to_text(const std::string& source);

/// Rejects a prune that removes something while files are missing that the source's applies had before (`known`). Errors:
/// `conflict` naming the files.
[[nodiscard]] core::result<void> check_prune(const std::vector<std::string>& known, const core::declared_set& declared,
                                             const core::deploy_report& report);

/// Returns the files of the source after this apply, sorted: with prune those of `declared`, else also those that are `known`.
[[nodiscard]] std::vector<std::string> files_after(const std::vector<std::string>& known, const core::declared_set& declared,
                                                   bool prune);

} // namespace ringmaster::storage
