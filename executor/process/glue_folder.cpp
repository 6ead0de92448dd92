#include "executor/process/glue_folder.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "executor/files/file.hpp"

namespace ringmaster::executor {

namespace {

constexpr mode_t owner_only = 0700;

core::result<void> failed(const std::string& what, int error) {
  return core::fail(core::errc::unavailable, what + ": " + std::generic_category().message(error));
}

/// Creates the folder, or takes an existing one if only this user can write to it. Other writers could run programs as this user.
core::result<file> open_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path(), error);
  if (::mkdir(path.c_str(), owner_only) != 0 && errno != EEXIST)
    return tl::unexpected{failed("cannot make the folder " + path, errno).error()};
  file folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!folder)
    return tl::unexpected{failed("cannot open the folder " + path, errno).error()};
  struct stat what {};
  int problem = ::fstat(folder.get(), &what) != 0 ? errno : 0;
  if (problem == 0 && what.st_uid != ::geteuid())
    problem = EPERM;
  if (problem == 0 && (what.st_mode & 07777) != owner_only && ::fchmod(folder.get(), owner_only) != 0)
    problem = errno;
  if (problem == 0)
    return folder;
  return tl::unexpected{failed("the folder " + path + " must belong to the user of this process alone", problem).error()};
}

/// Writes a file. Returns 0 or errno. Overwrites the remains of a crashed attempt.
int write_file(int folder, const std::string& name, std::string_view text) {
  const auto draft = name + ".part";
  ::unlinkat(folder, draft.c_str(), 0);
  file out{::openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!out)
    return errno;
  int error = write_all(out, text).reason;
  if (const int at_close = out.close(); error == 0)
    error = at_close;
  if (error == 0 && ::renameat(folder, draft.c_str(), folder, name.c_str()) != 0)
    error = errno;
  if (error != 0)
    ::unlinkat(folder, draft.c_str(), 0);
  return error;
}

/// Returns the prefix of a job's files: `1_` does not match `11_`.
std::string prefix_of(const script_key& script) { return std::to_string(core::number(script.job)) + "_"; }

std::string name_of(const script_key& script, std::string_view suffix) {
  return prefix_of(script) + std::to_string(script.updated_ms) + std::string{suffix};
}

/// Removes the other files of the job; ignores failures.
void remove_others(int folder, std::string_view prefix, std::string_view kept) {
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{own < 0 ? nullptr : ::fdopendir(own), ::closedir};
  if (!entries) {
    if (own >= 0)
      ::close(own);
    return;
  }
  std::vector<std::string> old;
  while (const auto* entry = ::readdir(entries.get()))
    if (const std::string_view name{entry->d_name}; name.starts_with(prefix) && name != kept)
      old.emplace_back(name);
  for (const auto& each : old)
    ::unlinkat(folder, each.c_str(), 0);
}

} // namespace

glue_folder::glue_folder(const std::string& log_path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(log_path, error);
  path_ = ((error ? std::filesystem::path{log_path} : absolute) / "gluesource").string();
}

std::string glue_folder::path_of(const script_key& script, std::string_view suffix) const {
  return path_ + "/" + name_of(script, suffix);
}

core::result<void> glue_folder::replace(const script_key& script, std::string_view suffix, std::string_view source,
                                        std::uint64_t order) {
  const std::lock_guard lock{guard_};
  const auto folder = open_folder(path_);
  if (!folder)
    return tl::unexpected{folder.error()};
  const auto name = name_of(script, suffix);
  if (const int error = write_file(folder->get(), name, source); error != 0)
    return failed("cannot write " + path_ + "/" + name, error);
  if (auto& newest = newest_[script.job]; order >= newest) {
    newest = order;
    remove_others(folder->get(), prefix_of(script), name);
  }
  return {};
}

core::result<void> glue_folder::keep(const script_key& script, std::string_view suffix, std::string_view source,
                                     std::uint64_t order) {
  if (::access(path_of(script, suffix).c_str(), F_OK) == 0)
    return {};
  return replace(script, suffix, source, order);
}

} // namespace ringmaster::executor
