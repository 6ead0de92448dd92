#pragma once

// TOML documents as values and errors. The only header that includes toml++; internal to config.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "core/result.hpp"

namespace ringmaster::config {

/// Returns the whole content of a file. Errors: `not_found`, `invalid_argument` with the system's reason.
[[nodiscard]] core::result<std::string> read_file(const std::string& path);

/// Parses a document. Errors: `invalid_argument`, `name:line: …`.
[[nodiscard]] core::result<toml::table> parse_toml(std::string_view text, const std::string& name);

/// All errors in one document.
class problems {
public:
  explicit problems(std::string name) : name_(std::move(name)) {}

  void add(const toml::source_region& at, std::string what) { found_.emplace_back(at.begin.line, std::move(what)); }

  [[nodiscard]] std::size_t count() const noexcept { return found_.size(); }

  /// Returns `file:line`.
  [[nodiscard]] std::string place(const toml::source_region& at) const { return place(at.begin.line); }

  /// Returns lines of the form `file:line: error`, in the order of the document.
  [[nodiscard]] std::vector<std::string> lines() const;

private:
  [[nodiscard]] std::string place(toml::source_index line) const { return name_ + ":" + std::to_string(line); }

  std::string name_;
  std::vector<std::pair<toml::source_index, std::string>> found_;
};

} // namespace ringmaster::config
