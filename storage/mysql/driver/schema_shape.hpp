#pragma once

// Capabilities of a schema. XXL-JOB's tables come in generations, and a database may stand between two of them; so each statement
// asks for the capability that it needs and never for a version (XXL admin §2.4). Pure: converts facts from information_schema to
// capabilities and texts for operators.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/column_limits.hpp"
#include "storage/mysql/driver/sql.hpp"

namespace ringmaster::storage::mysql {

struct column_facts {
  /// DATA_TYPE in lower case: `varchar`, `bigint`, …
  std::string type;
  /// Length of a text in characters; 0 for other types.
  std::size_t length = 0;
  bool nullable = true;
  std::string comment = {};
  /// Character set of a text in lower case: `utf8mb4`, …
  std::string charset = {};
  /// Whether it is AUTO_INCREMENT.
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

/// Facts about the tables. Names are in lower case, as the server compares them. Only tables of XXL-JOB and Ringmaster have
/// columns and indexes here.
struct schema_facts {
  std::map<std::string, table_facts, std::less<>> tables;
  /// Whether the row `schedule_lock` exists.
  bool lock_row = false;

  /// Returns the table; null: there is none. The next two also return null for none.
  [[nodiscard]] const table_facts* table(std::string_view name) const;
  [[nodiscard]] const column_facts* column(std::string_view table, std::string_view name) const;
  /// Returns an index of exactly these columns, regardless of its name.
  [[nodiscard]] const index_facts* index(std::string_view table, const std::vector<std::string>& columns) const;
  /// Returns whether an index begins with this column.
  [[nodiscard]] bool indexed(std::string_view table, std::string_view column) const;
};

/// Capabilities that statements ask for.
struct schema_shape {
  column_names names;
  core::column_limits limits;
  std::size_t password_chars = 100;
  /// `xxl_job_user.token`: sign-ins are stored in the database, and passwords are SHA-256.
  bool user_token = true;
  /// Whether registrations can be upserted. Without a unique key an upsert would add a row per heartbeat.
  bool unique_registrations = true;
  bool wide_registry_id = true;
  /// `xxl_job_group.access_token`.
  bool group_token = false;
  /// `xxl_job_log_report.update_time`.
  bool report_update_time = true;
  /// Whether the log has these indexes, by their first column.
  bool log_by_time = false;
  bool log_by_handle_code = false;
  bool log_by_group = false;
  bool log_by_job = true;
  /// Whether `xxl_job_log.trigger_msg` stores texts in the encoding that the client sends.
  bool log_in_utf8 = true;
  bool schedule_lock = true;
  /// Whether Ringmaster's own tables exist.
  bool own_tables = true;
};

[[nodiscard]] schema_shape shape_of(const schema_facts& facts);

struct schema_verdict {
  enum class kind {
    /// No tables, or only ours: XXL's are to be created.
    fresh,
    /// XXL's tables, as far as statements need them.
    usable,
    unusable,
  };
  kind how = kind::fresh;
  /// 4 to 8: the newest generation that has left a mark in the schema. 0: none that can be used.
  int generation = 0;
  /// Text for operators: `G6`, `G1-G3: unsupported; …`, `not XXL's: …`, `half migrated: X is there, Y is missing`.
  std::string text;
  /// Usable, but the step to some generation was begun and not finished.
  bool half_migrated = false;
};

[[nodiscard]] schema_verdict classify(const schema_facts& facts);

/// Returns the names of XXL's eight tables.
[[nodiscard]] const std::vector<std::string>& xxl_tables();

/// Returns XXL's tables with an engine other than InnoDB, as `xxl_job_log (MyISAM)`: without transactions no operation here is
/// safe.
[[nodiscard]] std::vector<std::string> without_transactions(const schema_facts& facts);

} // namespace ringmaster::storage::mysql
