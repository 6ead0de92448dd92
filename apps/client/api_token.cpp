#include "apps/client/api_token.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/access/api_key.hpp"
#include "core/text/text.hpp"

namespace ringmaster::apps {

namespace {

using core::errc;

/// More than the length of a key with surrounding spaces.
constexpr std::size_t file_bytes_max = 4096;

class open_file {
public:
  explicit open_file(const std::string& path) : number_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (number_ >= 0)
      ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_;
};

/// Rejects a file of the caller that others can read, like ssh does. Files of another owner (root, in a container) are that
/// owner's responsibility.
core::result<void> check_mode(const std::string& path, int file) {
  struct stat status = {};
  if (::fstat(file, &status) != 0)
    return core::fail(errc::invalid_argument, path + ": " + std::strerror(errno));
  constexpr mode_t of_others = S_IRWXG | S_IRWXO;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::getuid() || (status.st_mode & of_others) == 0)
    return {};
  std::array<char, 16> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777U));
  return core::fail(errc::invalid_argument, path + ": other users can read this API key (mode " + mode.data() +
                                              "); run chmod 600, and replace the key if they may have read it");
}

core::result<std::string> text_of(const std::string& path) {
  const open_file file{path};
  if (file.number() < 0)
    return core::fail(errc::invalid_argument, path + ": " + std::strerror(errno));
  if (auto sound = check_mode(path, file.number()); !sound)
    return tl::unexpected{sound.error()};
  std::string text(file_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto count = ::read(file.number(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return core::fail(errc::invalid_argument, path + ": " + std::strerror(errno));
    if (count == 0)
      break;
    size += static_cast<std::size_t>(count);
  }
  if (size > file_bytes_max)
    return core::fail(errc::invalid_argument, path + ": contains more than an API key");
  text.resize(size);
  return text;
}

core::result<std::string> checked(std::string_view typed, const std::string& where) {
  const auto key = core::trimmed(typed);
  if (!core::is_api_key(key))
    return core::fail(errc::invalid_argument, where + " does not contain an API key; a key is rmk_ and 43 characters");
  return std::string{key};
}

} // namespace

core::result<std::string> read_token(const std::optional<std::string>& file, const config::environment& variable) {
  const auto named = file ? file : variable("RINGMASTER_TOKEN_FILE");
  if (named && (file || !named->empty()))
    return text_of(*named).and_then([&](const std::string& text) { return checked(text, *named); });
  if (const auto token = variable("RINGMASTER_TOKEN"); token && !token->empty())
    return checked(*token, "RINGMASTER_TOKEN");
  return core::fail(errc::invalid_argument,
                    "the server needs an API key: give --token-file, RINGMASTER_TOKEN_FILE or RINGMASTER_TOKEN; "
                    "`ringmaster key add NAME --user USER` creates one");
}

} // namespace ringmaster::apps
