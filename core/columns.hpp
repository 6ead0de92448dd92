#pragma once

// Widths of the columns that take text from outside, in characters where the schema counts characters. The same on every backend,
// so that a move from one store to another never meets a value that does not fit.

#include <cstddef>

namespace ringmaster::core {

inline constexpr std::size_t app_name_chars = 64;
inline constexpr std::size_t title_chars = 64;
inline constexpr std::size_t registry_group_chars = 50;
inline constexpr std::size_t registry_key_chars = 255;
inline constexpr std::size_t address_chars = 255;
inline constexpr std::size_t job_name_chars = 255;
inline constexpr std::size_t author_chars = 64;
inline constexpr std::size_t alarm_email_chars = 255;
inline constexpr std::size_t schedule_conf_chars = 128;
inline constexpr std::size_t handler_chars = 255;
inline constexpr std::size_t glue_type_chars = 50;
inline constexpr std::size_t source_remark_chars = 128;
inline constexpr std::size_t child_jobs_chars = 255;
inline constexpr std::size_t permission_chars = 255;
inline constexpr std::size_t node_chars = 64;
inline constexpr std::size_t job_key_chars = 128;
inline constexpr std::size_t source_chars = 128;
inline constexpr std::size_t time_zone_chars = 64;
inline constexpr std::size_t description_chars = 1000;
/// A `text` column, in bytes.
inline constexpr std::size_t text_bytes = 65535;
/// What a script may have, in bytes. Its column holds 16 MiB, but lists of jobs carry their scripts along.
inline constexpr std::size_t source_bytes = 256 * 1024;

} // namespace ringmaster::core
