// Why a run failed and how it came about, from its codes and texts.

#include "core/run/run_reason.hpp"

#include <vector>

#include "core/run/noted_run.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/trigger_text.hpp"
#include "core/text/plain_text.hpp"
#include "core/text/result_text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::failure_reason;

namespace {

constexpr const char* note_head = "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;30;0;";

core::log_row not_sent_run(const std::string& message, std::int32_t code = 500) {
  core::log_row run;
  run.trigger_code = code;
  run.trigger_msg = note_head + message;
  return run;
}

core::log_row failed_run(const std::string& message, std::int32_t code = 500) {
  core::log_row run;
  run.trigger_code = 200;
  run.trigger_msg = note_head;
  run.handle_code = code;
  run.handle_msg = message;
  return run;
}

failure_reason code_of(const core::log_row& run) {
  const auto reason = core::reason_of(run);
  REQUIRE(reason);
  return reason->code;
}

/// Returns the text of a Java admin about this answer, with the heading of a retry.
core::log_row java_run(const std::string& answer, core::language written, core::trigger_tail tail, bool found = true) {
  core::trigger_story story;
  story.note.message = answer;
  story.address = found ? "http://a:1/" : "";
  if (!found)
    story.route_note = core::trigger_reason("Trigger Fail：registry address is empty", written);
  story.code = 500;
  core::log_row run;
  run.trigger_code = 500;
  run.trigger_msg = core::trigger_text(story, written, tail) + core::retry_text(written, tail);
  return run;
}

} // namespace

TEST_CASE("a run that is open or succeeded has no reason", "[run]") {
  core::log_row run;
  CHECK_FALSE(core::reason_of(run));
  run.trigger_code = 200;
  CHECK_FALSE(core::reason_of(run));
  run.handle_code = 200;
  CHECK_FALSE(core::reason_of(run));
  core::log_row dropped;
  dropped.trigger_code = 500;
  dropped.trigger_msg = "rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;2;5;9;late";
  CHECK_FALSE(core::reason_of(dropped));
}

TEST_CASE("the reason of a run that was not sent comes from the message of the node", "[run]") {
  CHECK(code_of(not_sent_run("Trigger Fail：registry address is empty")) == failure_reason::no_executor);
  CHECK(code_of(not_sent_run("调度失败：执行器地址为空")) == failure_reason::no_executor);
  CHECK(code_of(not_sent_run("http://a:1/ answered 500 busy; http://b:1/ answered 0 no answer")) == failure_reason::no_executor);
  CHECK(code_of(not_sent_run("cannot connect to a:1: Connection refused")) == failure_reason::connection_refused);
  CHECK(code_of(not_sent_run("cannot connect to a:1: no connection within 3000 ms")) == failure_reason::connect_timeout);
  CHECK(code_of(not_sent_run("abandoned: no node holds this run")) == failure_reason::node_died);
  CHECK(code_of(not_sent_run("missed: later than the misfire limit")) == failure_reason::missed);
  CHECK(code_of(not_sent_run("the stored route strategy is unknown")) == failure_reason::not_sent);
  const auto unknown =
    core::reason_of(not_sent_run("delivery unknown: no answer to the second sending: no reply within 3000 ms"));
  REQUIRE(unknown);
  CHECK(unknown->code == failure_reason::no_answer);
  CHECK(unknown->text == "no answer to the second sending: no reply within 3000 ms");
  CHECK(code_of(not_sent_run("delivery unknown: its job was deleted")) == failure_reason::delivery_unknown);
}

TEST_CASE("the reason of a refused run comes from the words of the executor", "[run]") {
  CHECK(code_of(not_sent_run("refused: block strategy effect：Discard Later")) == failure_reason::blocked_discarded);
  CHECK(code_of(not_sent_run("refused: The access token is wrong.")) == failure_reason::bad_token);
  CHECK(code_of(not_sent_run("refused: Access token incorrect.", 401)) == failure_reason::bad_token);
  CHECK(code_of(not_sent_run("refused: glueType[GLUE_RUBY] is not valid.")) == failure_reason::bad_parameter);
  CHECK(code_of(not_sent_run("refused: <busy>")) == failure_reason::refused);
  const auto missing = core::reason_of(not_sent_run("refused: job handler [ghost] not found."));
  REQUIRE(missing);
  CHECK(missing->code == failure_reason::handler_not_found);
  CHECK(missing->handler == "ghost");
  CHECK(code_of(not_sent_run("refused: handler missing not found.")) == failure_reason::handler_not_found);
}

TEST_CASE("the reason of a failed run comes from its result", "[run]") {
  const auto late = core::reason_of(failed_run("job execute timeout ", 502));
  REQUIRE(late);
  CHECK(late->code == failure_reason::timed_out);
  CHECK(late->timeout_s == 30);
  for (const auto written : {core::language::zh_cn, core::language::zh_tc, core::language::en}) {
    CHECK(code_of(failed_run(std::string{core::lost_result(written)})) == failure_reason::lost);
    const auto killed = core::reason_of(failed_run(std::string{core::killed_result(written)} + "job thread killed"));
    REQUIRE(killed);
    CHECK(killed->code == failure_reason::killed);
    CHECK(killed->text == "job thread killed");
  }
  const auto covered =
    core::reason_of(failed_run("block strategy effect：Cover Early [job not executed, in the job queue, killed.]"));
  REQUIRE(covered);
  CHECK(covered->code == failure_reason::replaced_by_later);
  CHECK(covered->end->before_start);
  const auto stopped = core::reason_of(failed_run("web container destroy and kill the job. [job running, killed]"));
  REQUIRE(stopped);
  CHECK(stopped->code == failure_reason::killed);
  CHECK(stopped->end->cause == core::end_cause::executor_stopped);
  CHECK(code_of(failed_run("scheduling center kill job. It was me")) == failure_reason::failed);
  CHECK(core::reason_of(failed_run("script exit value(137) is failed"))->exit_code == 137);
  CHECK(core::reason_of(failed_run("the program ended with exit code 3"))->exit_code == 3);
  CHECK(core::reason_of(failed_run("a &lt;b&gt;<br>c"))->text == "a <b>\nc");
}

TEST_CASE("the texts of Java admins tell the reason and the kind", "[run]") {
  for (const auto written : {core::language::zh_cn, core::language::zh_tc, core::language::en})
    for (const auto tail : {core::trigger_tail::answer, core::trigger_tail::remark}) {
      CAPTURE(core::stored_name(written), static_cast<int>(tail));
      CHECK(code_of(java_run("", written, tail, false)) == failure_reason::no_executor);
      const auto missing = core::reason_of(java_run("job handler [x] not found.", written, tail));
      REQUIRE(missing);
      CHECK(missing->code == failure_reason::handler_not_found);
      CHECK(missing->text == "job handler [x] not found.");
      CHECK(code_of(java_run("xxl-job remoting error(Connection refused (Connection refused)), for url : http://a:1/run", written,
                             tail)) == failure_reason::connection_refused);
      CHECK(code_of(java_run("xxl-job remoting error(connect timed out), for url : http://a:1/run", written, tail)) ==
            failure_reason::connect_timeout);
      CHECK(code_of(java_run("xxl-job remoting error(Read timed out), for url : http://a:1/run", written, tail)) ==
            failure_reason::no_answer);
      CHECK(code_of(java_run("delivery unknown: its job was deleted", written, tail)) == failure_reason::delivery_unknown);
      CHECK(code_of(java_run("cannot connect to a:1: Connection refused", written, tail)) == failure_reason::connection_refused);
      CHECK(code_of(java_run("something else", written, tail)) == failure_reason::not_sent);
      CHECK(core::origin_of(java_run("x", written, tail)).kind == core::trigger_kind::cron);
    }
  CHECK_FALSE(core::kind_in_text("任务触发类型：something else<br>"));
  CHECK_FALSE(core::kind_in_text(""));
}

TEST_CASE("the origin of a run is in its note", "[run]") {
  core::log_row run;
  run.trigger_msg = "rm1;retry@23;h;FIRST;0/1;SERIAL_EXECUTION;0;1;";
  auto origin = core::origin_of(run);
  CHECK(origin.kind == core::trigger_kind::retry);
  CHECK(origin.retry_of == core::log_id{23});
  CHECK_FALSE(origin.parent);
  CHECK_FALSE(origin.attempt);
  run.trigger_msg = "rm1;parent@24;h;FIRST;0/1;SERIAL_EXECUTION;0;1;";
  run.executor_sharding_param = "1/3";
  origin = core::origin_of(run);
  CHECK(origin.parent == core::log_id{24});
  CHECK(origin.attempt == 1);
  CHECK(origin.part == core::shard{1, 3, true});
  CHECK_FALSE(core::origin_of({}).kind);
  run.trigger_msg = "rm1;misfire@1700000000123;h;FIRST;0/1;SERIAL_EXECUTION;0;3;";
  CHECK(core::origin_of(run).instant == core::from_ms(1'700'000'000'123));
  CHECK_FALSE(core::origin_of(run).parent);
  CHECK(core::origin_of(run).merged == 0);
  run.trigger_msg = "rm1;misfire@1700000000123+6;h;FIRST;0/1;SERIAL_EXECUTION;0;3;";
  CHECK(core::origin_of(run).merged == 6);
}

TEST_CASE("the duration of a run ends with its result", "[run]") {
  core::log_row run;
  run.trigger_time = core::from_ms(5000);
  CHECK_FALSE(core::duration_of(run));
  run.handle_code = 200;
  run.handle_time = core::from_ms(7000);
  CHECK(core::duration_of(run) == core::milliseconds{2000});
  run.handle_time = core::from_ms(4000);
  CHECK(core::duration_of(run) == core::milliseconds{0});
}

TEST_CASE("plain text has no tags and no control characters", "[text]") {
  CHECK(core::plain_text("a<br/><span style=\"x\" >b</span>\t&amp;lt; <<<< 1 < 2") == "a\nb &lt; <<<< 1 < 2");
  CHECK(core::plain_text("no List<String> <in> </b>here") == "no List<String> <in> here");
  // A tag has at most 1 KiB: texts of many `<` are read in linear time.
  CHECK(core::plain_text("<a" + std::string(1020, ' ') + ">x") == "x");
  CHECK(core::plain_text("<a" + std::string(1022, ' ') + ">x").size() == 1026);
  for (const auto* part : {"<", "<a", "<b ", "</strong "}) {
    std::string many;
    while (many.size() < 200'000)
      many += part;
    CHECK(core::plain_text(many) == many);
  }
}

TEST_CASE("a row with its note tells the same as the row", "[run]") {
  std::vector<core::log_row> rows{{}, not_sent_run("refused: busy"), not_sent_run("connection refused"), failed_run("x", 502)};
  rows.push_back(java_run("something else", core::language::en, core::trigger_tail::remark));
  for (const auto* text : {"rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;2;1000;2000;late", "rm3;missed;broken",
                           "rm3;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;0;2;1000;2000;late", "rm1;missed;h;FIRST;0/1;;0;0;"}) {
    rows.push_back(not_sent_run({}));
    rows.back().trigger_msg = text;
  }
  for (const auto& row : rows) {
    CAPTURE(row.trigger_msg);
    const core::noted_run noted{row};
    CHECK(noted.note == core::decode_trigger_note(row.trigger_msg));
    CHECK(core::missed_in(noted) == core::missed_in(row.trigger_msg));
    CHECK(core::origin_of(noted).kind == core::origin_of(row).kind);
    const auto reason = core::reason_of(noted);
    REQUIRE(reason.has_value() == core::reason_of(row).has_value());
    CHECK((!reason || (reason->code == core::reason_of(row)->code && reason->text == core::reason_of(row)->text)));
  }
}
