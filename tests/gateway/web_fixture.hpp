#pragma once

// A whole gateway with doubles of all actors that users' requests are passed on to.

#include "tests/gateway/admin_doubles.hpp"
#include "tests/gateway/alarm_actor_double.hpp"
#include "tests/gateway/alarm_tester_double.hpp"
#include "tests/gateway/figure_keeper_double.hpp"
#include "tests/gateway/doctor_double.hpp"
#include "tests/gateway/elastic_admin_double.hpp"
#include "tests/gateway/gateway_fixture.hpp"
#include "tests/gateway/task_runner_double.hpp"

namespace ringmaster::test {

/// Change settings first (`web`, `server`), then call `open`.
class web_fixture : public gateway_fixture {
public:
  web_fixture() {
    server.language = "en";
    web.settings.dialect = "auto";
  }

  static std::string cookie_2(const std::string& session) { return "Cookie: XXL_JOB_LOGIN_IDENTITY=" + session + "\r\n"; }
  static std::string cookie_3(const std::string& session) { return "Cookie: xxl_job_login_token=" + session + "\r\n"; }

  /// Posts a form.
  raw_socket::message submit(const std::string& target, std::string_view form, const std::string& more = "") {
    return post("/xxl-job-admin" + target, form, "Content-Type: application/x-www-form-urlencoded\r\n" + more);
  }

  std::shared_ptr<admin_script> script = std::make_shared<admin_script>();

protected:
  void add_partners(gateway::gateway_partners& partners) override {
    partners.jobs = spawn<job_admin_double, protocol::job_admin>(script);
    partners.users = spawn<user_admin_double, protocol::user_admin>(script);
    partners.groups = spawn<group_admin_double, protocol::group_admin>(script);
    partners.runs = spawn<run_admin_double, protocol::run_admin>(script);
    partners.followed_logs = spawn<log_follower_double, protocol::log_follower>(script);
    partners.alarm_tests = spawn<alarm_tester_double, protocol::alarm_tester>(script);
    partners.figures = spawn<figure_keeper_double, protocol::figure_keeper>(script);
    partners.node_checks = spawn<doctor_double, protocol::doctor>(script);
    partners.tasks = spawn<task_runner_double, protocol::task_runner>(script);
    partners.alarms = spawn<alarm_actor_double, protocol::alarm_actor>(script);
    partners.elastic = spawn<elastic_admin_double, protocol::elastic_admin>(script);
  }
};

} // namespace ringmaster::test
