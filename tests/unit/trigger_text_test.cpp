// The trigger message for users.

#include <algorithm>
#include <string>
#include <vector>

#include "core/run/trigger_text.hpp"
#include "core/text/result_text.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/xxl/texts.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

trigger_story sample_story() {
  trigger_story story;
  story.note = {trigger_kind::cron, "10.0.0.1", route_strategy::round, {}, block_strategy::serial_execution, 30, 3};
  story.addresses = "http://a:9999/,http://b:9999/";
  story.address = "http://b:9999/";
  story.handler = "demoJobHandler";
  story.param = "p";
  return story;
}

/// Returns the UTF-16 units of valid UTF-8: a character outside the basic plane has four bytes and counts twice.
std::size_t units(std::string_view text) {
  return count_characters(text) + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0xF0;
         }));
}

} // namespace

TEST_CASE("the text of the newer admins", "[unit][trigger_text]") {
  auto story = sample_story();
  CHECK(trigger_text(story, language::zh_cn, trigger_tail::remark) ==
        "任务触发类型：Cron触发<br>调度机器：10.0.0.1<br>执行器-注册方式：自动注册<br>执行器-地址列表：[http://a:9999/, "
        "http://b:9999/]<br>路由策略：轮询<br>阻塞处理策略：单机串行<br>任务超时时间：30<br>失败重试次数：3"
        "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>"
        "<br>执行器地址：http://b:9999/<br>JobHandler：demoJobHandler<br>任务参数：p<br>调度备注：pending");
  story.code = 200;
  CHECK(trigger_text(story, language::zh_cn, trigger_tail::remark).ends_with("<br>调度备注：success"));
  story.code = 500;
  CHECK(trigger_text(story, language::en, trigger_tail::remark).ends_with("<br>Trigger remark：fail"));
  story.note.message = "block strategy effect：Discard Later";
  CHECK(trigger_text(story, language::zh_tc, trigger_tail::remark)
          .ends_with("<br>調度備註：error, block strategy effect：Discard Later"));
  story.address = {};
  CHECK(trigger_text(story, language::en, trigger_tail::remark).find("<br>Executor address：address route fail.<br>") !=
        std::string::npos);
  story.route_note = "no executor is alive";
  CHECK(trigger_text(story, language::en, trigger_tail::remark)
          .find("<br>Executor address：address route fail, no executor is alive<br>") != std::string::npos);
}

TEST_CASE("the text of the older admins", "[unit][trigger_text]") {
  auto story = sample_story();
  story.manual_addresses = true;
  story.addresses.reset();
  story.note.route = route_strategy::sharding_broadcast;
  story.note.part = {1, 3, true};
  story.route_note = "Heartbeats";
  CHECK(trigger_text(story, language::en, trigger_tail::answer) ==
        "Job trigger type：Cron trigger<br>Trigger machine address：10.0.0.1<br>Execotor-Registry Type：Manual registration"
        "<br>Execotor-Registry Address：null<br>Route Strategy：Sharding Broadcast(1/3)<br>Block Strategy：Serial execution"
        "<br>Job timeout period：30<br>Fail Retry Count：3"
        "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br>"
        "Heartbeats<br><br>Trigger Job：<br>address：http://b:9999/<br>code：---<br>msg：");
  story.code = 500;
  story.note.message = "refused";
  CHECK(trigger_text(story, language::zh_cn, trigger_tail::answer)
          .ends_with("触发调度：<br>address：http://b:9999/<br>code：500<br>msg：refused"));
  story.code = 200;
  story.note.message.clear();
  CHECK(trigger_text(story, language::zh_cn, trigger_tail::answer).ends_with("<br>code：200<br>msg："));
}

TEST_CASE("a success replaces the end of a text in place", "[unit][trigger_text]") {
  for (auto tail : {trigger_tail::answer, trigger_tail::remark}) {
    CHECK(pending_end(tail).size() == success_end(tail).size());
    CHECK(count_characters(pending_end(tail)) == count_characters(success_end(tail)));
    CHECK(answered_end(200, "", tail) == success_end(tail));
    for (auto reader : {language::zh_cn, language::zh_tc, language::en}) {
      auto story = sample_story();
      auto text = trigger_text(story, reader, tail);
      REQUIRE(text.ends_with(pending_end(tail)));
      text.replace(text.size() - pending_end(tail).size(), std::string::npos, success_end(tail));
      story.code = 200;
      CHECK(text == trigger_text(story, reader, tail));
    }
  }
}

TEST_CASE("external text never becomes markup", "[unit][trigger_text]") {
  CHECK(escaped_html("<a href=\"x\" b='y'>&</a>", 1000) ==
        "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  auto story = sample_story();
  const std::string evil = "<script>alert('x')</script>";
  story.note.node_host = story.note.message = evil;
  story.addresses = story.address = story.route_note = story.handler = story.param = evil;
  story.code = 500;
  for (auto tail : {trigger_tail::answer, trigger_tail::remark})
    CHECK(trigger_text(story, language::en, tail).find("<script") == std::string::npos);
  const std::vector<child_start> children{{evil, false}};
  CHECK(child_text(children, language::en, trigger_tail::remark).find("<script") == std::string::npos);
}

TEST_CASE("long values are cut, never in the middle of an entity", "[unit][trigger_text]") {
  CHECK(escaped_html("abcd", 4) == "abcd");
  CHECK(escaped_html("abcde", 4) == "abc…");
  CHECK(escaped_html("a<b", 5) == "a…");
  CHECK(escaped_html("a<b", 6) == "a&lt;b");
  CHECK(escaped_html("😀😀", 3) == "😀…");
  CHECK(escaped_html("abc", 0).empty());
  CHECK(escaped_html("a\xff", 9) == "a\xEF\xBF\xBD");
  for (const std::string& piece : {std::string{"\""}, std::string{"任"}, std::string{"😀"}, std::string{"x,"}}) {
    std::string huge;
    while (huge.size() < 300'000)
      huge += piece;
    auto story = sample_story();
    story.note.node_host = story.note.message = huge;
    story.addresses = story.address = story.route_note = story.handler = story.param = huge;
    story.code = 500;
    for (auto tail : {trigger_tail::answer, trigger_tail::remark}) {
      const auto text = trigger_text(story, language::en, tail);
      CHECK(units(text) <= message_units_max);
      CHECK(valid_utf8(text) == text);
      CHECK(text.size() <= 65'535);
    }
  }
}

TEST_CASE("the blocks after a text", "[unit][trigger_text]") {
  CHECK(retry_text(language::zh_cn, trigger_tail::answer) ==
        "<br><br><span style=\"color:#F39C12;\" > >>>>>>>>>>>失败重试触发<<<<<<<<<<< </span><br>");
  CHECK(retry_text(language::zh_cn, trigger_tail::remark) ==
        "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>失败重试触发<<<<<<<<<<< </span><br>");
  const std::vector<child_start> children{{"7", true}, {"x", false}};
  CHECK(child_text(children, language::zh_cn, trigger_tail::remark) ==
        "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发子任务<<<<<<<<<<< </span><br>"
        "1/2 [任务ID=7], 触发成功, 触发备注: Success <br>2/2 [任务ID=x], 触发失败, 触发备注: 任务ID格式错误 <br>");
  CHECK(child_text({}, language::en, trigger_tail::remark).empty());
  // Up to 3.1 the answer of a trigger has no message.
  CHECK(child_text(std::vector<child_start>{{"7", true}}, language::en, trigger_tail::answer) ==
        "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger child job<<<<<<<<<<< </span><br>"
        "1/1 [Job ID=7], Trigger success, Trigger msg: null <br>");
}

TEST_CASE("a group without addresses is reported in the reader's language", "[unit][trigger_text]") {
  const std::string_view stored = ringmaster::protocol::wire::log_text::address_empty;
  CHECK(trigger_reason(stored, language::en) == stored);
  CHECK(trigger_reason(stored, language::zh_cn) == "调度失败：执行器地址为空");
  CHECK(trigger_reason("调度失败：执行器地址为空", language::zh_tc) == "調度失敗：執行器地址為空");
  CHECK(trigger_reason("refused", language::zh_cn) == "refused");
  auto story = sample_story();
  story.address = {};
  story.route_note = story.note.message = stored;
  story.code = 500;
  for (auto tail : {trigger_tail::answer, trigger_tail::remark}) {
    const auto text = trigger_text(story, language::zh_cn, tail);
    CHECK(text.find("调度失败：执行器地址为空") != std::string::npos);
    CHECK(text.find("registry address is empty") == std::string::npos);
  }
}

TEST_CASE("a result lists every entry of the list of children except the job itself", "[unit][trigger_text]") {
  job parent;
  parent.id = job_id{3};
  CHECK_FALSE(result_with_children("done", parent, language::en, trigger_tail::remark));
  parent.child_jobs = "3";
  CHECK_FALSE(result_with_children("done", parent, language::en, trigger_tail::remark));
  parent.child_jobs = "7,3,x,-5";
  const auto text = result_with_children("done", parent, language::en, trigger_tail::remark).value();
  CHECK(text.starts_with("done<br><br><span "));
  CHECK(text.ends_with("1/3 [Job ID=7], Trigger success, Trigger msg: Success <br>"
                       "2/3 [Job ID=x], Trigger Fail, Trigger msg: Job ID is illegal <br>"
                       "3/3 [Job ID=-5], Trigger Fail, Trigger msg: Job ID is illegal <br>"));
  const auto cut = result_with_children(std::string(message_units_max, 'x'), parent, language::en, trigger_tail::remark).value();
  CHECK(cut.size() == message_units_max);
}

TEST_CASE("languages have XXL's names", "[unit][trigger_text]") {
  for (auto reader : {language::zh_cn, language::zh_tc, language::en})
    CHECK(find_language(stored_name(reader)) == reader);
  CHECK_FALSE(find_language("zh_cn"));
  CHECK_FALSE(find_language(""));
}

TEST_CASE("requested addresses precede those of the group", "[unit][trigger_text]") {
  trigger_story story;
  story.addresses = "http://group/";
  CHECK(trigger_text(story, language::en, trigger_tail::remark).find("Automatic registration<br>") != std::string::npos);
  story.note.addresses = "http://a/,http://b/";
  const auto text = trigger_text(story, language::en, trigger_tail::remark);
  CHECK(text.find("Manual registration<br>") != std::string::npos);
  CHECK(text.find("Registry Address：[http://a/, http://b/]<br>") != std::string::npos);
  CHECK(text.find("group") == std::string::npos);
}

TEST_CASE("a result of the server is shown in the reader's language", "[unit][trigger_text]") {
  const auto all = {language::zh_cn, language::zh_tc, language::en};
  for (const auto written : all)
    for (const auto reader : all)
      CHECK(result_text(lost_result(written), reader) == lost_result(reader));
  CHECK(lost_result(language::en) == "Job result lost, marked as failure");
  CHECK(result_text("done<br>" + std::string{lost_result(language::en)}, language::zh_cn).starts_with("done"));
  CHECK(result_text("", language::zh_cn).empty());
}
