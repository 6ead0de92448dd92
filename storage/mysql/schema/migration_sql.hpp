#pragma once

// Statements of migrations. A step is not a transaction here (each DDL statement commits), so every statement can run again after
// a crash in the middle.

#include <string>
#include <vector>

#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// Returns the statement that creates a table. Names are compared byte by byte: registrations and app names are exact texts.
[[nodiscard]] std::string table(const std::string& name, const std::string& columns);

/// Adds `statement` with the condition that `wanted` counts 1, so that an interrupted step can run again. Prepared, because the
/// server runs one statement at a time.
void add_conditional(std::vector<std::string>& to, const std::string& wanted, const std::string& statement);

/// Adds a column, unless the table has it.
void add_column(std::vector<std::string>& to, const std::string& table, const std::string& column, const std::string& type);

/// Appends the steps from 14 on.
void append_later_steps(std::vector<migration_step>& to);

} // namespace ringmaster::storage::mysql
