#pragma once

// What a backend offers besides the store itself. apps alone chooses one.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/language.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::storage {

/// What every backend needs to know besides its address.
struct store_options {
  /// The zone of DATETIME columns.
  core::zone database_zone;
  /// The zone of cron schedules (for the next times that `deploys().apply` computes).
  core::zone schedule_zone;
  /// Of texts that are stored for people.
  core::language language = core::language::en;
  /// The form of trigger texts that are stored; nothing: that of the release that made the tables.
  std::optional<core::trigger_tail> tail = std::nullopt;
};

struct migration_step {
  int number = 0;
  std::string name;
  /// The statements, as they are (or would be) run.
  std::vector<std::string> statements;
};

/// A change of XXL-JOB's own tables. Never made unasked.
enum class schema_change {
  /// To the newest released generation of XXL's schema.
  xxl_release,
  /// The log table without the indexes that only a Java admin's pages need, and back.
  lean_log,
  full_log,
  /// The index that shared mode adds to XXL's jobs.
  shared_index,
};

struct change_plan {
  /// In order; each is one logical group. Numbers mean nothing here.
  std::vector<migration_step> steps;
  /// What the steps leave, and what people have to know.
  std::vector<std::string> notes;
};

/// What a look at the database found, for people.
struct database_finding {
  enum class level { fine, warning, failure };
  level how = level::fine;
  /// One or two words, e.g. `clock`.
  std::string what;
  /// One line.
  std::string detail;
};

/// A database of the configuration: how to connect, how to bring its schema up to date.
class database {
public:
  virtual ~database() = default;

  /// One more connection. Any thread. Errors: `unavailable`, `unsupported` (schema older or newer than this release).
  [[nodiscard]] virtual core::result<std::unique_ptr<store>> open() = 0;

  /// A store to `exports()` from, and for nothing else: also where XXL-JOB's tables are, and none of ours. Changes nothing.
  /// Errors: as `open`.
  [[nodiscard]] virtual core::result<std::unique_ptr<store>> open_to_look() { return open(); }

  /// The numbered steps that are still to be run; empty when up to date. A database without any table of ours and of XXL's is
  /// fresh: all steps. Errors: `unsupported` when a newer release wrote the schema, or the tables are an XXL generation that this
  /// release cannot use.
  [[nodiscard]] virtual core::result<std::vector<migration_step>> pending_migrations() = 0;

  /// Runs them, each in a transaction where the backend can; takes the backend's lock so that two processes do not migrate at
  /// once. SQLite: copies an existing file beside itself first.
  [[nodiscard]] virtual core::result<void> migrate() = 0;

  /// What such a change would do now: no steps when nothing is to be done. Errors: as `pending_migrations`; `unsupported` when
  /// this backend has no such form of its tables.
  [[nodiscard]] virtual core::result<change_plan> plan(schema_change what) = 0;

  /// Does it, under the lock of `migrate`; returns what was done. Broken off in the middle, the next call goes on.
  [[nodiscard]] virtual core::result<change_plan> change(schema_change what) = 0;

  /// Looks for what will go wrong, before it does: a schema that is not XXL's or half of it, clocks and zones that differ, rights
  /// that are missing, rows that cannot be planned, other schedulers at work. Changes nothing.
  [[nodiscard]] virtual std::vector<database_finding> examine() = 0;

  /// Which generation of XXL-JOB's tables it has: 4 to 8, 0 for none. Errors: `unavailable`.
  [[nodiscard]] virtual core::result<int> generation() = 0;

  /// Whether others may plan its schedule, too: its stores have `reservations`.
  [[nodiscard]] virtual bool shares_schedule() const noexcept { return false; }

  /// How many connections may write at the same time to advantage: 1 (SQLite) or 2.
  [[nodiscard]] virtual int writers() const noexcept = 0;

  /// `sqlite /path/ringmaster.db` or `mysql user@host:3306/xxl_job`: never the password.
  [[nodiscard]] virtual std::string description() const = 0;
};

/// `storage/sqlite/` and `storage/mysql/` implement these. Errors: `invalid_argument` for a URL that is not theirs.
[[nodiscard]] core::result<std::unique_ptr<database>> make_sqlite_database(const config::database_settings& settings,
                                                                           const store_options& options);
[[nodiscard]] core::result<std::unique_ptr<database>> make_mysql_database(const config::database_settings& settings,
                                                                          const store_options& options);

} // namespace ringmaster::storage
