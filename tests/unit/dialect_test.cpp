// Replies to XXL's clients of both ages, word for word (XXL admin §8).

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/text/text.hpp"
#include "protocol/wire/xxl/dialect.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace protocol::wire;
using core::language;
using core::refusal;

namespace {

constexpr reply_style old_zh{dialect::xxl2, language::zh_cn};
constexpr reply_style new_zh{dialect::xxl3, language::zh_cn};
constexpr reply_style new_tc{dialect::xxl3, language::zh_tc};
constexpr reply_style new_en{dialect::xxl3, language::en};

constexpr auto last_refusal = refusal::option_unsupported;

struct words {
  refusal why;
  const char* zh;
  const char* en;
};

/// The tables of the specification, subject `7`.
const words known_words[] = {
  {refusal::choose_group, "请选择执行器", "please choose Executor"},
  {refusal::job_name_empty, "请输入任务描述", "please input Job description"},
  {refusal::author_empty, "请输入负责人", "please input Author"},
  {refusal::cron_illegal, "Cron非法", "Cronillegal"},
  {refusal::schedule_text_missing, "调度类型", "Schedule Type"},
  {refusal::glue_type_illegal, "运行模式非法", "GLUE Typeillegal"},
  {refusal::handler_empty, "请输入JobHandler", "please input JobHandler"},
  {refusal::route_illegal, "路由策略非法", "Route Strategyillegal"},
  {refusal::misfire_illegal, "调度过期策略非法", "Misfire strategyillegal"},
  {refusal::block_illegal, "阻塞处理策略非法", "Block Strategyillegal"},
  {refusal::child_illegal, "子任务ID(7)非法", "Child Job ID(7)illegal"},
  {refusal::child_missing, "子任务ID(7)不存在", "Child Job ID(7)not exist"},
  {refusal::child_not_permitted, "子任务ID(7)权限拦截", "Child Job ID(7)Permission limit"},
  {refusal::group_illegal, "执行器非法", "Executorillegal"},
  {refusal::job_missing, "任务ID不存在", "Job IDnot exist"},
  {refusal::job_id_illegal, "任务ID非法", "Job ID is illegal"},
  {refusal::type_disables_start, "当前调度类型禁止启动", "The current schedule type disables startup"},
  {refusal::choose_one, "请选择一条数据", "please choose OneData"},
  {refusal::choose_job, "请选择任务", "please choose Job"},
  {refusal::run_id_illegal, "日志ID非法", "Log ID is illegal"},
  {refusal::run_not_triggered, "调度失败，无法终止日志", "Trigger Fail, can not kill job"},
  {refusal::clear_type_illegal, "清理类型参数异常", "Clean type is illegal"},
  {refusal::not_glue, "该任务非GLUE模式", "The job is not GLUE Type"},
  {refusal::source_empty, "请输入GLUE源码", "please input GLUE Source"},
  {refusal::remark_empty, "请输入源码备注", "please input Resource Remark"},
  {refusal::remark_length, "源码备注长度限制为4~100", "Resource Remark length is limited to 4~100"},
  {refusal::remark_illegal, "源码备注非法", "Resource Remarkillegal"},
  {refusal::app_name_empty, "请输入AppName", "please input AppName"},
  {refusal::app_name_length, "AppName长度限制为4~64", "AppName length is limited to 4~64"},
  {refusal::app_name_illegal, "AppName非法", "AppNameillegal"},
  {refusal::app_name_repeated, "AppName 重复", "AppName Repeat"},
  {refusal::title_empty, "请输入名称", "please input Title"},
  {refusal::addresses_empty, "手动录入注册方式，机器地址不可为空",
   "Manually registration type, the machine address must not be empty"},
  {refusal::addresses_illegal, "机器地址非法", "machine addressillegal"},
  {refusal::address_form, "机器地址格式非法", "registry machine address is illegal"},
  {refusal::address_scheme, "机器地址格式非法[2]", "registry machine address is illegal[2]"},
  {refusal::group_in_use, "拒绝删除，该执行器使用中", "Refuse to delete, the executor is being used"},
  {refusal::last_group, "拒绝删除, 系统至少保留一个执行器", "Refuses to delete, the system retains at least one executor"},
  {refusal::not_permitted, "权限拦截[username=7]", "Permission limit[username=7]"},
  {refusal::sign_in_empty, "账号或密码为空", "Username or password is empty"},
  {refusal::sign_in_wrong, "账号或密码错误", "Username or password error"},
  {refusal::no_group_visible, "不存在有效执行器,请联系管理员",
   "There is no valid executor. Please contact the administrator"},
  {refusal::user_name_empty, "请输入账号", "please input Username"},
  {refusal::name_length, "长度限制[4-20]", "Length limit[4-20]"},
  {refusal::password_empty, "请输入密码", "please input Password"},
  {refusal::old_password_empty, "请输入旧密码", "please input old password"},
  {refusal::old_password_wrong, "旧密码非法", "old passwordillegal"},
  {refusal::user_repeated, "账号重复", "Username Repeat"},
  {refusal::own_account, "禁止操作当前登录账号", "Operation of current login account is not allowed"},
  {refusal::password_short, "密码至少8个字符", "The password must have at least 8 characters"},
};

} // namespace

TEST_CASE("dialect: refusals have XXL's words", "[wire][dialect]") {
  for (const auto& [why, zh, en] : known_words) {
    CHECK(words_of(why, "7", old_zh) == zh);
    CHECK(words_of(why, "7", new_zh) == zh);
    CHECK(words_of(why, "7", new_en) == en);
  }
  CHECK(words_of(refusal::schedule_type_illegal, "", new_zh) == "调度类型非法");
  CHECK(words_of(refusal::schedule_type_illegal, "", new_en) == "Schedule Typeillegal");
  CHECK(words_of(refusal::schedule_type_illegal, "'?' x", new_en) == "Schedule Typeillegal'?' x");
  CHECK(words_of(refusal::not_permitted, "", new_zh) == "权限拦截");
  CHECK(words_of(refusal::child_illegal, "%", new_zh) == "子任务ID(%)非法");
}

TEST_CASE("dialect: every refusal that XXL-JOB can have is translated into all languages, each distinct", "[wire][dialect]") {
  for (const auto in : {language::zh_cn, language::zh_tc, language::en}) {
    std::set<std::string> seen;
    for (int i = 0; i <= static_cast<int>(last_refusal); ++i) {
      const auto why = static_cast<refusal>(i);
      const auto text = words_of(why, "", {dialect::xxl2, in});
      CAPTURE(i);
      CAPTURE(text);
      const bool is_own = why == refusal::one_shard || why >= refusal::elastic_name_repeated;
      CHECK(text.empty() == (why == refusal::none || why == refusal::too_long || is_own));
      CHECK(core::valid_utf8(text) == text);
      CHECK(text.find('%') == std::string::npos);
      if (!text.empty())
        CHECK(seen.insert(text).second);
    }
  }
}

TEST_CASE("dialect: traditional Chinese has no simplified characters", "[wire][dialect]") {
  CHECK(words_of(refusal::choose_group, "", new_tc) == "請選擇執行器");
  CHECK(words_of(refusal::own_account, "", new_tc) == "禁止操作當前登入帳號");
  // Characters that exist only in the simplified script, three bytes each.
  const std::string simplified = "请选择执务负责调类权拦启动条据终该码备长复称录为绝删统账联输旧号机处过运误无";
  for (int i = 0; i <= static_cast<int>(last_refusal); ++i) {
    const auto text = words_of(static_cast<refusal>(i), "", new_tc);
    CAPTURE(text);
    for (std::size_t at = 0; at < simplified.size(); at += 3)
      CHECK(text.find(simplified.substr(at, 3)) == std::string::npos);
  }
}

TEST_CASE("dialect: an error shows XXL's words, else its context, and no details of internal defects", "[wire][dialect]") {
  using core::errc;
  CHECK(message_of({errc::not_found, "job 7 does not exist", refusal::job_id_illegal}, new_zh) == "任务ID非法");
  CHECK(message_of({errc::invalid_argument, "author is too long", refusal::too_long, "author"}, new_zh) == "author is too long");
  CHECK(message_of({errc::unavailable, "the store cannot be reached"}, new_en) == "the store cannot be reached");
  const auto hidden = message_of({errc::internal, "segment 7 of /var/lib"}, new_en);
  CHECK(hidden.find("/var") == std::string::npos);
  CHECK_FALSE(hidden.empty());
  CHECK_FALSE(message_of({errc::timeout, ""}, new_zh).empty());
}

TEST_CASE("dialect: replies have the shape of their age", "[wire][dialect]") {
  constexpr reply_style old_en{dialect::xxl2, language::en};
  CHECK(success(old_en) == R"({"code":200,"msg":null,"content":null})");
  CHECK(success(new_en) == R"({"code":200,"msg":"Success","data":null,"success":true})");
  CHECK(success_with("[1]", old_en) == R"({"code":200,"msg":null,"content":[1]})");
  CHECK(success_with("[1]", new_en) == R"({"code":200,"msg":"Success","data":[1],"success":true})");
  CHECK(success_text("7", old_en) == R"({"code":200,"msg":null,"content":"7"})");
  CHECK(success_text("7", new_en) == R"({"code":200,"msg":"Success","data":"7","success":true})");
  CHECK(success_message("k\"o", old_en) == R"({"code":200,"msg":"k\"o","content":null})");
  CHECK(success_message("ko", new_en) == R"({"code":200,"msg":"ko","data":null,"success":true})");
  CHECK(failure("no", old_en) == R"({"code":500,"msg":"no","content":null})");
  CHECK(failure("no", new_en) == R"({"code":500,"msg":"no","data":null,"success":false})");
  CHECK(failure("", old_en) == R"({"code":500,"msg":null,"content":null})");
  CHECK(failure("", new_en) == R"({"code":500,"msg":"Fail","data":null,"success":false})");
}

TEST_CASE("dialect: pages have the shape of their age", "[wire][dialect]") {
  CHECK(page_reply(12, R"([{"id":1}])", old_zh) == R"({"recordsTotal":12,"recordsFiltered":12,"data":[{"id":1}]})");
  CHECK(page_reply(12, R"([{"id":1}])", new_zh) ==
        R"({"code":200,"msg":"Success","data":{"offset":0,"pagesize":0,"data":[{"id":1}],"total":12},"success":true})");
}

TEST_CASE("dialect: the reply is valid JSON for any message", "[wire][dialect]") {
  const std::string hostile = std::string{"\"\\</script>\n\t\x01\xFF\0x", 18};
  for (const auto how : {old_zh, new_en})
    for (const auto& text : {failure(hostile, how), success_text(hostile, how), success_message(hostile, how)}) {
      const auto reply = nlohmann::json::parse(text, nullptr, false);
      CHECK_FALSE(reply.is_discarded());
    }
}
