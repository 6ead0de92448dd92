#include "apps/server/secrets.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "config/validate.hpp"
#include "storage/folder_owner.hpp"

namespace ringmaster::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view token_key = "access_token = ";
constexpr std::string_view password_key = "admin_password = ";

core::result<std::string> random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  if (getrandom(raw.data(), raw.size(), 0) != static_cast<ssize_t>(raw.size()))
    return core::fail(core::errc::internal, "the system provides no random numbers");
  std::string hex;
  for (unsigned char byte : raw) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

/// Makes a new name in the folder durable. Ignores a file system that does not support this.
void sync_folder(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return;
  static_cast<void>(::fsync(opened));
  ::close(opened);
}

} // namespace

core::result<void> write_private(const fs::path& path, const std::string& text) {
  auto unfinished = path.string() + ".new";
  // Removes the file of an interrupted start. A link or file that another user creates in between is an error.
  ::unlink(unfinished.c_str());
  int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  storage::give_to_folder_owner(file, unfinished);
  auto written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  auto reason = errno;
  if (file >= 0)
    ::close(file);
  if (!written || ::rename(unfinished.c_str(), path.c_str()) != 0)
    return core::fail(core::errc::unavailable, path.string() + " cannot be written: " + std::strerror(written ? errno : reason));
  sync_folder(path.parent_path());
  return {};
}

namespace {

tl::unexpected<core::error> unusable(const fs::path& path, const std::string& why) {
  return core::fail(core::errc::unavailable, path.string() + " cannot be used: " + why);
}

/// Returns nullopt when the file does not exist.
core::result<std::optional<std::vector<std::string>>> read_lines(const fs::path& path) {
  std::error_code status;
  if (!fs::exists(path, status) && !status)
    return std::nullopt;
  if (fs::is_directory(path, status))
    return unusable(path, "it is a directory");
  errno = 0;
  std::ifstream file{path};
  if (!file)
    return unusable(path, std::strerror(errno));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(std::move(line));
  return lines;
}

/// Returns the text after `prefix` in its line.
std::optional<std::string> value_in(const std::vector<std::string>& lines, std::string_view prefix) {
  for (const auto& line : lines)
    if (line.starts_with(prefix) && line.size() > prefix.size())
      return line.substr(prefix.size());
  return std::nullopt;
}

/// Returns the text after `prefix` in its line of the file; nullopt when there is no file, or only a line of `other`. An existing
/// file without either is an error: a new secret would lock out clients that know the old one.
core::result<std::optional<std::string>> find_line(const fs::path& path, std::string_view prefix, std::string_view other = {}) {
  const auto lines = read_lines(path);
  if (!lines)
    return tl::unexpected<core::error>{lines.error()};
  if (!*lines)
    return std::nullopt;
  auto value = value_in(**lines, prefix);
  if (value || (!other.empty() && value_in(**lines, other)))
    return value;
  return unusable(path, prefix.empty() ? "the file is empty; remove it to create a new one"
                                       : "no line `" + std::string{prefix} + "…`; remove the file to create a new one");
}

/// Replaces the line with `prefix` by one with the value; an empty value removes the line.
core::result<void> keep_line(const fs::path& path, std::string_view prefix, std::string_view value) {
  const auto lines = read_lines(path);
  if (!lines)
    return tl::unexpected<core::error>{lines.error()};
  std::string text;
  if (*lines)
    for (const auto& line : **lines)
      if (!line.starts_with(prefix))
        text += line + '\n';
  if (!value.empty())
    text += std::string{prefix} + std::string{value} + '\n';
  if (!text.empty())
    return write_private(path, text);
  std::error_code ignored;
  fs::remove(path, ignored);
  return {};
}

} // namespace

core::result<access_token> obtain_access_token(const config::settings& settings) {
  if (!settings.security.access_token.empty())
    return access_token{settings.security.access_token, {}, false};
  const fs::path path = secrets_file(settings);
  auto known = find_line(path, token_key, password_key);
  if (!known)
    return tl::unexpected<core::error>{known.error()};
  if (*known)
    return access_token{**known, path.string(), false};
  auto made = random_hex(32);
  if (!made)
    return tl::unexpected<core::error>{made.error()};
  if (auto written = keep_line(path, token_key, *made); !written)
    return tl::unexpected<core::error>{written.error()};
  return access_token{*made, path.string(), true};
}

std::string secrets_file(const config::settings& settings) { return fs::path{settings.data_dir} / "initial-secrets"; }

core::result<std::optional<std::string>> find_admin_password(const config::settings& settings) {
  const auto lines = read_lines(secrets_file(settings));
  if (!lines)
    return tl::unexpected<core::error>{lines.error()};
  return *lines ? value_in(**lines, password_key) : std::nullopt;
}

core::result<void> keep_admin_password(const config::settings& settings, std::string_view password) {
  return keep_line(secrets_file(settings), password_key, password);
}

core::result<std::string> obtain_node_id(const config::settings& settings) {
  if (!settings.cluster.node.empty())
    return settings.cluster.node;
  auto path = fs::path{settings.data_dir} / "node-id";
  auto known = find_line(path, "");
  if (!known)
    return tl::unexpected<core::error>{known.error()};
  if (*known && !config::is_node_name(**known))
    return core::fail(core::errc::unavailable, path.string() + " cannot be used: it does not contain a valid node name");
  if (*known)
    return **known;
  auto digits = random_hex(4);
  if (!digits)
    return tl::unexpected<core::error>{digits.error()};
  auto id = host_name().substr(0, 40) + "-" + *digits;
  if (auto written = write_private(path, id + "\n"); !written)
    return tl::unexpected<core::error>{written.error()};
  return id;
}

std::optional<std::string> known_node_id(const config::settings& settings) {
  if (!settings.cluster.node.empty())
    return settings.cluster.node;
  auto known = find_line(fs::path{settings.data_dir} / "node-id", "");
  return known ? *known : std::nullopt;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0')
    return "localhost";
  return name.data();
}

} // namespace ringmaster::apps
