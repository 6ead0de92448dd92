#include "apps/server/data_folder.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/folder_owner.hpp"

namespace ringmaster::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

/// Returns the file of a SQLite database; empty for other databases.
fs::path sqlite_file(const config::settings& settings) {
  const std::string_view url = settings.database.url;
  return url.starts_with(sqlite_scheme) && url != "sqlite::memory:" ? fs::path{url.substr(sqlite_scheme.size())} : fs::path{};
}

/// Returns the process that wrote its id into the lock file: ` (process 17)`.
std::string holder(int file) {
  std::array<char, 24> text{};
  const auto length = ::pread(file, text.data(), text.size() - 1, 0);
  const std::string digits{text.data(), length > 0 ? std::strspn(text.data(), "0123456789") : 0};
  return digits.empty() ? "" : " (process " + digits + ")";
}

/// Creates a folder for this server alone, if it is missing.
std::error_code make_own_folder(const std::string& path) {
  std::error_code problem;
  if (!fs::create_directories(path, problem) || problem)
    return problem;
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, ignored);
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  storage::give_to_folder_owner(folder, path);
  if (folder >= 0)
    ::close(folder);
  return {};
}

} // namespace

std::string prepare_spool_folder(const config::settings& settings) {
  auto path = (fs::path{settings.data_dir} / "spool").string();
  make_own_folder(path); // log_spool reports a folder that it cannot use
  return path;
}

core::result<void> prepare_data_dir(const config::settings& settings) {
  if (const auto problem = make_own_folder(settings.data_dir))
    return core::fail(core::errc::unavailable, "data_dir: " + settings.data_dir + " cannot be created: " + problem.message());
  if (::access(settings.data_dir.c_str(), W_OK | X_OK) != 0)
    return core::fail(core::errc::unavailable, "data_dir: " + settings.data_dir + " cannot be written: " + std::strerror(errno));
  return {};
}

core::result<void> prepare_database_folder(const config::settings& settings) {
  const auto inside = sqlite_file(settings).lexically_relative(settings.data_dir);
  return inside.empty() || *inside.begin() == ".." ? core::result<void>{} : prepare_data_dir(settings);
}

bool is_new_database(const std::vector<storage::migration_step>& pending) noexcept {
  return !pending.empty() && pending.front().number == 1;
}

core::error no_database(const storage::database& database, const config::settings& settings) {
  const auto file = sqlite_file(settings);
  const auto place = file.empty() ? database.description() : file.string();
  return {core::errc::not_found, "no database at " + place + ", named by " + settings.database.named_by +
                                   "; `ringmaster serve` and `ringmaster migrate` create one, "
                                   "--config FILE selects another configuration"};
}

core::result<void> check_has_tables(storage::database& database, const config::settings& settings) {
  if (const auto pending = database.pending_migrations(); pending && is_new_database(*pending))
    return tl::unexpected<core::error>{no_database(database, settings)};
  return {};
}

core::result<void> check_database_is_there(const config::settings& settings) {
  const auto file = sqlite_file(settings);
  std::error_code problem;
  if (file.empty() || fs::exists(file, problem) || problem)
    return {};
  for (const char* name : {"database-marks", "node-id", "initial-secrets"})
    if (fs::exists(fs::path{settings.data_dir} / name, problem))
      return core::fail(core::errc::conflict, "the database " + file.string() +
                                                " is missing, but a server with the data folder " + settings.data_dir +
                                                " had one (" + name +
                                                " exists): put the file back or restore a backup; "
                                                "`ringmaster serve --new-database` starts with an empty one");
  return {};
}

std::string marks_file(const config::settings& settings) { return fs::path{settings.data_dir} / "database-marks"; }

std::string set_back_file(const config::settings& settings) { return fs::path{settings.data_dir} / "database-set-back"; }

std::string elastic_marks_file(const config::settings& settings) { return marks_file(settings) + "-elastic"; }

std::string elastic_set_back_file(const config::settings& settings) { return set_back_file(settings) + "-elastic"; }

core::result<sole_use> sole_use::of_data_dir(const config::settings& settings) {
  return take((fs::path{settings.data_dir} / "lock").string(), "data_dir: " + settings.data_dir,
              "; give this server its own folder");
}

core::result<sole_use> sole_use::of_database(const config::settings& settings) {
  const auto file = sqlite_file(settings);
  if (file.empty())
    return sole_use{};
  // Resolves symbolic links, so that every path to the file takes the same lock.
  std::error_code ignored;
  const auto real = fs::weakly_canonical(file, ignored);
  return take((real.empty() ? file : real).string() + "-lock", "database.url: " + settings.database.url,
              "; to run several servers, use a database server");
}

std::string sole_use::process_name() const {
  std::string boot;
  struct stat file {};
  if (file_ < 0 || !std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, boot) || boot.empty()
      || ::fstat(file_, &file) != 0)
    return {};
  return boot + ":" + std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

core::result<sole_use> sole_use::take(const std::string& path, const std::string& what, const char* advice) {
  sole_use out{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (out.file_ < 0)
    return core::fail(core::errc::unavailable, path + " cannot be opened: " + std::strerror(errno));
  storage::give_to_folder_owner(out.file_, path);
  if (::flock(out.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return core::fail(core::errc::unavailable, path + " cannot be locked: " + std::strerror(errno));
    return core::fail(core::errc::conflict, what + " is in use by another server" + holder(out.file_) + advice);
  }
  const auto pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(out.file_, 0) != 0 || ::pwrite(out.file_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return core::fail(core::errc::unavailable, path + " cannot be written: " + std::strerror(errno));
  return out;
}

bool data_dir_in_use(const config::settings& settings) {
  const auto path = (fs::path{settings.data_dir} / "lock").string();
  struct stat status {};
  std::ifstream file{path};
  std::string holder;
  if (!(file >> holder) || ::stat(path.c_str(), &status) != 0)
    return false;
  // Reads /proc/locks instead of taking the lock: taking it could make a server fail that starts at the same time.
  std::ifstream locks{"/proc/locks"};
  const auto node = ':' + std::to_string(status.st_ino);
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words{line};
    std::string number, kind, manner, access, process, where;
    if (words >> number >> kind >> manner >> access >> process >> where && kind == "FLOCK" && process == holder
        && where.ends_with(node))
      return true;
  }
  return false;
}

sole_use::~sole_use() {
  if (file_ >= 0)
    ::close(file_);
}

sole_use::sole_use(sole_use&& other) noexcept : file_{std::exchange(other.file_, -1)} {}

sole_use& sole_use::operator=(sole_use&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

} // namespace ringmaster::apps
