#include "protocol/wire/texts.hpp"

#include <array>

namespace ringmaster::protocol::wire {

namespace {

using row = std::array<std::string_view, language_count>;

/// zh_CN and en are XXL's own wording (Admin §5, §7, §8), spelling included; zh_TC follows zh_CN.
constexpr row table[] = {
    // What a log row says about its trigger and its result.
    {"调度失败：执行器地址为空", "調度失敗：執行器地址為空", "Trigger Fail：registry address is empty"},
    {"任务结果丢失，标记失败", "任務結果丟失，標記失敗", "Job result lost, marked as failure"},
    {"人为操作，主动终止", "人為操作，主動終止", "Manual operation, kill job"},
    {"调度失败，无法终止日志", "調度失敗，無法終止日誌", "Trigger Fail, can not kill job"},
    {"任务发起调度失败，无法查看执行日志", "任務發起調度失敗，無法查看執行日誌", "The job trigger fail, can not view the rolling log"},
    {"任务触发类型", "任務觸發類型", "Job trigger type"},
    {"调度机器", "調度機器", "Trigger machine address"},
    {"执行器-注册方式", "執行器-註冊方式", "Execotor-Registry Type"},
    {"自动注册", "自動註冊", "Automatic registration"},
    {"手动录入", "手動錄入", "Manual registration"},
    {"执行器-地址列表", "執行器-地址列表", "Execotor-Registry Address"},
    {"路由策略", "路由策略", "Route Strategy"},
    {"阻塞处理策略", "阻塞處理策略", "Block Strategy"},
    {"任务超时时间", "任務超時時間", "Job timeout period"},
    {"失败重试次数", "失敗重試次數", "Fail Retry Count"},
    {"触发调度", "觸發調度", "Trigger Job"},
    {"触发子任务", "觸發子任務", "Trigger child job"},
    {"失败重试触发", "失敗重試觸發", "Fail retry trigger"},
    {"心跳检测", "心跳檢測", "Heartbeats"},
    {"空闲检测", "空閒檢測", "Idle check"},
    // Kinds of trigger.
    {"Cron触发", "Cron觸發", "Cron trigger"},
    {"手动触发", "手動觸發", "Manual trigger"},
    {"父任务触发", "父任務觸發", "Parent job trigger"},
    {"API触发", "API觸發", "Api trigger"},
    {"失败重试触发", "失敗重試觸發", "Fail retry trigger"},
    {"调度过期补偿", "調度過期補償", "Misfire compensation trigger"},
    // Titles of choices.
    {"第一个", "第一個", "First"},
    {"最后一个", "最後一個", "Last"},
    {"轮询", "輪詢", "Round"},
    {"随机", "隨機", "Random"},
    {"一致性HASH", "一致性HASH", "Consistent Hash"},
    {"最不经常使用", "最不經常使用", "Least Frequently Used"},
    {"最近最久未使用", "最近最久未使用", "Least Recently Used"},
    {"故障转移", "故障轉移", "Failover"},
    {"忙碌转移", "忙碌轉移", "Busyover"},
    {"分片广播", "分片廣播", "Sharding Broadcast"},
    {"单机串行", "單機串行", "Serial execution"},
    {"丢弃后续调度", "丟棄後續調度", "Discard Later"},
    {"覆盖之前调度", "覆蓋之前調度", "Cover Early"},
    {"无", "無", "None"},
    {"CRON", "CRON", "Cron"},
    {"固定速度", "固定速度", "Fix rate"},
    {"忽略", "忽略", "Do nothing"},
    {"立即执行一次", "立即執行一次", "Fire once now"},
    // Refusals of an edit.
    {"请选择执行器", "請選擇執行器", "please choose Executor"},
    {"请输入任务描述", "請輸入任務描述", "please input Job description"},
    {"请输入负责人", "請輸入負責人", "please input Author"},
    {"调度类型非法", "調度類型非法", "Schedule Typeillegal"},
    {"Cron非法", "Cron非法", "Cronillegal"},
    {"运行模式非法", "運行模式非法", "GLUE Typeillegal"},
    {"请输入JobHandler", "請輸入JobHandler", "please input JobHandler"},
    {"路由策略非法", "路由策略非法", "Route Strategyillegal"},
    {"调度过期策略非法", "調度過期策略非法", "Misfire strategyillegal"},
    {"阻塞处理策略非法", "阻塞處理策略非法", "Block Strategyillegal"},
    {"执行器非法", "執行器非法", "Executorillegal"},
    {"任务ID不存在", "任務ID不存在", "Job IDnot exist"},
    {"任务ID非法", "任務ID非法", "Job ID is illegal"},
    {"当前调度类型禁止启动", "當前調度類型禁止啟動", "The current schedule type disables startup"},
    {"请选择一条数据", "請選擇一條數據", "please choose OneData"},
    {"请输入AppName", "請輸入AppName", "please input AppName"},
    {"AppName长度限制为4~64", "AppName長度限制為4~64", "AppName length is limited to 4~64"},
    {"AppName非法", "AppName非法", "AppNameillegal"},
    {"请输入名称", "請輸入名稱", "please input Title"},
    {"手动录入注册方式，机器地址不可为空", "手動錄入註冊方式，機器地址不可為空",
     "Manually registration type, the machine address must not be empty"},
    {"机器地址格式非法", "機器地址格式非法", "registry machine address is illegal"},
    {"拒绝删除，该执行器使用中", "拒絕刪除，該執行器使用中", "Refuse to delete, the executor is being used"},
    {"拒绝删除, 系统至少保留一个执行器", "拒絕刪除, 系統至少保留一個執行器",
     "Refuses to delete, the system retains at least one executor"},
    {"日志ID非法", "日誌ID非法", "Log ID is illegal"},
    {"清理类型参数异常", "清理類型參數異常", "Clean type is illegal"},
    {"子任务ID", "子任務ID", "Child Job ID"},
    {"非法", "非法", "illegal"},
    {"不存在", "不存在", "not exist"},
    {"权限拦截", "權限攔截", "Permission limit"},
    // Results.
    {"成功", "成功", "success"},
    {"失败", "失敗", "fail"},
    {"进行中", "進行中", "Running"},
    {"全部", "全部", "All"},
    {"失败(超时)", "失敗(超時)", "Timeout"},
    {"操作成功", "操作成功", "operate success"},
    {"操作失败", "操作失敗", "operate fail"},
};

static_assert(std::size(table) == static_cast<std::size_t>(text_key::operate_fail) + 1,
              "one row per key, in the order of text_key");

} // namespace

std::string mapping_not_found(std::string_view operation) {
  return std::string{"invalid request, uri-mapping("}.append(operation).append(") not found.");
}

std::optional<language> find_language(std::string_view name) noexcept {
  if (name == "zh_CN")
    return language::zh_cn;
  if (name == "zh_TC")
    return language::zh_tc;
  if (name == "en")
    return language::en;
  return std::nullopt;
}

std::string_view text(text_key key, language in) noexcept {
  return table[static_cast<std::size_t>(key)][static_cast<std::size_t>(in)];
}

} // namespace ringmaster::protocol::wire
