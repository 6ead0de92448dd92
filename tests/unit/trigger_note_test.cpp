// The compact form of a trigger's facts.

#include <memory>
#include <string>

#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::core;

namespace {

trigger_note sample_note() {
  return {trigger_kind::cron, "10.0.0.1", route_strategy::first, {}, block_strategy::serial_execution, 0, 3};
}

} // namespace

TEST_CASE("the compact form matches its documentation", "[unit][trigger_note]") {
  CHECK(encode(sample_note()) == "rm1;cron;10.0.0.1;FIRST;0/1;SERIAL_EXECUTION;0;3;");
  auto note = sample_note();
  note.route = route_strategy::sharding_broadcast;
  note.part = {1, 3, true};
  note.message = "a;b";
  CHECK(encode(note) == "rm1;cron;10.0.0.1;SHARDING_BROADCAST;1/3b;SERIAL_EXECUTION;0;3;a;b");
}

TEST_CASE("a note is read back unchanged", "[unit][trigger_note]") {
  for (auto kind : {trigger_kind::cron, trigger_kind::misfire, trigger_kind::manual, trigger_kind::parent, trigger_kind::retry,
                    trigger_kind::api, trigger_kind::missed})
    for (auto block : {block_strategy::serial_execution, block_strategy::discard_later, block_strategy::cover_early})
      for (int route = 0; route <= static_cast<int>(route_strategy::unknown); ++route)
        for (auto part : {shard{}, shard{2, 5, true}, shard{2, 5, false}, shard{-1, 0, true}})
          for (std::string message : {"", "msg：任务 😀", ";;;", "rm1;cron;", "line\nline\t\"'\\<br>", "b"}) {
            trigger_note note{kind, "host-1", static_cast<route_strategy>(route), part, block, -30, -1,
                              message.size() == 1 ? "http://a/,http://b/" : "", message};
            for (const bool refused : {false, true}) {
              note.refused = refused;
              CAPTURE(encode(note));
              REQUIRE(decode_trigger_note(encode(note)) == note);
            }
          }
}

TEST_CASE("the note of a late run has its first instant, not an origin", "[unit][trigger_note]") {
  auto note = sample_note();
  note.kind = trigger_kind::misfire;
  note.instant = from_ms(1'700'000'000'123);
  CHECK(encode(note) == "rm1;misfire@1700000000123;10.0.0.1;FIRST;0/1;SERIAL_EXECUTION;0;3;");
  CHECK(decode_trigger_note(encode(note)) == note);
  note.merged = 4;
  CHECK(encode(note) == "rm1;misfire@1700000000123+4;10.0.0.1;FIRST;0/1;SERIAL_EXECUTION;0;3;");
  CHECK(decode_trigger_note(encode(note)) == note);
  for (const auto* kind : {"misfire+4", "misfire@5+", "misfire@5+0", "misfire@5+-1", "misfire@5+x", "misfire@+4", "retry@5+4"})
    CHECK_FALSE(decode_trigger_note(std::string{"rm1;"} + kind + ";h;FIRST;0/1;SERIAL_EXECUTION;0;3;"));
  note.kind = trigger_kind::cron;
  CHECK_FALSE(decode_trigger_note(encode(note))->instant);
  planned_run run;
  run.spec = std::make_shared<const job>();
  run.kind = trigger_kind::misfire;
  run.instant = from_ms(42);
  run.merged = 7;
  CHECK(note_of(run, "h").instant == from_ms(42));
  CHECK(note_of(run, "h").merged == 7);
  run.instant.reset();
  CHECK(note_of(run, "h").merged == 0);
}

TEST_CASE("a refusal differs from a reason of Ringmaster, and its words are returned alone", "[unit][trigger_note]") {
  const auto note = decode_trigger_note(encode(sample_note()) + refusal_message("job handler [x] not found."));
  REQUIRE(note);
  CHECK(note->refused);
  CHECK(note->message == "job handler [x] not found.");
  CHECK(without_refusal_mark(refusal_message("a")) == "a");
  CHECK(without_refusal_mark("connection refused") == "connection refused");
  CHECK_FALSE(decode_trigger_note(encode(sample_note()) + "connection refused")->refused);
}

TEST_CASE("the note of dropped instants has their number, the first and the last", "[unit][trigger_note]") {
  missed_gap gap{std::make_shared<const job>(), {3, from_ms(1'700'000'000'000), from_ms(1'700'000'120'000)}, "late; by 42 s"};
  const auto text = encode(note_of(gap, "h"));
  CHECK(text == "rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;3;1700000000000;1700000120000;late; by 42 s");
  CHECK(text.starts_with(missed_mark));
  CHECK(missed_in(text) == gap.what);
  CHECK(decode_trigger_note(text) == note_of(gap, "h"));
  CHECK_FALSE(missed_in("rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;0;"));
  for (const char* odd : {"rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;3;1700000000000;",
                          "rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;x;1;2;",
                          "rm3;missed;h;FIRST;0/1;SERIAL_EXECUTION;0;0;-3;1;2;"}) {
    CAPTURE(odd);
    CHECK_FALSE(missed_in(odd));
    CHECK_FALSE(decode_trigger_note(odd));
  }
}

TEST_CASE("requested addresses follow the fixed fields", "[unit][trigger_note]") {
  planned_run run;
  run.spec = std::make_shared<const job>();
  run.kind = trigger_kind::manual;
  run.addresses = {"http://a/;x", "http://b/"};
  auto note = note_of(run, "h");
  CHECK(encode(note) == "rm2;manual;h;FIRST;0/1;SERIAL_EXECUTION;0;0;http://a/_x,http://b/;");
  note.message = "a;b";
  const auto decoded = decode_trigger_note(encode(note));
  REQUIRE(decoded);
  CHECK(decoded->addresses == "http://a/_x,http://b/");
  CHECK(decoded->message == "a;b");
  CHECK_FALSE(decode_trigger_note("rm2;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;3;no end"));
  // Of very many addresses as many as fit, each of them whole.
  note.addresses.clear();
  for (int i = 0; i < 3'000; ++i)
    note.addresses += (i == 0 ? "http://10.0.0." : ",http://10.0.0.") + std::to_string(i) + '/';
  const auto many = decode_trigger_note(encode(note));
  REQUIRE(many);
  CHECK(many->addresses.size() > 1'900);
  CHECK(many->addresses.size() <= 2'000);
  CHECK(many->addresses.ends_with('/'));
  CHECK(note.addresses.starts_with(many->addresses));
  CHECK(many->message == "a;b");
}

TEST_CASE("a hostile host or message cannot change other fields", "[unit][trigger_note]") {
  auto note = sample_note();
  note.node_host = "evil;ROUND;9/9;";
  note.message = std::string{"\xff\0;x", 4};
  const auto decoded = decode_trigger_note(encode(note));
  REQUIRE(decoded);
  CHECK(decoded->node_host == "evil_ROUND_9/9_");
  CHECK(decoded->route == route_strategy::first);
  CHECK(decoded->message == "\xEF\xBF\xBD;x");
  note.node_host = std::string(100'000, ';');
  REQUIRE(decode_trigger_note(encode(note)));
  CHECK(decode_trigger_note(encode(note))->retry_left == 3);
}

TEST_CASE("a long message is cut at a character to the column's size", "[unit][trigger_note]") {
  auto note = sample_note();
  const auto fixed = encode(note).size();
  for (int i = 0; i < 20'000; ++i)
    note.message += "😀";
  const auto text = encode(note);
  CHECK(valid_utf8(text) == text);
  // Each emoji has two units and four bytes; the last unit may stay unused.
  CHECK(text.size() == fixed + (message_units_max - fixed) / 2 * 4);
  CHECK(cut_utf16(text, message_units_max) == text);
  CHECK(decode_trigger_note(text)->message.starts_with("😀😀"));
}

TEST_CASE("other texts are not decoded as notes", "[unit][trigger_note]") {
  for (auto text :
       {"", "rm1", "rm1;", "rm2;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;3;", "任务触发类型：Cron触发<br>调度机器：10.0.0.1",
        "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;3", "rm1;quartz;h;FIRST;0/1;SERIAL_EXECUTION;0;3;",
        "rm1;cron;h;SOMEWHERE;0/1;SERIAL_EXECUTION;0;3;", "rm1;cron;h;FIRST;01;SERIAL_EXECUTION;0;3;",
        "rm1;cron;h;FIRST;0/1;;0;3;", "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;x;3;",
        "rm1;cron;h;FIRST;0/1;SERIAL_EXECUTION;0;99999999999;", "rm1;cron;h;FIRST;b;SERIAL_EXECUTION;0;3;"}) {
    CAPTURE(text);
    CHECK_FALSE(decode_trigger_note(text));
  }
}

TEST_CASE("the note of a run at its claim", "[unit][trigger_note]") {
  auto spec = std::make_shared<job>();
  spec->route = route_strategy::failover;
  spec->block = block_strategy::cover_early;
  spec->timeout_s = 30;
  spec->retry_count = 9;
  planned_run run;
  run.spec = spec;
  run.kind = trigger_kind::retry;
  run.part = {0, 2, true};
  run.retry_left = 1;
  const trigger_note expected{
    trigger_kind::retry, "n_1", route_strategy::failover, {0, 2, true}, block_strategy::cover_early, 30, 1, ""};
  CHECK(note_of(run, "n;1") == expected);
}
