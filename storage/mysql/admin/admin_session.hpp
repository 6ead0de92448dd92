#pragma once

#include <exception>

#include "storage/admin/admin_session.hpp"
#include "storage/mysql/admin/edited_schedule.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/runs/log_paths.hpp"

namespace ringmaster::storage::mysql {

/// A session for the roles of `storage/admin`.
class mysql_admin_session final : public admin_session {
public:
  explicit mysql_admin_session(session& own) : own_{own}, log_{own}, schedule_{own} {}

  core::result<void> attempt(const std::function<void()>& ask) override;
  bool write_once(const std::function<bool()>& exists, const std::function<void()>& write) override;
  void hold_edits() override;
  core::result<void> check_current(const core::node_incarnation& owner) override { return own_.check_current(owner); }
  core::result<core::password_form> password_form() override;
  core::result<core::cluster_mode> mode() override;
  core::result<core::cluster_mode> begin_edit() override;
  [[nodiscard]] xxl_facts facts() const override;
  [[nodiscard]] bool may_have_java_runs() override;
  datetime_text& dates() override { return own_.dates; }
  run_paths& log_paths() override { return log_; }
  std::unique_ptr<job_paths> paths_of(const core::job_search& search,
                                      const std::optional<std::vector<core::group_id>>& groups) override;
  std::vector<core::held_alarm> alarm_rules() override { return read_alarm_rules(own_.db); }
  edited_schedule& schedule() override { return schedule_; }
  [[nodiscard]] const core::zone& schedule_zone() const override { return own_.schedule_zone; }
  std::vector<core::log_id> held_runs(const core::log_range& range) override;

private:
  core::result<void> begin(work what, const std::function<core::result<void>()>& body) override;
  core::result<void> at_one_moment(const std::function<core::result<void>()>& body);
  sql_rows select(sql_text text, std::span<const sql_value> values) override;
  sql_change run(sql_text text, std::span<const sql_value> values) override;
  void select_in(sql_text text, std::span<const std::int64_t> ids, const std::function<void(const sql_rows&)>& take) override;
  std::size_t run_in(std::span<const sql_text> texts, std::span<const std::int64_t> ids) override;
  void select_rows(sql_text text, std::span<const sql_value> keys, std::size_t width,
                   const std::function<void(const sql_rows&)>& take) override;
  std::vector<std::int64_t> run_rows(sql_text text, std::span<const sql_value> values, std::size_t width) override;
  std::size_t set_rows(sql_text text, std::span<const std::int64_t> ids, std::span<const sql_value> values,
                       std::size_t width) override;

  session& own_;
  mysql::log_paths log_;
  mysql_edited_schedule schedule_;
  /// The failure of `attempt` in the present snapshot.
  std::exception_ptr failure_;
};

} // namespace ringmaster::storage::mysql
