#include "executor/files/report_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/wire/executor/stored_reports.hpp"

namespace ringmaster::executor {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "xxl-job-callback-";
constexpr std::string_view suffix = ".log";
constexpr std::string_view unfinished_prefix = ".unfinished-";
constexpr std::string_view broken_suffix = ".broken";
/// Far more than fifty results with their messages.
constexpr std::size_t file_bytes_max = 256 * 1024 * 1024;

bool is_ours(std::string_view name) noexcept {
  return name.starts_with(prefix) && name.ends_with(suffix) && name.find('/') == std::string_view::npos;
}

/// Returns the number with leading zeros.
std::string number_text(std::uint64_t number, std::size_t width) {
  const auto digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

bool read_all(const file& from, std::string& out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto count = ::read(from.get(), out.data() + done, out.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    if (count == 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  out.resize(done);
  return true;
}

} // namespace

core::result<std::string> report_files::save(std::span<const core::run_report> reports) {
  if (reports.empty())
    return core::fail(core::errc::invalid_argument, "no results to save");
  if (reports.size() > reports_max)
    return core::fail(core::errc::too_large, "a file holds " + std::to_string(reports_max) + " results at most");
  const auto text = protocol::wire::encode_stored_reports(reports);
  if (text.size() > file_bytes_max)
    return core::fail(core::errc::too_large, "the results are too large: " + std::to_string(text.size()) + " bytes");
  if (auto made = make_folder(); !made)
    return tl::unexpected(std::move(made.error()));
  const auto unfinished = path_of(std::string{unfinished_prefix} + std::to_string(::getpid()));
  auto done = write_durably(unfinished, text);
  auto name = done ? give_name(unfinished) : tl::unexpected(std::move(done.error()));
  if (!name) {
    ::unlink(unfinished.c_str());
    return name;
  }
  if (auto synced = sync_folder(); !synced) {
    ::unlink(path_of(*name).c_str());
    return tl::unexpected(std::move(synced.error()));
  }
  return name;
}

core::result<void> report_files::make_folder() {
  // A cleanup job may remove the folder while the executor runs.
  if (made_ && ::access(folder_.c_str(), F_OK) == 0)
    return {};
  if (const int reason = make_folders(folder_))
    return tl::unexpected(file_error(folder_, "made", reason));
  const auto above = fs::path{folder_}.parent_path().string();
  const file parent{::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!parent || ::fsync(parent.get()) != 0)
    return tl::unexpected(file_error(above, "written", errno));
  made_ = true;
  return {};
}

core::result<void> report_files::write_durably(const std::string& path, const std::string& text) const {
  const file out{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640)};
  if (!out)
    return tl::unexpected(file_error(path, "written", errno));
  if (const auto done = write_all(out, text); done.reason != 0)
    return tl::unexpected(file_error(path, "written", done.reason));
  if (::fsync(out.get()) != 0)
    return tl::unexpected(file_error(path, "written", errno));
  return {};
}

/// Gives the file a new unique name: the clock may have been set back, and this may be another process.
core::result<std::string> report_files::give_name(const std::string& unfinished) {
  constexpr int attempts = 1000;
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(core::to_ms(now_()), 0));
  for (int attempt = 0; attempt < attempts; ++attempt) {
    auto name = std::string{prefix} + number_text(ms, 15) + '-' + number_text(saved_++ % 1000000, 6) + std::string{suffix};
    const auto path = path_of(name);
    int moved = ::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
    if (moved != 0 && errno == EINVAL && ::access(path.c_str(), F_OK) != 0) // the file system lacks RENAME_NOREPLACE
      moved = ::rename(unfinished.c_str(), path.c_str());
    if (moved == 0)
      return name;
    if (errno != EEXIST && errno != EINVAL)
      return tl::unexpected(file_error(path, "written", errno));
  }
  return tl::unexpected(file_error(path_of(std::string{prefix}), "written", EEXIST));
}

core::result<void> report_files::sync_folder() const {
  const file folder{::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder || ::fsync(folder.get()) != 0)
    return tl::unexpected(file_error(folder_, "written", errno));
  return {};
}

core::result<std::vector<std::string>> report_files::names(std::size_t limit) {
  std::vector<std::string> oldest; // a heap with the newest on top
  std::error_code problem;
  for (fs::directory_iterator it{folder_, problem}, end; !problem && it != end; it.increment(problem)) {
    auto name = it->path().filename().string();
    if (name.starts_with(unfinished_prefix))
      ::unlink(it->path().c_str());
    if (!is_ours(name) || limit == 0)
      continue;
    if (oldest.size() == limit && name >= oldest.front())
      continue;
    if (oldest.size() == limit) {
      std::pop_heap(oldest.begin(), oldest.end());
      oldest.pop_back();
    }
    oldest.push_back(std::move(name));
    std::push_heap(oldest.begin(), oldest.end());
  }
  if (problem && problem != std::errc::no_such_file_or_directory)
    return core::fail(core::errc::unavailable, folder_ + " cannot be read: " + problem.message());
  std::sort_heap(oldest.begin(), oldest.end());
  return oldest;
}

core::result<std::vector<core::run_report>> report_files::load(const std::string& name) {
  if (!is_ours(name))
    return core::fail(core::errc::invalid_argument, name + " is not a file of results");
  const auto path = path_of(name);
  const file in{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  struct stat status {};
  if (!in || ::fstat(in.get(), &status) != 0)
    return tl::unexpected(file_error(path, "read", errno));
  if (!S_ISREG(status.st_mode))
    return tl::unexpected(put_aside(name, "it is not a regular file"));
  if (static_cast<std::size_t>(status.st_size) > file_bytes_max)
    return tl::unexpected(put_aside(name, "it is too large"));
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(in, text))
    return tl::unexpected(file_error(path, "read", errno));
  auto reports = protocol::wire::parse_stored_reports(text);
  if (!reports)
    return tl::unexpected(put_aside(name, reports.error().context));
  return reports;
}

core::error report_files::put_aside(const std::string& name, std::string_view why) const {
  const auto path = path_of(name);
  const auto aside = path + std::string{broken_suffix};
  std::string text = path + " does not contain valid results (" + std::string{why} + ')';
  if (::rename(path.c_str(), aside.c_str()) == 0)
    text += "; renamed to " + aside;
  return {core::errc::invalid_argument, std::move(text)};
}

core::result<void> report_files::remove(const std::string& name) {
  if (!is_ours(name))
    return core::fail(core::errc::invalid_argument, name + " is not a file of results");
  if (::unlink(path_of(name).c_str()) != 0 && errno != ENOENT)
    return tl::unexpected(file_error(path_of(name), "removed", errno));
  return {};
}

} // namespace ringmaster::executor
