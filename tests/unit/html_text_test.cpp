// Stored text never becomes HTML in a console, except breaks, bold and colours.

#include "tests/support/catch.hpp"

#include <array>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "core/run/trigger_note.hpp"
#include "protocol/wire/xxl/admin_rows.hpp"
#include "protocol/wire/xxl/html_text.hpp"

using namespace ringmaster;
using namespace protocol::wire;
using nlohmann::json;

namespace {

constexpr reply_style early_zh{dialect::xxl2, core::language::zh_cn};
constexpr reply_style later_en{dialect::xxl3, core::language::en};

const std::array<std::string, 36> payloads{
  "<script>alert(1)</script>",
  "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  "<img/src=x/onerror=alert(1)//",
  "<svg onload=alert(1)>",
  "<svg/onload=alert(1)//",
  "<body onload=alert(1)>",
  "<iframe src=\"javascript:alert(1)\"></iframe>",
  "<a href='javascript:alert(1)'>x</a>",
  "<b onmouseover=alert(1)>x</b>",
  "<b\tonclick=alert(1)>x</b>",
  "<br onclick=alert(1)>",
  "<br/onclick=alert(1)>",
  "<br><script>alert(1)</script><br>",
  "<<br>script>alert(1)<</b>/script>",
  "<span style=\"color:#00c0ef;\" onclick=\"alert(1)\">x</span>",
  "<span style=\"color:#00c0ef;background:url(//evil.example)\">x</span>",
  "<span style=\"color:#xyz;\">x</span>",
  "<span style=\"color:#0123456789;\">x</span>",
  "<span style='color:#00c0ef;'>x</span>",
  "<span style=\"color:#00c0ef;\"x>y</span>",
  "<span style=\"color:#;\">x</span>",
  "<span class=x>y</span>",
  "<SPAN STYLE=\"color:#00c0ef;\">x</SPAN>",
  "<style>*{background:url(//evil.example)}</style>",
  "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
  "<form action=//evil.example><button>x</button></form>",
  "<details open ontoggle=alert(1)>",
  "\"><script>alert(1)</script>",
  "' onfocus=alert(1) autofocus='",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "<!--><script>alert(1)</script>-->",
  "<",
  "</script><script>alert(1)</script>",
};

/// Returns true if, without the allowed tags and the angle brackets of XXL's titles, there is neither a tag nor a quote that ends
/// an attribute.
bool is_safe(const std::string& html) {
  static const std::regex stays{"<<<<<<<<<<< </span>|<br>|<br/>|<b>|</b>|</span>|<span style=\"color:#[0-9a-fA-F]{3,8};\" ?>"};
  return std::regex_replace(html, stays, " ").find_first_of("<\"'") == std::string::npos;
}

core::log_row run_with(const std::string& text) {
  core::log_row run;
  run.executor_address = run.executor_handler = run.executor_param = run.executor_sharding_param = text;
  run.trigger_msg = run.handle_msg = text;
  run.handle_code = 500;
  return run;
}

} // namespace

TEST_CASE("no stored text becomes HTML in a row of a run", "[wire][rows][safety]") {
  for (const auto& payload : payloads)
    for (const auto how : {early_zh, later_en}) {
      CAPTURE(payload);
      const auto row = json::parse(run_rows({run_with(payload)}, core::zone{}, how))[0];
      CHECK(is_safe(row["triggerMsg"]));
      CHECK(row["handleMsg"] == payload); // data, as XXL-JOB sends it
      for (const auto* field : {"executorAddress", "executorHandler", "executorParam", "executorShardingParam"})
        CHECK(row[field] == payload);
      CHECK(is_safe(json::parse(log_part(1, 2, payload, true))["logContent"]));
    }
}

TEST_CASE("no value of a trigger note becomes HTML", "[wire][rows][safety]") {
  for (const auto& payload : payloads)
    for (const auto how : {early_zh, later_en}) {
      CAPTURE(payload);
      auto run = run_with(payload);
      core::trigger_note note;
      note.node_host = note.message = payload;
      run.trigger_msg = core::encode(note);
      run.trigger_code = 500;
      CHECK(is_safe(json::parse(run_rows({run}, core::zone{}, how))[0]["triggerMsg"]));
    }
}

TEST_CASE("texts of jobs, groups and users are not HTML and stay unchanged", "[wire][rows][safety]") {
  for (const auto& payload : payloads)
    for (const auto how : {early_zh, later_en}) {
      CAPTURE(payload);
      core::job_record job;
      job.name = job.author = job.alarm_email = job.schedule_type = job.schedule_conf = job.misfire = job.route = payload;
      job.handler = job.param = job.block = job.glue_type = job.glue_source = job.glue_remark = job.children = payload;
      const auto row = json::parse(job_rows({job}, how))[0];
      for (const auto* field :
           {"jobDesc", "name", "author", "alarmEmail", "scheduleType", "scheduleConf", "misfireStrategy",
            "executorRouteStrategy", "executorHandler", "executorParam", "executorBlockStrategy", "glueType", "glueSource",
            "glueRemark", "childJobId"})
        CHECK(row[field] == payload);
      core::group_record group;
      group.group.app_name = group.group.title = payload;
      group.group.addresses = {payload};
      const auto of_group = json::parse(group_row(group, how));
      for (const auto* field : {"appname", "title", "name", "addressList"})
        CHECK(of_group[field] == payload);
      CHECK(of_group["registryList"] == json::array({payload}));
      core::user_card user;
      user.name = payload;
      CHECK(json::parse(user_rows({user}, how))[0]["username"] == payload);
    }
}

TEST_CASE("markup that admins write is kept", "[wire][rows]") {
  // In XXL-JOB's stored form.
  const std::string title = "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br>";
  CHECK(safe_html(title, html_from::trigger) == title);
  const std::string banner = "<br><br><span style=\"color:#00c0ef;\" > &gt;&gt;Trigger&lt;&lt; </span><br/>a &amp; b &#39;";
  CHECK(safe_html(banner, html_from::trigger) == banner);
  CHECK(safe_html("<span style=\"color:#F39C12;\"> >>x<< </span>", html_from::trigger) ==
        "<span style=\"color:#F39C12;\"> >>x&lt;&lt; </span>");
  CHECK(safe_html("<<<<<<<<<<<<script>", html_from::trigger).find('<') == std::string::npos);
  CHECK(safe_html("a<br><b>c</b> > d", html_from::log) == "a<br><b>c</b> &gt; d");
  CHECK(safe_html("a &lt; b", html_from::log) == "a &amp;lt; b");
  CHECK(safe_html("<span style=\"color:#00c0ef;\" >", html_from::log) == "&lt;span style=&quot;color:#00c0ef;&quot; &gt;");
  CHECK(safe_html("", html_from::log).empty());
}

TEST_CASE("a result in JSON is unescaped", "[wire][rows]") {
  core::log_row run;
  run.handle_code = 200;
  run.handle_msg = R"({"a":1,"b":"<x> & 'y'"})";
  for (const auto how : {early_zh, later_en})
    CHECK(json::parse(run_rows({run}, core::zone{}, how))[0]["handleMsg"] == run.handle_msg);
}
