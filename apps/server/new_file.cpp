#include "apps/server/new_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmaster::apps {

namespace {

constexpr std::size_t waiting_bytes = 64 * 1024;

/// Returns the mode of the replaced file. A new file is readable only by its owner, because job parameters may be secrets.
mode_t mode_of(const std::string& path, bool replace) {
  struct stat found {};
  if (replace && ::stat(path.c_str(), &found) == 0)
    return found.st_mode & 0777;
  return 0600;
}

core::error is_there(const std::string& path) { return {core::errc::conflict, path + " already exists; --force overwrites it"}; }

/// Resolves symbolic links to the actual file.
std::string behind_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real{::realpath(path.c_str(), nullptr), &std::free};
  return real ? std::string{real.get()} : path;
}

} // namespace

core::result<new_file> new_file::begin(std::string path, bool replace) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const int reason = errno;
    new_file out{std::move(path), {}, true, file};
    if (file < 0)
      return tl::unexpected{out.failure(reason)};
    return out;
  }
  if (!replace && ::lstat(path.c_str(), &found) == 0)
    return tl::unexpected{is_there(path)};
  if (replace)
    path = behind_links(path);
  auto unfinished = path + ".XXXXXX";
  const int file = ::mkostemp(unfinished.data(), O_CLOEXEC);
  const int reason = file < 0 || ::fchmod(file, mode_of(path, replace)) != 0 ? errno : 0;
  new_file out{std::move(path), std::move(unfinished), replace, file};
  if (reason != 0)
    return tl::unexpected{out.failure(reason)};
  return out;
}

new_file::new_file(std::string path, std::string unfinished, bool replace, int file)
  : path_{std::move(path)}, unfinished_{std::move(unfinished)}, replace_{replace}, file_{file} {}

new_file::new_file(new_file&& other) noexcept
  : path_{std::move(other.path_)},
    unfinished_{std::move(other.unfinished_)},
    replace_{other.replace_},
    file_{std::exchange(other.file_, -1)},
    waiting_{std::move(other.waiting_)} {}

new_file::~new_file() {
  if (file_ < 0)
    return;
  ::close(file_);
  if (!unfinished_.empty())
    ::unlink(unfinished_.c_str());
}

core::error new_file::failure(int reason) const {
  return {core::errc::unavailable, path_ + " cannot be written: " + std::strerror(reason)};
}

core::result<void> new_file::write(std::string_view text) {
  waiting_ += text;
  return waiting_.size() < waiting_bytes ? core::result<void>{} : flush();
}

core::result<void> new_file::flush() {
  for (std::string_view rest = waiting_; !rest.empty();) {
    const auto written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR)
      return tl::unexpected{failure(errno)};
    rest.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  waiting_.clear();
  return {};
}

core::result<void> new_file::finish() {
  if (auto flushed = flush(); !flushed)
    return flushed;
  if (!unfinished_.empty())
    if (auto moved = move_into_place(); !moved)
      return moved;
  if (::close(std::exchange(file_, -1)) != 0)
    return tl::unexpected{failure(errno)};
  return {};
}

core::result<void> new_file::move_into_place() {
  if (::fsync(file_) != 0)
    return tl::unexpected{failure(errno)};
  int moved = replace_ ? ::rename(unfinished_.c_str(), path_.c_str())
                       : ::renameat2(AT_FDCWD, unfinished_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
  if (moved != 0 && errno == EINVAL && !replace_) // the file system lacks RENAME_NOREPLACE; begin() checked that no file existed
    moved = ::rename(unfinished_.c_str(), path_.c_str());
  if (moved != 0)
    return tl::unexpected{errno == EEXIST ? is_there(path_) : failure(errno)};
  return {};
}

} // namespace ringmaster::apps
