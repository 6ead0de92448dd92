#pragma once

// The tables of elastic jobs (elastic design §2), which both backends create from one description.

#include <string>
#include <vector>

namespace ringmaster::storage {

/// One table `ej_*`. Columns are in the words of both databases, apart from `$number` (an ascending id), `$text` and `$bytes`.
struct elastic_table {
  std::string name;
  std::string columns;
  /// The primary key, unless the table has a `$number`. SQLite: such a table has no rowid.
  std::string primary_key;
  /// Unique keys: a list of columns each.
  std::vector<std::string> unique = {};
  /// Other indexes: a list of columns each.
  std::vector<std::string> indexed = {};
};

/// Returns the tables of migration step 22.
[[nodiscard]] std::vector<elastic_table> elastic_tables();

/// Returns the statements that fill `ej_meta` and `ej_lease`. `ignore`: the word that leaves existing rows unchanged.
[[nodiscard]] std::vector<std::string> elastic_first_rows(const std::string& ignore);

} // namespace ringmaster::storage
