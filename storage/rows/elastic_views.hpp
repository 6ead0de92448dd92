#pragma once

// ElasticJob's tables for the history of runs, as views over the tables of elastic jobs (elastic design §2).

#include <string>
#include <vector>

namespace ringmaster::storage {

/// Text that the two databases write differently.
struct view_dialect {
  /// Type of a text in a cast.
  std::string text_type;
  /// `#` is a column with milliseconds.
  std::string instant;
  /// Parts of a text, `#` between them: an operator, or a function with commas.
  std::string joined_begin;
  std::string joined_between;
  std::string joined_end;
};

struct elastic_view {
  /// `ej_…`.
  std::string name;
  /// ElasticJob's name. A database may have a table of ElasticJob with this name, which stays.
  std::string alias;
  /// The SELECT.
  std::string text;
};

/// Returns the views of migration step 23.
[[nodiscard]] std::vector<elastic_view> elastic_views(const view_dialect& words);

} // namespace ringmaster::storage
