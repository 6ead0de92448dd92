#include "storage/mysql/driver/statement.hpp"

#include <cstring>

namespace ringmaster::storage::mysql {

namespace {

[[noreturn]] void raise(MYSQL_STMT* statement) {
  throw driver_error{mysql_stmt_errno(statement), mysql_stmt_sqlstate(statement), mysql_stmt_error(statement)};
}

bool is_integer(enum_field_types type) {
  switch (type) {
  case MYSQL_TYPE_TINY:
  case MYSQL_TYPE_SHORT:
  case MYSQL_TYPE_INT24:
  case MYSQL_TYPE_LONG:
  case MYSQL_TYPE_LONGLONG: return true;
  default: return false;
  }
}

} // namespace

rows::rows(MYSQL_STMT* statement) : statement_{statement} {
  using attribute = decltype(rows::column::null);
  attribute on = 1;
  mysql_stmt_attr_set(statement, STMT_ATTR_UPDATE_MAX_LENGTH, &on);
  if (mysql_stmt_store_result(statement) != 0)
    raise(statement);
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> fields{mysql_stmt_result_metadata(statement),
                                                                        &mysql_free_result};
  if (!fields)
    raise(statement);
  columns_.resize(mysql_num_fields(fields.get()));
  std::vector<MYSQL_BIND> binds(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    auto& to = columns_[i];
    auto& bind = binds[i];
    const auto& field = fields->fields[i];
    if (is_integer(field.type)) {
      bind.buffer_type = MYSQL_TYPE_LONGLONG;
      bind.buffer = &to.number;
    } else {
      to.buffer.resize(field.max_length + 1);
      bind.buffer_type = MYSQL_TYPE_STRING;
      bind.buffer = to.buffer.data();
      bind.buffer_length = to.buffer.size();
    }
    bind.length = &to.length;
    bind.is_null = &to.null;
  }
  if (mysql_stmt_bind_result(statement, binds.data()) != 0)
    raise(statement);
}

bool rows::next() {
  const auto status = mysql_stmt_fetch(statement_.get());
  if (status == 1)
    raise(statement_.get());
  return status != MYSQL_NO_DATA;
}

std::string_view rows::text(std::size_t column) const {
  const auto& from = columns_[column];
  return is_null(column) ? std::string_view{} : std::string_view{from.buffer.data(), from.length};
}

statement::statement(MYSQL* connection, const std::string& text) : statement_{mysql_stmt_init(connection)} {
  if (!statement_)
    throw std::bad_alloc{};
  if (mysql_stmt_prepare(statement_.get(), text.data(), text.size()) != 0)
    raise(statement_.get());
}

statement& statement::add(std::int64_t number) {
  values_.push_back({.number = number, .text = {}, .type = MYSQL_TYPE_LONGLONG});
  return *this;
}

statement& statement::add(std::string_view text) {
  values_.push_back({.text = text, .type = MYSQL_TYPE_STRING});
  return *this;
}

statement& statement::add(std::string&& text) { return add(std::string_view{kept_.emplace_back(std::move(text))}); }

statement& statement::add(bytes&& blob) {
  add(std::move(blob.value));
  values_.back().type = MYSQL_TYPE_BLOB;
  return *this;
}

statement& statement::add(core::option_values&& values) {
  for (auto& each : values) {
    if (auto* text = std::get_if<std::string>(&each))
      add(std::move(*text));
    else if (const auto* number = std::get_if<std::int64_t>(&each))
      add(*number);
    else
      add_null();
  }
  return *this;
}

statement& statement::add(const sql_value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value))
    return add(*text);
  if (const auto* blob = std::get_if<sql_bytes>(&value)) {
    values_.push_back({.text = blob->bytes, .type = MYSQL_TYPE_BLOB});
    return *this;
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? add_null() : add(*number);
}

statement& statement::add_null() {
  values_.push_back({});
  return *this;
}

void statement::bind() {
  binds_.assign(values_.size(), MYSQL_BIND{});
  for (std::size_t i = 0; i < values_.size(); ++i) {
    auto& from = values_[i];
    auto& to = binds_[i];
    to.buffer_type = from.type;
    if (from.type == MYSQL_TYPE_LONGLONG) {
      to.buffer = &from.number;
    } else if (from.type != MYSQL_TYPE_NULL) {
      from.length = from.text.size();
      to.buffer = const_cast<char*>(from.text.empty() ? "" : from.text.data()); // the API only reads it
      to.buffer_length = from.length;
      to.length = &from.length;
    }
  }
  if (!binds_.empty() && mysql_stmt_bind_param(statement_.get(), binds_.data()) != 0)
    raise(statement_.get());
}

void statement::execute() {
  struct forget {
    statement& self;
    ~forget() {
      self.values_.clear();
      self.kept_.clear();
    }
  } after{*this};
  if (values_.size() != mysql_stmt_param_count(statement_.get()))
    throw driver_error{0, "", "a statement got " + std::to_string(values_.size()) + " values instead of "
                              + std::to_string(mysql_stmt_param_count(statement_.get()))};
  bind();
  if (mysql_stmt_execute(statement_.get()) != 0)
    raise(statement_.get());
}

std::uint64_t statement::run() {
  execute();
  return mysql_stmt_affected_rows(statement_.get());
}

rows statement::select() {
  execute();
  return rows{statement_.get()};
}

} // namespace ringmaster::storage::mysql
