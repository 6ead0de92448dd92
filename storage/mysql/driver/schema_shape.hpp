#pragma once

// What a schema can do. XXL-JOB's tables came in generations, and a database may stand between two of them; so each statement
// asks for the capability that it needs and never for a version (XXL admin §2.4). All of this is pure: what information_schema
// said goes in, capabilities and words for people come out.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "storage/mysql/driver/sql.hpp"
#include "storage/rows/column_limits.hpp"

namespace ringmaster::storage::mysql {

struct column_facts {
  /// `varchar`, `bigint`, …: DATA_TYPE in lower case.
  std::string type;
  /// Of a text, in characters; 0 for everything else.
  std::size_t length = 0;
  bool nullable = true;
  std::string comment = {};
  /// Of a text: `utf8mb4`, …; in lower case.
  std::string charset = {};
  /// AUTO_INCREMENT.
  bool counts = false;
};

struct index_facts {
  std::string name;
  bool unique = false;
  std::vector<std::string> columns;
};

struct table_facts {
  /// Empty: a view.
  std::string engine;
  std::map<std::string, column_facts, std::less<>> columns;
  std::vector<index_facts> indexes;
};

/// Names in lower case, as the server compares them. Only tables of XXL and of ours have columns and indexes here.
struct schema_facts {
  std::map<std::string, table_facts, std::less<>> tables;
  /// The row `schedule_lock` is there.
  bool lock_row = false;

  /// Null: there is none. The same for the next two.
  [[nodiscard]] const table_facts* table(std::string_view name) const;
  [[nodiscard]] const column_facts* column(std::string_view table, std::string_view name) const;
  /// An index of exactly these columns, whatever its name.
  [[nodiscard]] const index_facts* index(std::string_view table, const std::vector<std::string>& columns) const;
  /// Whether an index begins with this column.
  [[nodiscard]] bool indexed(std::string_view table, std::string_view column) const;
};

/// What statements ask for.
struct schema_shape {
  column_names names;
  column_limits limits;
  std::size_t password_chars = 100;
  /// `xxl_job_user.token`: sign-ins are kept in the database, and passwords are SHA-256.
  bool user_token = true;
  /// Registrations can be upserted. Without it an upsert would add a row a heartbeat.
  bool unique_registrations = true;
  bool wide_registry_id = true;
  /// `xxl_job_group.access_token`.
  bool group_token = false;
  /// `xxl_job_log_report.update_time`.
  bool report_update_time = true;
  /// Indexes of the log, by their first column.
  bool log_by_time = false;
  bool log_by_handle_code = false;
  bool log_by_group = false;
  bool log_by_job = true;
  /// `xxl_job_log.trigger_msg` holds the bytes that we send.
  bool log_in_utf8 = true;
  bool schedule_lock = true;
  /// Ringmaster's own tables are there.
  bool own_tables = true;
};

[[nodiscard]] schema_shape shape_of(const schema_facts& facts);

struct schema_verdict {
  enum class kind {
    /// No table at all, or only ours: to be made.
    fresh,
    /// XXL's tables, as far as statements need them.
    usable,
    unusable,
  };
  kind how = kind::fresh;
  /// 4 to 8: the newest generation of which something is there. 0: none that can be used.
  int generation = 0;
  /// For people: `G6`, `G1-G3: unsupported; …`, `not XXL's: …`, `half migrated: X is there, Y is missing`.
  std::string text;
  /// Usable, and some generation's step was begun and not ended.
  bool half_migrated = false;
};

[[nodiscard]] schema_verdict classify(const schema_facts& facts);

/// XXL's eight tables.
[[nodiscard]] const std::vector<std::string>& xxl_tables();

/// Those of XXL's tables that another engine than InnoDB keeps, as `xxl_job_log (MyISAM)`: without transactions nothing here is
/// safe.
[[nodiscard]] std::vector<std::string> without_transactions(const schema_facts& facts);

} // namespace ringmaster::storage::mysql
