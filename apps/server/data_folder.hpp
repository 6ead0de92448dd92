#pragma once

// The folder that a node keeps its own things in, and who may use it.

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "core/result.hpp"
#include "storage/open.hpp"

namespace ringmaster::apps {

/// Creates the data folder (0700) if it is missing. Errors: `unavailable` naming the folder and why.
[[nodiscard]] core::result<void> prepare_data_dir(const config::settings& settings);

/// The same, when the database lives in that folder; else nothing is needed. For commands that only open the database.
[[nodiscard]] core::result<void> prepare_database_folder(const config::settings& settings);

/// Whether these steps (`database::pending_migrations`) would make a database rather than bring one up to date.
[[nodiscard]] bool is_new_database(const std::vector<storage::migration_step>& pending) noexcept;

/// `not_found`: where no database is, which setting names that place, and which commands make one.
[[nodiscard]] core::error no_database(const storage::database& database, const config::settings& settings);

/// Rejects a start that would make a new SQLite file in a folder whose server had a database before: its file is missing, and an
/// empty one in its place would give run ids a second time. Errors: `conflict`.
[[nodiscard]] core::result<void> check_database_is_there(const config::settings& settings);

/// Where a node keeps `core::kept_marks`: `database-marks` in the data folder.
[[nodiscard]] std::string marks_file(const config::settings& settings);

/// Whether a server has the data folder now, as far as this machine shows it. Takes nothing.
[[nodiscard]] bool data_dir_in_use(const config::settings& settings);

/// What one server has to itself, by a locked file. Ends with the object, and with the process however that ends.
class sole_use {
public:
  /// The data folder. Errors: `conflict` naming the folder and the process that has it, `unavailable`.
  [[nodiscard]] static core::result<sole_use> of_data_dir(const config::settings& settings);
  /// The SQLite file of `database.url`, wherever it lies; nothing for other databases. Errors: the same.
  [[nodiscard]] static core::result<sole_use> of_database(const config::settings& settings);

  sole_use() = default;
  ~sole_use();
  explicit operator bool() const noexcept { return file_ >= 0; }
  /// Names the process that holds the file among those of all machines that run now: the boot of this machine's kernel and the
  /// file there. Two processes with this name cannot live at once. Empty where the kernel does not say which boot this is.
  [[nodiscard]] std::string process_name() const;
  sole_use(sole_use&& other) noexcept;
  sole_use& operator=(sole_use&& other) noexcept;

private:
  explicit sole_use(int file) : file_{file} {}
  static core::result<sole_use> take(const std::string& path, const std::string& what, const char* advice);
  int file_ = -1;
};

} // namespace ringmaster::apps
