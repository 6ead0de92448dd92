#include "gateway/routes.hpp"

#include <array>

#include "gateway/handlers/v1/handlers.hpp"
#include "gateway/handlers/xxl/handlers.hpp"

namespace ringmaster::gateway {

namespace {

using enum access;
using enum dialect_set;

constexpr permission first_of_all = permission{any_user}.even_before_password_change();
constexpr std::string_view reading = "GET, POST";

constexpr std::array table_of_routes = std::to_array<route>({
  {"POST", "/api/registry", handlers::registry, executor},
  {"POST", "/api/registryRemove", handlers::registry_remove, executor},
  {"POST", "/api/callback", handlers::callback, executor},
  {"POST", "/api/addJob", handlers::add_job, executor},
  {"POST", "/api/updateJob", handlers::update_job, executor},
  {"POST", "/api/removeJob", handlers::remove_job, executor},
  {"POST", "/api/startJob", handlers::start_job, executor},
  {"POST", "/api/stopJob", handlers::stop_job, executor},
  {"POST", "/api/triggerJob", handlers::trigger_job, executor},
  {"GET", "/", handlers::start_page, anyone},
  {"GET", "/livez", handlers::livez, anyone},
  {"GET", "/readyz", handlers::readyz, anyone},
  {"GET", "/actuator/health", handlers::actuator_health, anyone},
  {"GET", "/metrics", handlers::metrics, operators},

  {"GET", "/toLogin", handlers::sign_in_page, anyone, xxl2_only, sign_in_bytes_max},
  {"POST", "/login", handlers::sign_in, anyone, xxl2_only, sign_in_bytes_max},
  {"POST", "/logout", handlers::sign_out, anyone, xxl2_only, sign_in_bytes_max},
  {"GET", "/auth/login", handlers::sign_in_page, anyone, xxl3_only, sign_in_bytes_max},
  {"POST", "/auth/doLogin", handlers::sign_in, anyone, xxl3_only, sign_in_bytes_max},
  {"POST", "/auth/logout", handlers::sign_out, anyone, xxl3_only, sign_in_bytes_max},

  {reading, "/jobinfo/pageList", handlers::job_list, viewer, both},
  {"POST", "/jobinfo/add", handlers::job_add, editor, xxl2_only},
  {"POST", "/jobinfo/insert", handlers::job_add, editor, xxl3_only},
  {"POST", "/jobinfo/update", handlers::job_update, editor, both},
  {"POST", "/jobinfo/remove", handlers::job_remove, editor, xxl2_only},
  {"POST", "/jobinfo/delete", handlers::job_remove, editor, xxl3_only},
  {"POST", "/jobinfo/start", handlers::job_start, operate, both},
  {"POST", "/jobinfo/stop", handlers::job_stop, operate, both},
  {"POST", "/jobinfo/trigger", handlers::job_trigger, operate, both},
  {reading, "/jobinfo/nextTriggerTime", handlers::next_trigger_time, any_user, both},
  {"POST", "/jobcode/save", handlers::source_save, editor, both},

  {reading, "/joblog/pageList", handlers::run_list, viewer, both},
  {reading, "/joblog/getJobsByGroup", handlers::jobs_by_group, viewer, xxl2_only},
  {reading, "/joblog/logDetailCat", handlers::log_part, viewer, both},
  {"POST", "/joblog/logKill", handlers::run_kill, operate, both},
  {"POST", "/joblog/clearLog", handlers::runs_clear, editor, both},
  {reading, "/chartInfo", handlers::chart, any_user, both},

  {reading, "/jobgroup/pageList", handlers::group_list, admin, both},
  {"POST", "/jobgroup/save", handlers::group_add, admin, xxl2_only},
  {"POST", "/jobgroup/insert", handlers::group_add, admin, xxl3_only},
  {"POST", "/jobgroup/update", handlers::group_update, admin, both},
  {"POST", "/jobgroup/remove", handlers::group_remove, admin, xxl2_only},
  {"POST", "/jobgroup/delete", handlers::group_remove, admin, xxl3_only},
  {reading, "/jobgroup/loadById", handlers::group_load, viewer, both},

  {reading, "/user/pageList", handlers::user_list, admin, both},
  {"POST", "/user/add", handlers::user_add, admin, xxl2_only},
  {"POST", "/user/insert", handlers::user_add, admin, xxl3_only},
  {"POST", "/user/update", handlers::user_update, admin, both},
  {"POST", "/user/remove", handlers::user_remove, admin, xxl2_only},
  {"POST", "/user/delete", handlers::user_remove, admin, xxl3_only},
  {"POST", "/user/updatePwd", handlers::password_change, first_of_all, xxl2_only},
  {"POST", "/auth/updatePwd", handlers::password_change, first_of_all, xxl3_only},

  {"GET", "/api/v1/openapi.json", handlers::v1::document, anyone},
  route{"GET", "/api/v1/jobs", handlers::v1::job_list, viewer}.with_query(),
  {"POST", "/api/v1/jobs", handlers::v1::job_add, editor},
  {"POST", "/api/v1/jobs/start", handlers::v1::jobs_start, operate},
  {"POST", "/api/v1/jobs/stop", handlers::v1::jobs_stop, operate},
  {"POST", "/api/v1/jobs/trigger", handlers::v1::jobs_trigger, operate},
  {"POST", "/api/v1/jobs/delete", handlers::v1::jobs_remove, editor},
  {"GET", "/api/v1/jobs/{id}", handlers::v1::job_read, viewer},
  route{"PUT", "/api/v1/jobs/{id}", handlers::v1::job_replace, editor}.with_if_match(),
  route{"DELETE", "/api/v1/jobs/{id}", handlers::v1::job_remove, editor}.with_if_match(),
  {"POST", "/api/v1/jobs/{id}/start", handlers::v1::job_start, operate},
  {"POST", "/api/v1/jobs/{id}/stop", handlers::v1::job_stop, operate},
  {"POST", "/api/v1/jobs/{id}/trigger", handlers::v1::job_trigger, operate},
  route{"GET", "/api/v1/jobs/{id}/sources", handlers::v1::source_list, viewer}.with_query(),
  {"GET", "/api/v1/jobs/{id}/sources/{version}", handlers::v1::source_read, viewer},
  route{"PUT", "/api/v1/jobs/{id}/source", handlers::v1::source_save, editor}.with_if_match(),
  route{"GET", "/api/v1/jobs/{id}/changes", handlers::v1::job_changes, viewer}.with_query(),
  {"GET", "/api/v1/jobs/{id}/declaration", handlers::v1::job_declaration, viewer},
  route{"GET", "/api/v1/jobs/{id}/timeline", handlers::v1::job_timeline, viewer}.with_query(),
  {"GET", "/api/v1/intents/{id}", handlers::v1::intent_read, viewer},

  route{"GET", "/api/v1/groups", handlers::v1::group_list, any_user}.with_query(),
  {"POST", "/api/v1/groups", handlers::v1::group_add, admin},
  {"GET", "/api/v1/groups/{id}", handlers::v1::group_read, viewer},
  route{"PUT", "/api/v1/groups/{id}", handlers::v1::group_replace, admin}.with_if_match(),
  route{"DELETE", "/api/v1/groups/{id}", handlers::v1::group_remove, admin}.with_if_match(),
  route{"GET", "/api/v1/groups/{id}/changes", handlers::v1::group_changes, viewer}.with_query(),

  route{"GET", "/api/v1/executors", handlers::v1::executor_list, viewer}.with_query(),
  {"GET", "/api/v1/executors/refused", handlers::v1::refused_list, admin},

  route{"GET", "/api/v1/export", handlers::v1::file_export, admin}.with_query(),
  {"POST", "/api/v1/apply", handlers::v1::files_apply, admin, none, apply_bytes_max},
  {"GET", "/api/v1/declared", handlers::v1::declared_list, admin},
  {"GET", "/api/v1/declared/{name}/drift", handlers::v1::declared_drift, admin},

  route{"GET", "/api/v1/runs", handlers::v1::run_list, viewer}.with_query(),
  {"POST", "/api/v1/runs/clear", handlers::v1::runs_clear, editor},
  {"POST", "/api/v1/runs/kill", handlers::v1::runs_kill, operate},
  {"POST", "/api/v1/runs/rerun", handlers::v1::runs_rerun, operate},
  {"GET", "/api/v1/tasks/{id}", handlers::v1::task_read, any_user},
  {"POST", "/api/v1/tasks/{id}/abort", handlers::v1::task_abort, any_user},
  {"GET", "/api/v1/runs/{id}", handlers::v1::run_read, viewer},
  {"GET", "/api/v1/runs/{id}/related", handlers::v1::run_related, viewer},
  route{"GET", "/api/v1/runs/{id}/log", handlers::v1::run_log, viewer}.with_query(),
  route{"GET", "/api/v1/runs/{id}/log/file", handlers::v1::run_log_file, viewer}.with_query(),
  route{"GET", "/api/v1/runs/{id}/log/search", handlers::v1::run_log_search, viewer}.with_query(),
  {"POST", "/api/v1/runs/{id}/kill", handlers::v1::run_kill, operate},
  route{"GET", "/api/v1/reports", handlers::v1::report_list, any_user}.with_query(),
  route{"GET", "/api/v1/schedule/preview", handlers::v1::schedule_preview, any_user}.with_query(),
  route{"GET", "/api/v1/schedule/forecast", handlers::v1::schedule_forecast, viewer}.with_query(),
  route{"GET", "/api/v1/schedule/forecast/counts", handlers::v1::forecast_counts, viewer}.with_query(),
  {"POST", "/api/v1/schedule/what_if", handlers::v1::schedule_what_if, viewer},
  {"GET", "/api/v1/nodes", handlers::v1::node_list, any_user},
  {"GET", "/api/v1/now", handlers::v1::now_figures, any_user},
  route{"GET", "/api/v1/search", handlers::v1::object_search, any_user}.with_query(),

  route{"GET", "/api/v1/elastic/jobs", handlers::v1::elastic_list, viewer}.with_query(),
  {"POST", "/api/v1/elastic/jobs", handlers::v1::elastic_add, editor},
  {"GET", "/api/v1/elastic/jobs/{id}", handlers::v1::elastic_read, viewer},
  route{"PUT", "/api/v1/elastic/jobs/{id}", handlers::v1::elastic_replace, editor}.with_if_match(),
  route{"DELETE", "/api/v1/elastic/jobs/{id}", handlers::v1::elastic_remove, editor}.with_if_match(),
  {"GET", "/api/v1/elastic/jobs/{id}/declaration", handlers::v1::elastic_declaration, viewer},
  {"POST", "/api/v1/elastic/preview", handlers::v1::elastic_preview, viewer},
  route{"GET", "/api/v1/elastic/jobs/{id}/items", handlers::v1::elastic_items, viewer}.with_query(),
  route{"GET", "/api/v1/elastic/jobs/{id}/history", handlers::v1::elastic_history, viewer}.with_query(),
  route{"GET", "/api/v1/elastic/jobs/{id}/plan", handlers::v1::elastic_plan, viewer}.with_query(),
  {"POST", "/api/v1/elastic/jobs/{id}/enable", handlers::v1::elastic_enable, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/disable", handlers::v1::elastic_disable, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/shutdown", handlers::v1::elastic_shutdown, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/trigger", handlers::v1::elastic_trigger, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/drain", handlers::v1::elastic_drain, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/restart", handlers::v1::elastic_restart, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/hosts/{name}/enable", handlers::v1::elastic_server_enable, operate},
  {"POST", "/api/v1/elastic/jobs/{id}/hosts/{name}/disable", handlers::v1::elastic_server_disable, operate},
  route{"GET", "/api/v1/elastic/jobs/{id}/dump", handlers::v1::elastic_dump, viewer}.with_query(),
  {"POST", "/api/v1/elastic/runs/{id}/cancel", handlers::v1::elastic_cancel, operate},
  route{"GET", "/api/v1/elastic/hosts", handlers::v1::elastic_hosts, viewer}.with_query(),
  {"POST", "/api/v1/elastic/hosts/{name}/enable", handlers::v1::elastic_host_enable, admin},
  {"POST", "/api/v1/elastic/hosts/{name}/disable", handlers::v1::elastic_host_disable, admin},
  {"POST", "/api/v1/elastic/hosts/{name}/drain", handlers::v1::elastic_host_drain, admin},
  {"POST", "/api/v1/elastic/hosts/{name}/remove", handlers::v1::elastic_host_remove, admin},
  route{"GET", "/api/v1/elastic/servers", handlers::v1::elastic_servers, viewer}.with_query(),

  {"GET", "/api/v1/alarms/channels", handlers::v1::channel_list, admin},
  route{"GET", "/api/v1/alarms/rules", handlers::v1::alarm_rule_list, admin}.with_query(),
  {"GET", "/api/v1/alarms/open", handlers::v1::open_alarm_list, admin},
  {"POST", "/api/v1/alarms/channels/{name}/test", handlers::v1::channel_test, admin},

  {"GET", "/api/v1/doctor", handlers::v1::doctor_read, admin},
  {"POST", "/api/v1/doctor", handlers::v1::doctor_start, admin},

  {"GET", "/api/v1/about", handlers::v1::about, anyone},
  {"POST", "/api/v1/session", handlers::v1::session_open, anyone, none, sign_in_bytes_max},
  {"GET", "/api/v1/session", handlers::v1::session_show, first_of_all},
  {"DELETE", "/api/v1/session", handlers::v1::session_end, first_of_all},
  route{"GET", "/api/v1/sessions", handlers::v1::session_list, any_user}.with_query(),
  {"DELETE", "/api/v1/sessions/{id}", handlers::v1::session_remove, any_user},
  route{"GET", "/api/v1/keys", handlers::v1::key_list, any_user}.with_query(),
  {"POST", "/api/v1/keys", handlers::v1::key_add, any_user},
  {"DELETE", "/api/v1/keys/{id}", handlers::v1::key_remove, any_user},

  route{"GET", "/api/v1/users", handlers::v1::user_list, admin}.with_query(),
  {"POST", "/api/v1/users", handlers::v1::user_add, admin},
  {"PUT", "/api/v1/users/me/password", handlers::v1::password_change, first_of_all},
  {"GET", "/api/v1/users/me/settings", handlers::v1::user_settings_read, any_user},
  {"PUT", "/api/v1/users/me/settings", handlers::v1::user_settings_save, any_user, none, settings_bytes_max},
  {"GET", "/api/v1/users/{id}", handlers::v1::user_read, admin},
  route{"PUT", "/api/v1/users/{id}", handlers::v1::user_replace, admin}.with_if_match(),
  route{"DELETE", "/api/v1/users/{id}", handlers::v1::user_remove, admin}.with_if_match(),
  route{"GET", "/api/v1/audit", handlers::v1::audit_list, admin}.with_query(),
});

} // namespace

std::span<const route> routes() noexcept { return table_of_routes; }

} // namespace ringmaster::gateway
