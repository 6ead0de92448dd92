#pragma once

// Errors and remarks of an import. Internal to the importer.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::config {

/// Errors and remarks of all files.
struct import_findings {
  /// Maximum number of errors that are kept; the others are counted.
  static constexpr std::size_t errors_max = 100;

  /// Lines of the form `file:line: error`.
  std::vector<std::string> errors;
  std::size_t more_errors = 0;
  std::vector<std::string> remarks;

  [[nodiscard]] bool failed() const noexcept { return !errors.empty(); }
  void refuse(std::string line) {
    if (errors.size() < errors_max)
      errors.push_back(std::move(line));
    else
      ++more_errors;
  }
};

/// Errors and remarks of one file. Refers to those of all files.
class file_findings {
public:
  file_findings(std::string file, import_findings& all) : file_(std::move(file)), all_(all) {}

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// Returns `file:line`.
  [[nodiscard]] std::string place(std::size_t line) const { return file_ + ':' + std::to_string(line); }
  void refuse(std::size_t line, std::string_view error) { all_.refuse(place(line).append(": ").append(error)); }
  /// Adds a remark, unless it is the last one.
  void remark(std::string_view what) {
    auto line = std::string{file_}.append(": ").append(what);
    if (all_.remarks.empty() || all_.remarks.back() != line)
      all_.remarks.push_back(std::move(line));
  }

private:
  std::string file_;
  import_findings& all_;
};

} // namespace ringmaster::config
