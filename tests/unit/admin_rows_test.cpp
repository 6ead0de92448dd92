// Rows of XXL's lists: their fields, their dates, and that typed text stays inside its value.

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/run/run.hpp"
#include "core/run/trigger_note.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace protocol::wire;
using nlohmann::json;

namespace {

constexpr reply_style rows_zh{dialect::xxl2, core::language::zh_cn};
constexpr reply_style rows_en{dialect::xxl3, core::language::en};
/// 2018-11-03 14:21:31 UTC.
const auto row_noon = core::from_ms(1541254891000);

core::zone shanghai() { return *core::zone::find("Asia/Shanghai"); }

std::set<std::string> names_in(const json& row) {
  std::set<std::string> names;
  for (const auto& [name, value] : row.items())
    names.insert(name);
  return names;
}

core::job_record job_seven() {
  core::job_record job;
  job.id = core::job_id{7};
  job.group = core::group_id{2};
  job.name = "nightly \"report\" </script>";
  job.added = row_noon;
  job.author = "ann";
  job.alarm_email = "a@b";
  job.schedule_type = "CRON";
  job.schedule_conf = "0 0 1 * * ?";
  job.misfire = "DO_NOTHING";
  job.route = "FIRST";
  job.handler = "h";
  job.param = "a\nb";
  job.block = "SERIAL_EXECUTION";
  job.timeout_s = 3;
  job.retry_count = -1;
  job.glue_type = "GLUE_SHELL";
  job.glue_source = "echo";
  job.glue_remark = "remark";
  job.glue_updated = row_noon + core::milliseconds{7};
  job.children = "8,9";
  job.running = true;
  job.next = row_noon;
  return job;
}

core::log_row run_five() {
  core::log_row run;
  run.id = core::log_id{5'000'000'000};
  run.group = core::group_id{2};
  run.job = core::job_id{7};
  run.executor_address = "http://127.0.0.1:9999/";
  run.executor_handler = "h";
  run.executor_param = "p";
  run.executor_sharding_param = "0/2";
  run.fail_retry_count = 1;
  run.trigger_time = row_noon;
  run.trigger_code = 200;
  run.trigger_msg = "任务触发类型：Cron触发<br>";
  run.handle_time = row_noon + core::seconds{60};
  run.handle_msg = "done";
  run.alarm_status = 1;
  return run;
}

} // namespace

TEST_CASE("rows: a job has every field in either dialect", "[wire][rows]") {
  for (const auto style : {rows_zh, rows_en}) {
    const auto rows = json::parse(job_rows({job_seven(), {}}, style));
    REQUIRE(rows.size() == 2);
    CHECK(names_in(rows[0]) ==
          std::set<std::string>{"id", "jobGroup", "jobDesc", "name", "addTime", "updateTime", "author", "alarmEmail",
                                "scheduleType", "scheduleConf", "misfireStrategy", "executorRouteStrategy", "executorHandler",
                                "executorParam", "executorBlockStrategy", "executorTimeout", "executorFailRetryCount",
                                "glueType", "glueSource", "glueRemark", "glueUpdatetime", "childJobId", "triggerStatus",
                                "triggerLastTime", "triggerNextTime"});
    CHECK(names_in(rows[1]) == names_in(rows[0]));
    CHECK(rows[0]["id"] == 7);
    CHECK(rows[0]["jobGroup"] == 2);
    CHECK(rows[0]["jobDesc"] == "nightly \"report\" </script>");
    CHECK(rows[0]["name"] == rows[0]["jobDesc"]);
    CHECK(rows[0]["executorParam"] == "a\nb");
    CHECK(rows[0]["executorFailRetryCount"] == -1);
    CHECK(rows[0]["triggerStatus"] == 1);
    CHECK(rows[0]["triggerLastTime"] == 0);
    CHECK(rows[0]["triggerNextTime"] == 1541254891000);
    CHECK(rows[0]["updateTime"].is_null());
  }
  CHECK(job_rows({}, rows_zh) == "[]");
}

TEST_CASE("rows: dates are ISO 8601 up to 3.2 and plain since, of jobs and groups in UTC", "[wire][rows]") {
  const auto of_old = json::parse(job_rows({job_seven()}, rows_zh))[0];
  CHECK(of_old["addTime"] == "2018-11-03T14:21:31.000+00:00");
  CHECK(of_old["glueUpdatetime"] == "2018-11-03T14:21:31.007+00:00");
  CHECK(json::parse(job_rows({job_seven()}, rows_en))[0]["addTime"] == "2018-11-03 14:21:31");
  core::group_record group;
  group.updated = row_noon;
  CHECK(json::parse(group_row(group, rows_zh))["updateTime"] == "2018-11-03T14:21:31.000+00:00");
  CHECK(json::parse(group_row(group, rows_en))["updateTime"] == "2018-11-03 14:21:31");
  const auto run_of = [](reply_style style) { return json::parse(run_rows({run_five()}, shanghai(), style))[0]; };
  CHECK(run_of(rows_zh)["triggerTime"] == "2018-11-03T14:21:31.000+00:00");
  CHECK(run_of(rows_en)["triggerTime"] == "2018-11-03 22:21:31");
}

TEST_CASE("rows: a group has its addresses as text and as a list", "[wire][rows]") {
  core::group_record record;
  record.group = {core::group_id{3}, "app", "title <b>", core::address_type::manual, {"http://a/", "http://b/"}};
  const auto row = json::parse(group_row(record, rows_en));
  CHECK(names_in(row) == std::set<std::string>{"id", "appname", "title", "name", "addressType", "addressList", "updateTime",
                                               "registryList"});
  CHECK(row["appname"] == "app");
  CHECK(row["name"] == "title <b>");
  CHECK(row["title"] == row["name"]);
  CHECK(row["addressType"] == 1);
  CHECK(row["addressList"] == "http://a/,http://b/");
  CHECK(row["registryList"] == json::array({"http://a/", "http://b/"}));
  record.group.addresses.clear();
  record.group.type = core::address_type::automatic;
  const auto rows = json::parse(group_rows({record, record}, rows_zh));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1]["addressType"] == 0);
  CHECK(rows[1]["addressList"].is_null());
  CHECK(rows[1]["registryList"].is_null());
}

TEST_CASE("rows: a user's secrets are never included", "[wire][rows]") {
  using core::group_right;
  const core::user_card user{core::user_id{4}, "bob", false,
                             {{core::group_id{1}, group_right::editor},
                              {core::group_id{2}, group_right::viewer},
                              {core::group_id{3}, group_right::editor}}};
  const auto rows = json::parse(user_rows({user, {core::user_id{1}, "admin", true}}, rows_zh));
  CHECK(names_in(rows[0]) == std::set<std::string>{"id", "username", "password", "role", "permission", "token"});
  CHECK(rows[0]["username"] == "bob");
  CHECK(rows[0]["password"].is_null());
  CHECK(rows[0]["token"].is_null());
  CHECK(rows[0]["role"] == 0);
  CHECK(rows[0]["permission"] == "1,3");
  CHECK(rows[1]["role"] == 1);
  CHECK(rows[1]["permission"] == "");
}

TEST_CASE("rows: a run has every field, and no result before its end", "[wire][rows]") {
  auto run = run_five();
  const auto row_of = [](const core::log_row& each, reply_style style) {
    return json::parse(run_rows({each}, core::zone{}, style))[0];
  };
  const auto open = row_of(run, rows_en);
  CHECK(names_in(open) ==
        std::set<std::string>{"id", "jobGroup", "jobId", "executorAddress", "executorHandler", "executorParam",
                              "executorShardingParam", "executorFailRetryCount", "triggerTime", "triggerCode", "triggerMsg",
                              "handleTime", "handleCode", "handleMsg", "alarmStatus"});
  CHECK(open["id"] == 5'000'000'000);
  CHECK(open["executorShardingParam"] == "0/2");
  CHECK(open["triggerMsg"] == "任务触发类型：Cron触发<br>");
  auto unsent = run;
  unsent.executor_address = unsent.executor_sharding_param = "";
  CHECK(row_of(unsent, rows_en)["executorAddress"].is_null());
  CHECK(row_of(unsent, rows_en)["executorShardingParam"].is_null());
  CHECK(open["handleTime"].is_null());
  CHECK(open["handleMsg"].is_null());
  run.handle_code = 200;
  const auto over = row_of(run, rows_en);
  CHECK(over["handleTime"] == "2018-11-03 14:22:31");
  CHECK(over["handleMsg"] == "done");
}

TEST_CASE("rows: compact trigger notes are shown as XXL's text in the reader's language", "[wire][rows]") {
  auto run = run_five();
  core::trigger_note note;
  note.node_host = "node-<1>";
  note.message = "refused & <b>";
  run.trigger_msg = core::encode(note);
  run.trigger_code = 500;
  const std::string english = json::parse(run_rows({run}, core::zone{}, {dialect::xxl2, core::language::en}))[0]["triggerMsg"];
  CHECK(english.find("rm1;") == std::string::npos);
  CHECK(english.find("<br>") != std::string::npos);
  CHECK(english.find("node-&lt;1&gt;") != std::string::npos);
  CHECK(english.find("refused &amp; &lt;b&gt;") != std::string::npos);
  const std::string chinese = json::parse(run_rows({run}, core::zone{}, rows_zh))[0]["triggerMsg"];
  CHECK(chinese != english);
}

TEST_CASE("chart: existing days with their sums", "[wire][rows]") {
  const auto zone = shanghai();
  const auto midnight = [&](const char* day) { return *zone.parse(std::string{day} + " 00:00:00"); };
  const auto drawn = json::parse(chart({{midnight("2024-02-28"), {10, 2, 5}}, {midnight("2024-03-01"), {1, 0, 1}}},
                                       midnight("2024-03-05"), zone));
  CHECK(drawn == json::parse(R"({"triggerDayList":["2024-02-28","2024-03-01"],"triggerDayCountRunningList":[2,0],
    "triggerDayCountSucList":[5,1],"triggerDayCountFailList":[3,0],"triggerCountRunningTotal":2,"triggerCountSucTotal":6,
    "triggerCountFailTotal":3})"));
}

TEST_CASE("chart: without data it shows seven days of zeros, also across a clock change", "[wire][rows]") {
  const auto berlin = *core::zone::find("Europe/Berlin");
  const auto drawn = json::parse(chart({}, *berlin.parse("2024-04-02 00:00:00"), berlin));
  CHECK(drawn["triggerDayList"] == json::array({"2024-03-27", "2024-03-28", "2024-03-29", "2024-03-30", "2024-03-31",
                                                "2024-04-01", "2024-04-02"}));
  CHECK(drawn["triggerDayCountFailList"] == json::array({0, 0, 0, 0, 0, 0, 0}));
  CHECK(drawn["triggerCountSucTotal"] == 0);
}

TEST_CASE("log part: HTML is escaped except breaks and bold", "[wire][rows]") {
  const auto shown = [](std::string_view text) -> std::string { return json::parse(log_part(1, 2, text, true))["logContent"]; };
  CHECK(log_part(3, 2, "a", false) == R"({"fromLineNum":3,"toLineNum":2,"logContent":"a","end":false})");
  CHECK(json::parse(log_part(1, 2, "", true))["end"] == true);
  CHECK(shown("a<br>b <b>c</b>\n") == "a<br>b <b>c</b>\n");
  CHECK(shown("<script>alert('1')&\"</script>") == "&lt;script&gt;alert(&#39;1&#39;)&amp;&quot;&lt;/script&gt;");
  CHECK(shown("<b onclick=x>") == "&lt;b onclick=x&gt;");
  CHECK(shown("<br/><BR><") == "&lt;br/&gt;&lt;BR&gt;&lt;");
  CHECK(shown("&lt;br&gt;") == "&amp;lt;br&amp;gt;");
  CHECK(shown("<<br>>") == "&lt;<br>&gt;");
}

TEST_CASE("local times are parsed strictly", "[wire][rows]") {
  const auto zone = shanghai();
  CHECK(parse_local_time("2018-11-03 22:21:31", zone) == row_noon);
  CHECK(local_time_text(row_noon, zone) == "2018-11-03 22:21:31");
  for (const char* wrong : {"", "2018-11-03", "2018-11-03T22:21:31", "2018-11-31 00:00:00", "2018-11-03 24:00:00",
                            " 2018-11-03 22:21:31", "2018-11-03 22:21:31 ", "2018-1-03 22:21:311", "+018-11-03 22:21:31"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_local_time(wrong, zone));
  }
}
