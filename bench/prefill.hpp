#pragma once

// Fills a log table as if it had been in use for a while.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ringmaster::bench {

/// Add finished runs of `jobs` jobs, spread over the last seven days, to an empty log table. Throw `std::runtime_error` with the
/// store's words. The server must not run.
void prefill_sqlite(const std::filesystem::path& file, std::size_t rows, std::size_t jobs);
void prefill_mysql(const std::string& socket, const std::string& database, std::size_t rows, std::size_t jobs);

/// Runs the statements one after another. Throws `std::runtime_error`, as the others do.
void run_mysql(const std::string& socket, const std::string& database, const std::vector<std::string>& statements);

} // namespace ringmaster::bench
