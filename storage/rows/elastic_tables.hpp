#pragma once

// The tables of elastic jobs (elastic design §2), which both backends create from one description.

#include <string>
#include <string_view>
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

/// Types that the two databases write differently.
struct column_types {
  std::string_view number;
  std::string_view text;
  std::string_view bytes;
};

/// Returns the columns with the types of a database.
[[nodiscard]] std::string columns_of(const elastic_table& table, const column_types& types);

/// Returns the tables of migration step 22.
[[nodiscard]] std::vector<elastic_table> elastic_tables();

/// Returns the statements that fill `ej_meta` and `ej_lease`. `ignore`: the word that leaves existing rows unchanged.
[[nodiscard]] std::vector<std::string> elastic_first_rows(const std::string& ignore);

} // namespace ringmaster::storage
