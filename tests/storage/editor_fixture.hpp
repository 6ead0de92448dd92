#pragma once

// Groups, users and drafts for tests of edits by users.

#include <string>
#include <vector>

#include "storage/edit_store.hpp"
#include "tests/storage/deploy_fixture.hpp"

namespace ringmaster::test {

/// Additions to `base`: two groups and helpers for edits.
template <class Base>
struct editing : Base {
  explicit editing(const test_backend& backend) : Base{backend} {
    pay = add_group("pay-worker");
    mail = add_group("mail-worker");
  }

  storage::job_editor& editor() { return this->store->job_editing(); }

  core::group_id add_group(const std::string& app_name) {
    this->db->exec("INSERT INTO xxl_job_group (app_name, title, address_type) VALUES ('" + app_name + "', '"
                   + app_name.substr(0, 4) + "', 0)");
    return core::group_id{std::stoi(this->db->value("SELECT id FROM xxl_job_group WHERE app_name = '" + app_name + "'"))};
  }

  /// Returns the values that XXL's console sends for a job of the first group.
  core::job_draft draft() const {
    core::job_draft out;
    out.group = pay;
    out.name = "Settle";
    out.author = "ops";
    out.alarm_email = "ops@example.com";
    out.schedule_type = "CRON";
    out.schedule_conf = "0 0 1 * * ?";
    out.misfire = "DO_NOTHING";
    out.route = "FIRST";
    out.block = "SERIAL_EXECUTION";
    out.handler = "settleHandler";
    out.param = "x=1";
    out.timeout_s = 30;
    out.retry_count = 2;
    out.glue_type = "BEAN";
    return out;
  }
  core::job_draft script() const {
    auto out = draft();
    out.glue_type = "GLUE_SHELL";
    out.glue_source = "echo 1\r\n";
    out.glue_remark = "first one";
    return out;
  }

  core::job_id add(const core::job_draft& wanted) { return require(editor().add(wanted, core::local_operator(), noon)); }
  core::job_id add() { return add(draft()); }
  core::job_edit update(core::job_id job, const core::job_draft& wanted, core::time_point now = noon) {
    return require(editor().update(job, wanted, {}, core::local_operator(), now));
  }
  core::job_record record(core::job_id job) { return require(editor().read(job, core::local_operator())); }
  core::scheduled_job stored(core::job_id job) { return require(this->firings().read_jobs({&job, 1})).at(0); }

  /// Returns a user who has only `right` in `group`.
  static core::principal user(core::group_id group, core::group_right right = core::group_right::editor) {
    return {core::user_id{5}, "tom", false, {{group, right}}, "10.0.0.9"};
  }

  std::string of(const std::string& column, core::job_id job) {
    return this->db->value("SELECT " + column + " FROM xxl_job_info WHERE id = " + std::to_string(core::number(job)));
  }
  /// Returns `user action object id` of the last change.
  std::string last_audit() {
    const auto row =
      this->db->query("SELECT user_name, action, object, object_id FROM rm_audit ORDER BY id DESC LIMIT 1").at(0);
    return row[0] + ' ' + row[1] + ' ' + row[2] + ' ' + row[3];
  }

  core::group_id pay{};
  core::group_id mail{};
};

/// Returns the refusal of a call that must fail.
template <class T>
core::refusal why(const core::result<T>& result) {
  REQUIRE_FALSE(result);
  CHECK_FALSE(result.error().context.empty());
  return result.error().why;
}

inline std::string text_of(core::job_id job) { return std::to_string(core::number(job)); }

} // namespace ringmaster::test
