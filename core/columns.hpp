#pragma once

// Widths of the columns that take external text, in characters where the schema counts characters. They are equal on every
// backend, so that every value fits after a move from one store to another.

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
/// Maximum size of a script in bytes. Its column holds 16 MiB, but lists of jobs include their scripts.
inline constexpr std::size_t source_bytes = 256 * 1024;

} // namespace ringmaster::core
