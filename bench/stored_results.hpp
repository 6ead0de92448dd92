#pragma once

// What the store holds at the end, read past the server, with the client library of the store itself.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringmaster::bench {

/// Log ids above `after` with a stored success, ascending. Throw `std::runtime_error` with the store's words.
[[nodiscard]] std::vector<std::int64_t> stored_in_sqlite(const std::filesystem::path& file, std::int64_t after);
[[nodiscard]] std::vector<std::int64_t> stored_in_mysql(const std::string& socket, const std::string& database,
                                                        std::int64_t after);

} // namespace ringmaster::bench
