#pragma once

// A prepared statement, its parameters and its rows.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mysql/mysql.h>

#include "core/ids.hpp"
#include "core/job/job_options.hpp"
#include "core/time.hpp"
#include "storage/admin/sql_value.hpp"
#include "storage/mysql/driver/sql.hpp"

namespace ringmaster::storage::mysql {

/// The rows of one SELECT, held by the client. Valid until its statement runs again.
class rows {
public:
  explicit rows(MYSQL_STMT* statement);
  rows(rows&&) = default;

  /// Steps to the next row; returns false after the last.
  [[nodiscard]] bool next();

  [[nodiscard]] bool is_null(std::size_t column) const { return columns_[column].null != 0; }
  /// Reads NULL as 0.
  [[nodiscard]] std::int64_t number(std::size_t column) const { return is_null(column) ? 0 : columns_[column].number; }
  /// Reads NULL as an empty optional.
  [[nodiscard]] std::optional<std::int64_t> optional_number(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional{number(column)};
  }
  /// Reads an INT column.
  [[nodiscard]] std::int32_t number32(std::size_t column) const { return static_cast<std::int32_t>(number(column)); }
  /// Reads NULL as an empty text. Valid until `next`.
  [[nodiscard]] std::string_view text(std::size_t column) const;
  [[nodiscard]] std::string string(std::size_t column) const { return std::string{text(column)}; }

  /// Reads NULL as an empty optional.
  [[nodiscard]] std::optional<std::string> optional_string(std::size_t column) const {
    return is_null(column) ? std::nullopt : std::optional{string(column)};
  }
  [[nodiscard]] core::time_point time_ms(std::size_t column) const { return core::from_ms(number(column)); }
  template <class Id>
    requires std::is_enum_v<Id>
  [[nodiscard]] Id id(std::size_t column) const {
    return static_cast<Id>(number(column));
  }

private:
  using flag = std::remove_pointer_t<decltype(MYSQL_BIND::is_null)>;
  struct column {
    std::int64_t number = 0;
    std::string buffer;
    unsigned long length = 0;
    flag null = 0;
  };
  struct release {
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_free_result(statement); }
  };

  std::unique_ptr<MYSQL_STMT, release> statement_;
  std::vector<column> columns_;
};

/// The value of a BLOB, which the server does not interpret. Kept until the statement has run.
struct bytes {
  std::string value;
};

/// One prepared statement of one connection. Parameters are added in order, then it runs; it can be reused after that.
class statement {
public:
  statement(MYSQL* connection, const std::string& text);

  statement& add(std::int64_t value);
  statement& add(std::int32_t value) { return add(std::int64_t{value}); }
  statement& add(std::size_t value) { return add(static_cast<std::int64_t>(value)); }
  statement& add(bool value) { return add(std::int64_t{value}); }
  /// Adds epoch milliseconds.
  statement& add(core::time_point value) { return add(core::to_ms(value)); }
  /// Adds a text without copying it: it must live until the statement has run.
  statement& add(std::string_view value);
  statement& add(const std::string& value) { return add(std::string_view{value}); }
  statement& add(const char* value) { return add(std::string_view{value}); }
  /// Adds a text and keeps it until the statement has run.
  statement& add(std::string&& value);
  statement& add(bytes&& value);
  statement& add_null();
  /// Adds a text without copying it, as above.
  statement& add(const sql_value& value);
  /// One parameter for each; texts are kept until the statement ran.
  statement& add(core::option_values&& values);

  template <class Id>
    requires std::is_enum_v<Id>
  statement& add(Id value) {
    return add(static_cast<std::int64_t>(core::number(value)));
  }

  /// Adds NULL for an empty optional.
  template <class T>
  statement& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }
  template <class T>
  statement& add(std::optional<T>&& value) {
    return value ? add(std::move(*value)) : add_null();
  }

  /// Runs it and returns the number of changed rows.
  std::uint64_t run();
  /// Runs a SELECT.
  rows select();
  /// Returns the first id of the INSERT just run; the others of the same statement follow.
  [[nodiscard]] std::int64_t first_id() const { return static_cast<std::int64_t>(mysql_stmt_insert_id(statement_.get())); }

private:
  struct value {
    std::int64_t number = 0;
    std::string_view text;
    enum_field_types type = MYSQL_TYPE_NULL;
    unsigned long length = 0;
  };
  struct close {
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
  };

  void execute();
  void bind();

  std::unique_ptr<MYSQL_STMT, close> statement_;
  std::vector<value> values_;
  std::vector<MYSQL_BIND> binds_;
  std::deque<std::string> kept_;
};

} // namespace ringmaster::storage::mysql
