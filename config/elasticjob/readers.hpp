#pragma once

// Readers of the three syntaxes. Each takes any bytes and adds errors to `found`. Internal to the importer.

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/elasticjob/import_findings.hpp"
#include "config/elasticjob/source_job.hpp"

namespace ringmaster::config {

enum class import_syntax : std::uint8_t { properties, yaml, xml };

/// Tells the syntax by the first line that is not a comment.
[[nodiscard]] import_syntax syntax_of(std::string_view text) noexcept;

/// Reads a file of Java properties.
[[nodiscard]] std::vector<property> read_properties(std::string_view text, file_findings& found);

/// Longest name of a key with all its parents, in bytes, and limits of all documents of one file.
inline constexpr std::size_t yaml_path_bytes_max = 1024;
inline constexpr std::size_t yaml_levels_max = 64;
inline constexpr std::size_t yaml_values_max = 150'000;
inline constexpr std::size_t yaml_bytes_max = std::size_t{64} << 20U;

/// Reads the documents of a YAML file, each as its values in their order. Aliases are not followed.
[[nodiscard]] std::vector<std::vector<property>> read_yaml(std::string_view text, file_findings& found);

/// Adds the jobs, beans and registry centres of a Spring XML file. Refuses a DTD and entities of its own.
void read_xml(std::string_view text, file_findings& found, std::vector<source_job>& jobs, source_names& names);

} // namespace ringmaster::config
