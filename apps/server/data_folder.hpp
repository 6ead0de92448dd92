#pragma once

// The data folder of a node and its locks.

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

/// Creates the data folder (mode 0700) if it is missing. Errors: `unavailable` with the folder and the reason.
[[nodiscard]] core::result<void> prepare_data_dir(const config::settings& settings);

/// Creates the folder for copies of logs (mode 0700) if it is missing, and returns its path.
[[nodiscard]] std::string prepare_spool_folder(const config::settings& settings);

/// Creates the data folder if the database lives in it; otherwise does nothing. For commands that only open the database.
[[nodiscard]] core::result<void> prepare_database_folder(const config::settings& settings);

/// Returns whether these steps (`database::pending_migrations`) would create a database rather than upgrade one.
[[nodiscard]] bool is_new_database(const std::vector<storage::migration_step>& pending) noexcept;

/// Returns a `not_found` error with the place of the missing database, the setting that names it, and the commands that create
/// one.
[[nodiscard]] core::error no_database(const storage::database& database, const config::settings& settings);

/// Rejects a database without tables with `no_database`. All other problems are left to `open`, which reports them.
[[nodiscard]] core::result<void> check_has_tables(storage::database& database, const config::settings& settings);

/// Rejects a start that would create a new SQLite file in a folder whose server had a database before. Its file is missing, and
/// an empty one in its place would assign run ids again. Errors: `conflict`.
[[nodiscard]] core::result<void> check_database_is_there(const config::settings& settings);

/// Returns the file with the node's `core::kept_marks`: `database-marks` in the data folder.
[[nodiscard]] std::string marks_file(const config::settings& settings);
/// Returns the file with the node's last `core::set_back`: `database-set-back` in the data folder.
[[nodiscard]] std::string set_back_file(const config::settings& settings);
/// Return the files of the run ids of elastic jobs: `database-marks-elastic` and `database-set-back-elastic`.
[[nodiscard]] std::string elastic_marks_file(const config::settings& settings);
[[nodiscard]] std::string elastic_set_back_file(const config::settings& settings);

/// Returns whether a server on this machine uses the data folder now. Takes no lock.
[[nodiscard]] bool data_dir_in_use(const config::settings& settings);

/// Exclusive use of a resource, held by a locked file. Ends with the object or the process, also after a crash.
class sole_use {
public:
  /// Locks the data folder. Errors: `conflict` with the folder and the process that uses it, `unavailable`.
  [[nodiscard]] static core::result<sole_use> of_data_dir(const config::settings& settings);
  /// Locks the SQLite file of `database.url`, wherever it is; does nothing for other databases. Errors: as above.
  [[nodiscard]] static core::result<sole_use> of_database(const config::settings& settings);

  sole_use() = default;
  ~sole_use();
  explicit operator bool() const noexcept { return file_ >= 0; }
  /// Returns a name for the holding process that is unique among all machines: the boot id of this machine's kernel and the lock
  /// file. Two processes with the same name cannot exist at the same time. Empty if the kernel does not report the boot id.
  [[nodiscard]] std::string process_name() const;
  sole_use(sole_use&& other) noexcept;
  sole_use& operator=(sole_use&& other) noexcept;

private:
  explicit sole_use(int file) : file_{file} {}
  static core::result<sole_use> take(const std::string& path, const std::string& what, const char* advice);
  int file_ = -1;
};

} // namespace ringmaster::apps
