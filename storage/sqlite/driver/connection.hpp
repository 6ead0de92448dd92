#pragma once

// One SQLite connection: cached prepared statements, transactions and the translation of SQLite's codes into `core::error`.
//
// The first failure is kept: from then on every statement does nothing, reads no row and changes nothing, until the transaction
// ends and returns the failure. So the code between the begin and the end of a transaction reads as SQL and not as error
// handling.

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/ids.hpp"
#include "core/job/job_options.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "storage/admin/sql_value.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace ringmaster::storage::sqlite {

/// The value of a column or parameter that is bytes, not text.
struct blob {
  std::string_view bytes;
};

/// A statement in a connection's cache.
struct cached_statement {
  sqlite3_stmt* prepared = nullptr;
  /// Number of uses so far. The latest use owns the bindings and the row.
  std::uint64_t uses = 0;
};

/// A prepared statement in use: bound, stepped row by row, and returned at the end of its scope. Bound texts are not copied: they
/// must live until the last step. One use of the same SQL at a time: an earlier use that continues makes the connection fail.
class statement {
public:
  /// `cached`: null if nothing could be prepared.
  statement(class connection& db, cached_statement* cached) noexcept
    : db_{&db}, cached_{cached}, use_{cached == nullptr ? 0 : ++cached->uses} {}
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement();

  /// Binds parameters 1..n: integers, bool, ids, text, blob, optionals of these (empty: NULL), and all values of options or of a
  /// span.
  template <class... Values>
  statement& with(const Values&... values) {
    rewind();
    [[maybe_unused]] int index = 0;
    (bind_next(index, values), ...);
    return *this;
  }

  /// Binds as `with`, then runs to the end. Returns the number of changed rows.
  template <class... Values>
  int run(const Values&... values) {
    with(values...);
    return finish();
  }

  /// Steps to the next row; returns false at the end or after a failure.
  bool step();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::int32_t small(int column) const { return static_cast<std::int32_t>(number(column)); }
  /// Reads NULL as an empty optional.
  [[nodiscard]] std::optional<std::int64_t> optional_number(int column) const {
    return is_null(column) ? std::nullopt : std::optional{number(column)};
  }
  /// Valid until the next step. Empty for NULL.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  template <class Id>
  [[nodiscard]] Id id(int column) const {
    return Id{static_cast<std::underlying_type_t<Id>>(number(column))};
  }
  [[nodiscard]] core::time_point time_ms(int column) const { return core::from_ms(number(column)); }

private:
  /// Returns SQLite's statement; null if nothing could be prepared, or if a later use has taken it, which is a defect.
  [[nodiscard]] sqlite3_stmt* own() const;
  void rewind();
  int finish();
  template <class Value>
  void bind_next(int& index, const Value& value) { bind(++index, value); }
  void bind_next(int& index, std::span<const sql_value> values) {
    for (const auto& each : values)
      std::visit([&](const auto& value) { bind(++index, value); }, each);
  }
  void bind_next(int& index, const core::option_values& values) {
    for (const auto& each : values)
      std::visit([&](const auto& value) { bind(++index, value); }, each);
  }
  void bind(int index, std::int64_t value);
  void bind(int index, std::int32_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, std::uint64_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, bool value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view{value}); }
  void bind(int index, const char* value) { bind(index, std::string_view{value}); }
  void bind(int index, blob value);
  void bind(int index, sql_bytes value) { bind(index, blob{value.bytes}); }
  void bind(int index, std::nullopt_t);
  void bind(int index, std::monostate) { bind(index, std::nullopt); }
  void bind(int index, core::time_point value) { bind(index, core::to_ms(value)); }
  template <class Id>
    requires std::is_enum_v<Id>
  void bind(int index, Id value) { bind(index, static_cast<std::int64_t>(core::number(value))); }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value)
      bind(index, *value);
    else
      bind(index, std::nullopt);
  }

  connection* db_;
  cached_statement* cached_;
  std::uint64_t use_;
};

/// Options of opening a connection.
struct open_options {
  std::string file;
  /// Whether `file` is an SQLite URI (an in-memory database).
  bool uri = false;
  std::chrono::milliseconds busy_timeout{5000};
  /// Time limit of a statement; 0: none.
  std::chrono::milliseconds statement_timeout{5000};
  bool create = false;
  /// Whether the connection only reads: the file keeps its journal mode.
  bool look = false;
};

/// A connection, used by one thread at a time.
class connection {
public:
  /// Opens a connection with WAL and FULL where the file allows it. A new file is readable by its owner only.
  [[nodiscard]] static core::result<std::unique_ptr<connection>> open(const open_options& options);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Prepares `sql`, which must live as long as the connection: it is the key of the cache. An empty text is a defect and fails.
  [[nodiscard]] statement prepare(const char* sql);

  template <class... Values>
  int run(const char* sql, const Values&... values) {
    auto prepared = prepare(sql);
    return prepared.run(values...);
  }

  /// Runs statements that are used once: pragmas, schema changes. They are not cached.
  void execute(const char* sql);

  [[nodiscard]] std::int64_t last_id() const;
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] sqlite3* handle() const noexcept { return db_; }

  /// Makes the running transaction fail with the given error.
  void fail(core::error error);
  /// Returns whether the file was deleted, or another file has its name: writes to it are lost.
  [[nodiscard]] bool has_moved() const noexcept;
  /// Takes the failure, if any: the connection is usable again.
  [[nodiscard]] core::result<void> outcome();

private:
  friend class statement;
  friend class transaction;
  connection(sqlite3* db, const open_options& options);
  void note(int code, const char* doing);
  [[nodiscard]] core::error full();
  static int on_progress(void* self);

  sqlite3* db_;
  std::string file_;
  std::chrono::milliseconds statement_timeout_;
  /// Deadline of the running statement, set once it has run for a while.
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::unordered_map<const char*, cached_statement> prepared_;
  std::optional<core::error> failure_;
};

enum class transaction_kind : std::uint8_t { read, write };

/// A transaction from BEGIN to `commit` or, without it, ROLLBACK. A write transaction takes the write lock at once, and fails if
/// the file was deleted or replaced.
class transaction {
public:
  transaction(connection& db, transaction_kind kind);
  ~transaction();
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;

  /// Commits. Errors: the first failure since the begin; nothing was stored then.
  [[nodiscard]] core::result<void> commit();

private:
  void roll_back();
  connection& db_;
  bool open_ = false;
};

/// Runs `body(db)` in a transaction and commits it. `body` returns a `core::result<T>`; its error rolls back.
template <class Body>
auto within(connection& db, transaction_kind kind, Body&& body) -> decltype(body(db)) {
  try {
    transaction work{db, kind};
    if (db.failed())
      return tl::unexpected{work.commit().error()};
    auto answer = body(db);
    if (!answer && !db.failed())
      return answer;
    if (auto committed = work.commit(); !committed)
      return tl::unexpected{committed.error()};
    return answer;
  } catch (const std::bad_alloc&) {
    return core::fail(core::errc::unavailable, "out of memory");
  }
}

} // namespace ringmaster::storage::sqlite
