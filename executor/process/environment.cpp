#include "executor/process/environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmaster::executor {

namespace {

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";

bool is_program(const std::string& path) {
  struct stat what {};
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

} // namespace

std::vector<std::string> inherited_environment() {
  std::vector<std::string> out;
  for (char** each = environ; each && *each; ++each)
    if (const std::string_view variable{*each}; !variable.starts_with("RINGMASTER_"))
      out.emplace_back(variable);
  return out;
}

std::optional<std::string_view> find_variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view each : environment)
    if (each.size() > name.size() && each[name.size()] == '=' && each.starts_with(name))
      return each.substr(name.size() + 1);
  return std::nullopt;
}

std::optional<std::string> find_program(std::string_view name, const std::vector<std::string>& environment) {
  if (name.empty() || name.find('\0') != std::string_view::npos)
    return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::string path{name};
    return is_program(path) ? std::optional{std::move(path)} : std::nullopt;
  }
  auto folders = find_variable(environment, "PATH").value_or(usual_path);
  for (;;) {
    const auto end = folders.find(':');
    const auto folder = folders.substr(0, end);
    // An empty entry would mean the working directory, which is never intended.
    if (!folder.empty())
      if (auto path = std::string{folder} + "/" + std::string{name}; is_program(path))
        return path;
    if (end == std::string_view::npos)
      return std::nullopt;
    folders.remove_prefix(end + 1);
  }
}

} // namespace ringmaster::executor
