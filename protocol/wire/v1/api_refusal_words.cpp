#include "protocol/wire/v1/api_refusal_words.hpp"

#include <array>
#include <utility>

namespace ringmaster::protocol::wire {

namespace {

using core::localized;
using core::refusal;

/// Words of a refusal. `%` marks the place of the subject, `$` that of the context. Without words the context is the sentence.
struct api_refusal {
  /// Member of the request; empty if the refusal is about none.
  std::string_view field;
  localized words{"$", "$", "$"};
};

api_refusal about_jobs(refusal why) noexcept {
  switch (why) {
  case refusal::choose_group: return {"group", {"执行器组不存在", "執行器組不存在", "does not exist"}};
  case refusal::job_name_empty: return {"name", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::author_empty: return {"author", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::schedule_type_illegal: case refusal::cron_illegal: return {"schedule"};
  case refusal::schedule_text_missing:
    return {"schedule", {"缺少秒数", "缺少秒數", "the fixed rate has no number of seconds"}};
  case refusal::glue_type_illegal: return {"glue_type", {"未知的值", "未知的值", "$"}};
  case refusal::handler_empty: return {"handler", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::route_illegal: return {"route", {"未知的值", "未知的值", "$"}};
  case refusal::misfire_illegal: return {"misfire", {"未知的值", "未知的值", "$"}};
  case refusal::block_illegal: return {"block", {"未知的值", "未知的值", "$"}};
  case refusal::child_illegal: return {"children", {"无效的任务 ID“%”", "無效的任務 ID「%」", "$"}};
  case refusal::child_missing: return {"children", {"任务 % 不存在", "任務 % 不存在", "job % does not exist"}};
  case refusal::group_illegal: return {"", {"执行器组不存在", "執行器組不存在", "$"}};
  case refusal::job_missing: case refusal::job_id_illegal: return {"", {"任务不存在", "任務不存在", "$"}};
  case refusal::type_disables_start:
    return {"", {"该任务没有调度时间，无法启动", "該任務沒有調度時間，無法啟動", "$"}};
  case refusal::choose_one: return {"", {"请选择一条数据", "請選擇一條資料", "$"}};
  default: return {};
  }
}

api_refusal about_runs(refusal why) noexcept {
  switch (why) {
  case refusal::choose_job: return {"job", {"请选择任务", "請選擇任務", "$"}};
  case refusal::run_id_illegal: return {"", {"执行记录不存在", "執行記錄不存在", "$"}};
  case refusal::not_glue: return {"", {"该任务没有脚本", "該任務沒有腳本", "$"}};
  case refusal::source_empty: return {"source", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::remark_empty: return {"remark", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::remark_length: return {"remark", {"须为 4 至 100 个字符", "須為 4 至 100 個字元", "must have 4 to 100 characters"}};
  case refusal::remark_illegal:
    return {"remark", {"不能包含脚本", "不能包含腳本", "must not contain < or > or text that looks like a script"}};
  default: return {};
  }
}

api_refusal about_groups(refusal why) noexcept {
  constexpr std::string_view script = "must not contain < or > or text that looks like a script";
  switch (why) {
  case refusal::app_name_empty: case refusal::app_name_length:
    return {"app_name", {"须为 4 至 64 个字符", "須為 4 至 64 個字元", "must have 4 to 64 characters"}};
  case refusal::app_name_illegal: return {"app_name", {"不能包含脚本", "不能包含腳本", script}};
  case refusal::app_name_repeated: return {"app_name", {"该 AppName 已存在", "該 AppName 已存在", "$"}};
  case refusal::title_empty: return {"title", {"不能为空", "不能為空", "must have 1 to 64 characters"}};
  case refusal::title_illegal: return {"title", {"不能包含脚本", "不能包含腳本", script}};
  case refusal::addresses_empty:
    return {"addresses", {"手动录入时须至少有一个地址", "手動錄入時須至少有一個位址", "a manual group needs at least one address"}};
  case refusal::addresses_illegal: return {"addresses", {"不能包含脚本", "不能包含腳本", script}};
  case refusal::address_form: case refusal::address_scheme:
    return {"addresses", {"地址无效，格式为 http://主机:端口/", "位址無效，格式為 http://主機:埠/", "$"}};
  case refusal::group_in_use: return {"", {"该执行器组仍有任务，无法删除", "該執行器組仍有任務，無法刪除", "$"}};
  case refusal::last_group: return {"", {"无法删除最后一个执行器组", "無法刪除最後一個執行器組", "$"}};
  default: return {};
  }
}

api_refusal about_users(refusal why) noexcept {
  switch (why) {
  case refusal::sign_in_empty: return {"", {"用户名或密码为空", "使用者名稱或密碼為空", "$"}};
  case refusal::sign_in_wrong: return {"", {"用户名或密码错误", "使用者名稱或密碼錯誤", "$"}};
  case refusal::no_group_visible:
    return {"", {"没有可见的执行器组，请联系管理员", "沒有可見的執行器組，請聯繫管理員", "$"}};
  case refusal::user_name_empty: return {"name", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::name_length: return {"", {"须为 4 至 20 个字符", "須為 4 至 20 個字元", "$"}};
  case refusal::password_empty: return {"password", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::old_password_empty: return {"old_password", {"不能为空", "不能為空", "must not be empty"}};
  case refusal::old_password_wrong: return {"old_password", {"旧密码错误", "舊密碼錯誤", "the old password is wrong"}};
  case refusal::user_repeated: return {"name", {"该用户名已存在", "該使用者名稱已存在", "the user name exists already"}};
  case refusal::own_account:
    return {"", {"不能这样修改自己的账号", "不能這樣修改自己的帳號", "$"}};
  case refusal::password_short: return {"password", {"至少 8 个字符", "至少 8 個字元", "must have at least 8 characters"}};
  default: return {};
  }
}

api_refusal about_elastic_jobs(refusal why) noexcept {
  switch (why) {
  case refusal::elastic_name_repeated: return {"name", {"该弹性任务已存在", "該彈性任務已存在", "$"}};
  case refusal::elastic_items_run:
    return {"", {"该弹性任务仍有分片项在运行或等待，请先关停", "該彈性任務仍有分片項在執行或等待，請先關停", "$"}};
  case refusal::option_unsupported: return {"", {"%: 此版本暂不支持", "%: 此版本暫不支援", "$"}};
  default: return {};
  }
}

/// A full switch, so that each new refusal must be assigned to a group.
api_refusal api_refusal_of(refusal why) noexcept {
  using enum refusal;
  switch (why) {
  // Their contexts give the reason, which no other text does.
  case none: case too_long: case one_shard: case not_permitted: case child_not_permitted: case run_not_triggered:
  case clear_type_illegal: break;
  case choose_group: case job_name_empty: case author_empty: case schedule_type_illegal: case cron_illegal:
  case schedule_text_missing: case glue_type_illegal: case handler_empty: case route_illegal: case misfire_illegal:
  case block_illegal: case child_illegal: case child_missing: case group_illegal: case job_missing: case job_id_illegal:
  case type_disables_start: case choose_one: return about_jobs(why);
  case choose_job: case run_id_illegal: case not_glue: case source_empty: case remark_empty: case remark_length:
  case remark_illegal: return about_runs(why);
  case app_name_empty: case app_name_length: case app_name_illegal: case app_name_repeated: case title_empty:
  case title_illegal: case addresses_empty: case addresses_illegal: case address_form: case address_scheme: case group_in_use:
  case last_group: return about_groups(why);
  case sign_in_empty: case sign_in_wrong: case no_group_visible: case user_name_empty: case name_length: case password_empty:
  case old_password_empty: case old_password_wrong: case user_repeated: case own_account: case password_short:
    return about_users(why);
  case elastic_name_repeated: case elastic_items_run: case option_unsupported: return about_elastic_jobs(why);
  }
  return {};
}

/// Returns the context of a text that is longer than its column, with the member's name instead of XXL's.
std::string text_too_long(const core::error& error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> members{{{"jobDesc", "name"},
    {"alarmEmail", "alarm_email"}, {"scheduleConf", "schedule"}, {"executorHandler", "handler"}, {"glueRemark", "glue_remark"},
    {"executorParam", "params"}, {"glueSource", "glue_source"}, {"childJobId", "children"}, {"addressList", "addresses"},
    {"appname", "app_name"}, {"username", "name"}, {"permission", "rights"}, {"author", "author"}}};
  std::string member = error.subject;
  for (const auto& [field, name] : members)
    if (field == error.subject)
      member = name;
  const auto begin = error.subject + " is ";
  if (error.context.starts_with(begin))
    return member + ": is " + error.context.substr(begin.size());
  return member.empty() ? error.context : member + ": " + error.context;
}

bool begins_with_field(std::string_view text, std::string_view field) noexcept {
  return text.starts_with(field) && text.substr(field.size()).starts_with(':');
}

} // namespace

std::string api_schedule_text(std::string_view detail) {
  constexpr std::string_view java = "java.lang.IllegalArgumentException: ";
  if (constexpr std::string_view begin = "Illegal cron expression format ("; detail.starts_with(begin) && detail.ends_with(')')) {
    detail = detail.substr(begin.size(), detail.size() - begin.size() - 1);
    if (detail.starts_with(java))
      detail.remove_prefix(java.size());
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> plain{{
    {"Illegal characters for this position: ", "invalid characters "},
    {"Illegal character after '?': ", "invalid character after '?': "},
    {"Unexpected character: ", "invalid character "},
    {"Unexpected character ", "invalid character "},
    {"Unexpected end of ", "it ends too early: unexpected end of "},
    {"Invalid expression has too many terms: ", "it has too many fields: "},
    {"For input string: ", "expected a whole number of seconds, not "}}};
  for (const auto& [before, after] : plain)
    if (detail.starts_with(before))
      return std::string{after}.append(detail.substr(before.size()));
  return std::string{detail};
}

std::string api_message_of(const core::error& error, core::language reader) {
  if (error.why == refusal::too_long)
    return text_too_long(error);
  const auto known = api_refusal_of(error.why);
  const bool of_schedule = known.field == "schedule";
  const auto context = of_schedule ? api_schedule_text(error.context) : error.context;
  std::string words{known.words.in(reader)};
  // At most one place each. The subject first: a context may contain a `%`.
  if (const auto place = words.find('%'); place != std::string::npos)
    words.replace(place, 1, error.subject);
  else if (const auto whole = words.find('$'); whole != std::string::npos)
    words.replace(whole, 1, context);
  if (known.field.empty() || words.empty() || begins_with_field(words, known.field))
    return words;
  return std::string{known.field} + ": " + words;
}

} // namespace ringmaster::protocol::wire
