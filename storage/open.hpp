#pragma once

// Databases: how to connect and how to bring the schema up to date. Only apps chooses a backend.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "core/maintenance/finding.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage {

/// Settings that every backend needs in addition to its address.
struct store_options {
  /// Time zone of DATETIME columns.
  core::zone database_zone;
  /// Time zone of cron schedules (for the next times that `deploys().apply` computes).
  core::zone schedule_zone;
  /// Language of texts stored for users.
  core::language language = core::language::en;
  /// Form of stored trigger texts. Empty: the form of the XXL-JOB release that made the tables.
  std::optional<core::trigger_tail> tail = std::nullopt;
};

struct migration_step {
  int number = 0;
  std::string name;
  /// The statements, as they are (or would be) run.
  std::vector<std::string> statements;
};

/// A change of XXL-JOB's own tables. Made only on request.
enum class schema_change {
  /// Upgrade to the newest released generation of XXL's schema.
  xxl_release,
  /// The log table without the indexes that only a Java admin's pages need, and back.
  lean_log,
  full_log,
  /// The index that shared mode adds to XXL's jobs.
  shared_index,
};

struct change_plan {
  /// The steps in order; each is one logical group. Their numbers have no meaning here.
  std::vector<migration_step> steps;
  /// Notes for the operator: what the steps do not change, and what to know.
  std::vector<std::string> notes;
};

/// A finding about the database.
using database_finding = core::finding;

/// A database of the configuration: how to connect, how to bring its schema up to date.
class database {
public:
  virtual ~database() = default;

  /// Opens one more connection. Any thread. Errors: `unavailable`, `unsupported` (schema older or newer than this release).
  [[nodiscard]] virtual core::result<std::unique_ptr<store>> open() = 0;

  /// Opens a store for `exports()` only. Works also where only XXL-JOB's tables exist. Changes nothing. Errors: as `open`.
  [[nodiscard]] virtual core::result<std::unique_ptr<store>> open_to_look() { return open(); }

  /// Returns the numbered steps that are still to be run; empty when up to date. A database without any table of ours and of
  /// XXL's is fresh: all steps. Errors: `unsupported` when a newer release wrote the schema, or the tables are an XXL generation
  /// that this release cannot use.
  [[nodiscard]] virtual core::result<std::vector<migration_step>> pending_migrations() = 0;

  /// Runs the pending steps, each in a transaction where the backend can; takes the backend's lock so that two processes do not
  /// migrate at once. SQLite: copies an existing file to the same folder first.
  [[nodiscard]] virtual core::result<void> migrate() = 0;

  /// Returns the steps that this change would run now: none when there is nothing to do. Errors: as `pending_migrations`;
  /// `unsupported` when this backend has no such form of its tables.
  [[nodiscard]] virtual core::result<change_plan> plan(schema_change what) = 0;

  /// Makes the change under the lock of `migrate` and returns the steps run. After an interruption, the next call continues.
  [[nodiscard]] virtual core::result<change_plan> change(schema_change what) = 0;

  /// Checks for future problems: a schema that is not XXL's or is incomplete, clocks and zones that differ, missing database
  /// privileges, rows that cannot be planned, other active schedulers. Changes nothing. `go_on` is asked between the checks:
  /// false leaves out the rest. Null: all.
  [[nodiscard]] virtual std::vector<database_finding> examine(const std::function<bool()>& go_on = {}) = 0;

  /// Returns the generation of the database's XXL-JOB tables: 4 to 8, 0 for none. Errors: `unavailable`.
  [[nodiscard]] virtual core::result<int> generation() = 0;

  /// Returns whether other schedulers may plan its schedule, too: its stores have `reservations`.
  [[nodiscard]] virtual bool shares_schedule() const noexcept { return false; }

  /// Returns how many connections can usefully write at the same time: 1 (SQLite) or 2.
  [[nodiscard]] virtual int writers() const noexcept = 0;

  /// Returns `sqlite /path/ringmaster.db` or `mysql user@host:3306/xxl_job`, never with the password.
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Makes the database of a backend; implemented in `storage/sqlite/` and `storage/mysql/`. Errors: `invalid_argument` for the URL
/// of another backend.
[[nodiscard]] core::result<std::unique_ptr<database>> make_sqlite_database(const config::database_settings& settings,
                                                                           const store_options& options);
[[nodiscard]] core::result<std::unique_ptr<database>> make_mysql_database(const config::database_settings& settings,
                                                                          const store_options& options);

} // namespace ringmaster::storage
