#include "config/text/toml_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "config/text/key_length.hpp"

namespace ringmaster::config {

namespace {

constexpr std::uintmax_t file_bytes_max = 64 * 1024 * 1024;

} // namespace

core::result<std::string> read_file(const std::string& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status))
    return core::fail(core::errc::invalid_argument, "cannot read " + path + ": it is a directory");
  // Reading a special file may never end or never begin.
  if (std::filesystem::exists(path, status) && !std::filesystem::is_regular_file(path, status))
    return core::fail(core::errc::invalid_argument, "cannot read " + path + ": it is not a regular file");
  if (const auto size = std::filesystem::file_size(path, status); !status && size > file_bytes_max)
    return core::fail(core::errc::invalid_argument, "cannot read " + path + ": it is larger than 64 MiB");
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (!in.is_open() || in.bad()) {
    const int reason = errno;
    return core::fail(reason == ENOENT ? core::errc::not_found : core::errc::invalid_argument,
                      "cannot read " + path + ": " + std::generic_category().message(reason));
  }
  return text;
}

std::vector<std::string> problems::lines() const {
  auto sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (const auto& [line, what] : sorted)
    out.push_back(place(line) + ": " + what);
  return out;
}

core::result<toml::table> parse_toml(std::string_view text, const std::string& name) {
  if (const auto line = long_key_line(text))
    return core::fail(core::errc::invalid_argument, name + ":" + std::to_string(*line) + ": a key has more than " +
                                                      std::to_string(key_parts_max) + " parts");
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& problem) {
    return core::fail(core::errc::invalid_argument,
                      name + ":" + std::to_string(problem.source().begin.line) + ": " + std::string{problem.description()});
  } catch (const std::exception& problem) {
    return core::fail(core::errc::invalid_argument, name + ": " + problem.what());
  }
}

} // namespace ringmaster::config
