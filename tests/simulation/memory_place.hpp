#pragma once

// SQLite databases in memory for many runs of a simulation: the tables are made once, and copied for each run.

#include "storage/sqlite/database.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::simulation {

/// Returns a new place in memory. Databases in memory are shared by the process, and runs are parallel.
[[nodiscard]] storage::sqlite::open_options new_memory_place();

/// Replaces all pages of `to` by those of `from`.
void copy_pages(storage::sqlite::connection& from, storage::sqlite::connection& to);

/// Fills an empty database with the tables of a new one. Any thread.
void make_tables(storage::sqlite::connection& in);

} // namespace ringmaster::simulation
