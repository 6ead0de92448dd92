#pragma once

#include "storage/admin/admin_session.hpp"
#include "storage/mysql/admin/edited_schedule.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/runs/log_paths.hpp"

namespace ringmaster::storage::mysql {

/// A session for the roles of `storage/admin`.
class mysql_admin_session final : public admin_session {
public:
  explicit mysql_admin_session(session& own) : own_{own}, log_{own}, schedule_{own} {}

  bool write_once(const std::function<bool()>& exists, const std::function<void()>& write) override;
  void hold_edits() override;
  core::result<core::password_form> password_form() override;
  core::result<core::cluster_mode> begin_edit() override;
  [[nodiscard]] xxl_facts facts() const override;
  datetime_text& dates() override { return own_.dates; }
  run_paths& log_paths() override { return log_; }
  std::unique_ptr<job_paths> paths_of(const core::job_search& search,
                                      const std::optional<std::vector<core::group_id>>& groups) override;
  edited_schedule& schedule() override { return schedule_; }
  [[nodiscard]] const core::zone& schedule_zone() const override { return own_.schedule_zone; }
  std::vector<core::log_id> held_runs(const core::log_range& range) override;

private:
  core::result<void> begin(work what, const std::function<core::result<void>()>& body) override;
  sql_rows select(sql_text text, std::span<const sql_value> values) override;
  sql_change run(sql_text text, std::span<const sql_value> values) override;
  void select_in(sql_text text, std::span<const std::int64_t> ids, const std::function<void(const sql_rows&)>& take) override;
  std::size_t run_in(std::span<const sql_text> texts, std::span<const std::int64_t> ids) override;

  session& own_;
  mysql::log_paths log_;
  mysql_edited_schedule schedule_;
};

} // namespace ringmaster::storage::mysql
