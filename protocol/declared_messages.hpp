#pragma once

// Payloads about declared files that are stored or on this node. None leaves the process.

#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/declared_source.hpp"
#include "core/ids.hpp"

namespace ringmaster::protocol {

/// Lists the sources of declared files, for administrators.
struct declared_query {
  core::principal by;
};

struct declared_sources {
  std::vector<core::declared_source> rows;
  /// Source whose files this node's configuration names; empty: none.
  std::string own;
};

/// Compares the files of a source on this node with the database, for administrators.
struct drift_query {
  std::string source;
  core::principal by;
};

/// Asks for one job as a table of a declared file.
struct declaration_query {
  core::job_id job{};
  core::principal by;
};

} // namespace ringmaster::protocol
