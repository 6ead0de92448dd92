#include "gateway/routes.hpp"

#include <array>

#include "gateway/handlers/executor_handlers.hpp"
#include "gateway/handlers/group_handlers.hpp"
#include "gateway/handlers/health_handlers.hpp"
#include "gateway/handlers/job_handlers.hpp"
#include "gateway/handlers/open_api_handlers.hpp"
#include "gateway/handlers/run_handlers.hpp"
#include "gateway/handlers/sign_in_handlers.hpp"
#include "gateway/handlers/user_handlers.hpp"

namespace ringmaster::gateway {

namespace {

using enum access;
using enum spoken;

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
  {"GET", "/livez", handlers::livez, anyone},
  {"GET", "/readyz", handlers::readyz, anyone},
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
});

} // namespace

std::span<const route> routes() noexcept { return table_of_routes; }

} // namespace ringmaster::gateway
