#pragma once

#include <string>
#include <unordered_map>

#include "storage/admin/admin_session.hpp"
#include "storage/sqlite/driver/session.hpp"

namespace ringmaster::storage::sqlite {

/// A session for the roles of `storage/admin`. SQLite's one write lock replaces the locks on rows.
class sqlite_admin_session final : public admin_session {
public:
  explicit sqlite_admin_session(session& own) : own_{own} {}

  void hold_edits() override {}
  core::result<core::password_form> password_form() override { return core::password_form::argon2id; }
  core::result<core::cluster_mode> begin_edit() override { return core::cluster_mode::native; }
  [[nodiscard]] xxl_facts facts() const override { return {}; }
  datetime_text& dates() override { return own_.dates; }

private:
  core::result<void> begin(work what, const std::function<core::result<void>()>& body) override;
  sql_rows select(sql_text text, std::span<const sql_value> values) override;
  sql_change run(sql_text text, std::span<const sql_value> values) override;
  bool is_duplicate(const std::function<void()>& write) override;

  /// Returns the text in SQLite's dialect. Lives as long as this object, as the connection's cache requires.
  const char* text_of(sql_text text);

  session& own_;
  std::unordered_map<const char*, std::string> texts_;
};

} // namespace ringmaster::storage::sqlite
