// Texts by which XXL-JOB refuses requests (XXL admin §8.2-§8.10). Its English is concatenated without blanks.

#include <string>

#include "core/text/language.hpp"
#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::localized;
using core::refusal;

constexpr localized no_words{"", "", ""};

// `%` marks the place of the subject.

localized words_about_jobs(refusal why) noexcept {
  switch (why) {
  case refusal::choose_group: return {"请选择执行器", "請選擇執行器", "please choose Executor"};
  case refusal::job_name_empty: return {"请输入任务描述", "請輸入任務描述", "please input Job description"};
  case refusal::author_empty: return {"请输入负责人", "請輸入負責人", "please input Author"};
  // The parser's own text follows where XXL shows it.
  case refusal::schedule_type_illegal: return {"调度类型非法%", "調度類型非法%", "Schedule Typeillegal%"};
  case refusal::cron_illegal: return {"Cron非法", "Cron非法", "Cronillegal"};
  case refusal::schedule_text_missing: return {"调度类型", "調度類型", "Schedule Type"};
  case refusal::glue_type_illegal: return {"运行模式非法", "運行模式非法", "GLUE Typeillegal"};
  case refusal::handler_empty: return {"请输入JobHandler", "請輸入JobHandler", "please input JobHandler"};
  case refusal::route_illegal: return {"路由策略非法", "路由策略非法", "Route Strategyillegal"};
  case refusal::misfire_illegal: return {"调度过期策略非法", "調度過期策略非法", "Misfire strategyillegal"};
  case refusal::block_illegal: return {"阻塞处理策略非法", "阻塞處理策略非法", "Block Strategyillegal"};
  case refusal::child_illegal: return {"子任务ID(%)非法", "子任務ID(%)非法", "Child Job ID(%)illegal"};
  case refusal::child_missing: return {"子任务ID(%)不存在", "子任務ID(%)不存在", "Child Job ID(%)not exist"};
  case refusal::child_not_permitted:
    return {"子任务ID(%)权限拦截", "子任務ID(%)權限攔截", "Child Job ID(%)Permission limit"};
  case refusal::group_illegal: return {"执行器非法", "執行器非法", "Executorillegal"};
  case refusal::job_missing: return {"任务ID不存在", "任務ID不存在", "Job IDnot exist"};
  case refusal::job_id_illegal: return {"任务ID非法", "任務ID非法", "Job ID is illegal"};
  case refusal::type_disables_start:
    return {"当前调度类型禁止启动", "當前調度類型禁止啟動", "The current schedule type disables startup"};
  case refusal::choose_one: return {"请选择一条数据", "請選擇一條資料", "please choose OneData"};
  default: return no_words;
  }
}

localized words_about_runs(refusal why) noexcept {
  switch (why) {
  case refusal::choose_job: return {"请选择任务", "請選擇任務", "please choose Job"};
  case refusal::run_id_illegal: return {"日志ID非法", "日誌ID非法", "Log ID is illegal"};
  case refusal::run_not_triggered:
    return {"调度失败，无法终止日志", "調度失敗，無法終止日誌", "Trigger Fail, can not kill job"};
  case refusal::clear_type_illegal: return {"清理类型参数异常", "清理類型參數異常", "Clean type is illegal"};
  case refusal::not_glue: return {"该任务非GLUE模式", "該任務非GLUE模式", "The job is not GLUE Type"};
  case refusal::source_empty: return {"请输入GLUE源码", "請輸入GLUE源碼", "please input GLUE Source"};
  case refusal::remark_empty: return {"请输入源码备注", "請輸入源碼備註", "please input Resource Remark"};
  case refusal::remark_length:
    return {"源码备注长度限制为4~100", "源碼備註長度限制為4~100", "Resource Remark length is limited to 4~100"};
  case refusal::remark_illegal: return {"源码备注非法", "源碼備註非法", "Resource Remarkillegal"};
  default: return no_words;
  }
}

localized words_about_groups(refusal why) noexcept {
  switch (why) {
  case refusal::app_name_empty: return {"请输入AppName", "請輸入AppName", "please input AppName"};
  case refusal::app_name_length:
    return {"AppName长度限制为4~64", "AppName長度限制為4~64", "AppName length is limited to 4~64"};
  case refusal::app_name_illegal: return {"AppName非法", "AppName非法", "AppNameillegal"};
  case refusal::app_name_repeated: return {"AppName 重复", "AppName 重複", "AppName Repeat"};
  case refusal::title_empty: return {"请输入名称", "請輸入名稱", "please input Title"};
  case refusal::title_illegal: return {"名称非法", "名稱非法", "Titleillegal"};
  case refusal::addresses_empty:
    return {"手动录入注册方式，机器地址不可为空", "手動錄入註冊方式，機器位址不可為空",
            "Manually registration type, the machine address must not be empty"};
  case refusal::addresses_illegal: return {"机器地址非法", "機器位址非法", "machine addressillegal"};
  case refusal::address_form: return {"机器地址格式非法", "機器位址格式非法", "registry machine address is illegal"};
  case refusal::address_scheme:
    return {"机器地址格式非法[2]", "機器位址格式非法[2]", "registry machine address is illegal[2]"};
  case refusal::group_in_use:
    return {"拒绝删除，该执行器使用中", "拒絕刪除，該執行器使用中", "Refuse to delete, the executor is being used"};
  case refusal::last_group:
    return {"拒绝删除, 系统至少保留一个执行器", "拒絕刪除, 系統至少保留一個執行器",
            "Refuses to delete, the system retains at least one executor"};
  default: return no_words;
  }
}

localized words_about_users(refusal why) noexcept {
  switch (why) {
  case refusal::not_permitted: return {"权限拦截", "權限攔截", "Permission limit"};
  case refusal::sign_in_empty: return {"账号或密码为空", "帳號或密碼為空", "Username or password is empty"};
  case refusal::sign_in_wrong: return {"账号或密码错误", "帳號或密碼錯誤", "Username or password error"};
  case refusal::no_group_visible:
    return {"不存在有效执行器,请联系管理员", "不存在有效執行器,請聯繫管理員",
            "There is no valid executor. Please contact the administrator"};
  case refusal::user_name_empty: return {"请输入账号", "請輸入帳號", "please input Username"};
  case refusal::name_length: return {"长度限制[4-20]", "長度限制[4-20]", "Length limit[4-20]"};
  case refusal::password_empty: return {"请输入密码", "請輸入密碼", "please input Password"};
  case refusal::old_password_empty: return {"请输入旧密码", "請輸入舊密碼", "please input old password"};
  case refusal::old_password_wrong: return {"旧密码非法", "舊密碼非法", "old passwordillegal"};
  case refusal::user_repeated: return {"账号重复", "帳號重複", "Username Repeat"};
  case refusal::own_account:
    return {"禁止操作当前登录账号", "禁止操作當前登入帳號", "Operation of current login account is not allowed"};
  case refusal::password_short:
    return {"密码至少8个字符", "密碼至少8個字元", "The password must have at least 8 characters"};
  default: return no_words;
  }
}

/// A full switch, so that each new refusal must be assigned to a group.
localized words_for(refusal why) noexcept {
  using enum refusal;
  switch (why) {
  case none: case too_long: case one_shard: case elastic_name_repeated: case elastic_items_run: case option_unsupported: break;
  case choose_group: case job_name_empty: case author_empty: case schedule_type_illegal: case cron_illegal:
  case schedule_text_missing: case glue_type_illegal: case handler_empty: case route_illegal: case misfire_illegal:
  case block_illegal: case child_illegal: case child_missing: case child_not_permitted: case group_illegal: case job_missing:
  case job_id_illegal: case type_disables_start: case choose_one: return words_about_jobs(why);
  case choose_job: case run_id_illegal: case run_not_triggered: case clear_type_illegal: case not_glue: case source_empty:
  case remark_empty: case remark_length: case remark_illegal: return words_about_runs(why);
  case app_name_empty: case app_name_length: case app_name_illegal: case app_name_repeated: case title_empty:
  case title_illegal: case addresses_empty: case addresses_illegal: case address_form: case address_scheme: case group_in_use:
  case last_group: return words_about_groups(why);
  case not_permitted: case sign_in_empty: case sign_in_wrong: case no_group_visible: case user_name_empty: case name_length:
  case password_empty: case old_password_empty: case old_password_wrong: case user_repeated: case own_account:
  case password_short:
    return words_about_users(why);
  }
  return no_words;
}

} // namespace

std::string words_of(core::refusal why, std::string_view subject, reply_style style) {
  std::string words{words_for(why).in(style.language)};
  if (const auto place = words.find('%'); place != std::string::npos)
    words.replace(place, 1, subject);
  else if (why == refusal::not_permitted && !subject.empty())
    words.append("[username=").append(subject).append("]");
  return words;
}

} // namespace ringmaster::protocol::wire
