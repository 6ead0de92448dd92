// Outcomes of the planned instants of a job, as its row, its runs and the audit log tell.

#include "core/forecast/job_timeline.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "core/run/trigger_note.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

/// 2026-01-01 12:00:00 UTC.
const core::time_point timeline_noon = core::from_ms(1'767'268'800'000);

/// A job that fires each minute and was edited last a month ago. Its timeline begins at noon; now is ten seconds after 12:05.
struct timeline_scene {
  timeline_scene() {
    auto& job = facts.job;
    job.id = core::job_id{7};
    job.group = core::group_id{1};
    job.schedule_type = "CRON";
    job.schedule_conf = "0 * * * * ?";
    job.misfire = "DO_NOTHING";
    job.running = true;
    job.added = job.updated = timeline_noon - std::chrono::hours{720};
    job.next = timeline_noon + 6min;
    facts.edits_from = timeline_noon - std::chrono::hours{720};
    search.job = job.id;
    search.from = timeline_noon;
    search.until = timeline_noon + 7min;
  }

  core::log_row& row(std::int64_t id, core::time_point at, const std::string& message) {
    core::log_row added;
    added.id = core::log_id{id};
    added.group = core::group_id{1};
    added.job = core::job_id{7};
    added.trigger_time = core::cut_to_second(at);
    added.trigger_code = added.handle_code = 200;
    added.handle_time = at + 1s;
    added.trigger_msg = message;
    return *facts.runs.insert(facts.runs.begin(), std::move(added));
  }
  core::log_row& run(std::int64_t id, core::time_point at, const std::string& kind = "cron") {
    return row(id, at, "rm1;" + kind + ";h;FIRST;0/1;SERIAL_EXECUTION;0;0;");
  }
  void missed(std::int64_t id, core::missed_instants what, core::time_point at) {
    core::trigger_note note;
    note.kind = core::trigger_kind::missed;
    note.node_host = "h";
    note.missed = what;
    auto& dropped = row(id, at, core::encode(note));
    dropped.trigger_code = 500;
    dropped.handle_code = 0;
    dropped.handle_time.reset();
  }
  /// Adds a change, later than those before it. The row of the job remembers its time.
  void edit(core::time_point at, core::audit_action action, const std::string& changes = {}) {
    core::audit_row added;
    added.at = at;
    added.user_name = "ann";
    added.action = action;
    added.object_id = 7;
    added.changes = changes;
    facts.edits.insert(facts.edits.begin(), std::move(added));
    facts.job.updated = core::cut_to_second(at);
  }

  core::job_timeline draw() const { return core::timeline_of(search, core::timeline_facts{facts}, core::zone{}, now); }
  /// Returns `seconds after noon` and the outcome of each instant, with its run.
  static std::string text_of(const core::job_timeline& drawn) {
    std::string out;
    for (const auto& each : drawn.instants)
      out += (out.empty() ? "" : " ") + std::to_string((each.at - timeline_noon) / 1s) + ':' +
             std::string{core::to_string(each.outcome)} + (each.run ? '#' + std::to_string(core::number(*each.run)) : "");
    return out;
  }
  std::string drawn() const { return text_of(draw()); }

  core::timeline_search search;
  core::timeline_facts facts;
  core::time_point now = timeline_noon + 5min + 10s;
};

} // namespace

TEST_CASE("past instants have their runs, and future ones follow the next time", "[timeline]") {
  timeline_scene s;
  for (std::int64_t minute = 0; minute <= 5; ++minute)
    s.run(10 + minute, timeline_noon + minute * 1min);
  s.run(20, timeline_noon + 90s, "manual");
  s.run(21, timeline_noon + 2min, "retry@12");
  CHECK(s.drawn() == "0:fired#10 60:fired#11 120:fired#12 180:fired#13 240:fired#14 300:fired#15 360:future 420:future");
  const auto drawn = s.draw();
  CHECK(drawn.known_from == timeline_noon);
  CHECK_FALSE(drawn.truncated);
  CHECK(drawn.runs.size() == 8);
  CHECK(drawn.edits.empty());
}

TEST_CASE("dropped instants have the row that tells of them", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.missed(11, {3, timeline_noon + 1min, timeline_noon + 3min}, timeline_noon + 3min + 20s);
  s.run(12, timeline_noon + 4min);
  s.run(13, timeline_noon + 5min);
  CHECK(s.drawn() == "0:fired#10 60:dropped#11 120:dropped#11 180:dropped#11 240:fired#12 300:fired#13 360:future 420:future");
}

TEST_CASE("a late run replaces the instants before it", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(12, timeline_noon + 3min + 20s, "misfire");
  s.run(13, timeline_noon + 4min);
  s.run(14, timeline_noon + 5min);
  CHECK(s.drawn() == "0:fired#10 60:late#12 120:late#12 180:late#12 240:fired#13 300:fired#14 360:future 420:future");
}

TEST_CASE("an instant without a row is unknown, and one that is due is not past", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(12, timeline_noon + 2min);
  s.run(13, timeline_noon + 3min);
  s.facts.job.next = timeline_noon + 4min;
  CHECK(s.drawn() == "0:fired#10 60:unknown 120:fired#12 180:fired#13 240:future 300:future 360:future 420:future");
}

TEST_CASE("a run that was discarded is an overlap", "[timeline]") {
  timeline_scene s;
  s.search.until = timeline_noon + 30s;
  auto& discarded = s.run(10, timeline_noon);
  discarded.trigger_code = 500;
  discarded.handle_code = 0;
  discarded.trigger_msg += "refused: block strategy effect：Discard Later";
  CHECK(s.drawn() == "0:overlap#10");
}

TEST_CASE("instants are walked with the schedule of their time", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(11, timeline_noon + 2min);
  s.run(12, timeline_noon + 4min);
  s.run(13, timeline_noon + 5min);
  s.edit(timeline_noon + 3min + 1s, core::audit_action::update,
         "params: \"a\" -> \"b\"\nschedule: \"0 0/2 * * * ?\" -> \"0 * * * * ?\"");
  CHECK(s.drawn() == "0:fired#10 120:fired#11 240:fired#12 300:fired#13 360:future 420:future");
  const auto drawn = s.draw();
  CHECK(drawn.known_from == timeline_noon);
  REQUIRE(drawn.edits.size() == 1);
  CHECK(drawn.edits[0].by == "ann");
  CHECK(drawn.edits[0].fields == std::vector<std::string>{"params", "schedule"});
}

TEST_CASE("the schedule before an edit that the audit log does not tell is not guessed", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(12, timeline_noon + 4min);
  s.run(13, timeline_noon + 5min);
  const auto at = timeline_noon + 3min + 1s;
  const auto* changes = GENERATE("schedule: \"" "0 0/2 * * * ?...\" -> \"0 * * * * ?\"", // shortened
                                 "schedule: \"0 0/2 * * * ?", "start_at: none -> 2026-01-01T11:00:00Z",
                                 "time_zone:  -> none", "jitter_ms: x -> none");
  CAPTURE(changes);
  s.edit(at, core::audit_action::update, changes);
  CHECK(s.drawn() == "0:fired#10 240:fired#12 300:fired#13 360:future 420:future");
  CHECK(s.draw().known_from == at);
}

TEST_CASE("an edit that does not lead to the later schedule leaves the time after it unknown, too", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(13, timeline_noon + 5min);
  s.edit(timeline_noon + 1min, core::audit_action::update,
         GENERATE("schedule: \"0 0/2 * * * ?\" -> \"0 0/5 * * * ?\"", "time_zone: UTC -> Asia/Tokyo", "jitter_ms: none -> 5",
                  "interval_ms: 5000 -> 6000", "schedule: \"FIX_RATE 30\" -> \"FIX_RATE 60\""));
  s.edit(timeline_noon + 3min, core::audit_action::update, "retry: 0 -> 2");
  CHECK(s.drawn() == "0:fired#10 180:unknown 240:unknown 300:fired#13 360:future 420:future");
  CHECK(s.draw().known_from == timeline_noon + 3min);
}

TEST_CASE("an edit by another program is noticed by the time in the job's row", "[timeline]") {
  timeline_scene s;
  s.run(13, timeline_noon + 5min);
  s.edit(timeline_noon + 1min, core::audit_action::update, "params: \"a\" -> \"b\"");
  s.facts.job.updated = timeline_noon + 4min + 1s;
  CHECK(s.drawn() == "300:fired#13 360:future 420:future");
  CHECK(s.draw().known_from == timeline_noon + 4min + 1s);
}

TEST_CASE("a change that does not concern the schedule leaves it known", "[timeline]") {
  timeline_scene s;
  s.edit(timeline_noon + 3min, core::audit_action::update, "params: \"a -> b\" -> \"schedule: x\"\nretry: 0 -> 2");
  CHECK(s.draw().known_from == timeline_noon);
  CHECK(s.draw().edits.at(0).fields == std::vector<std::string>{"params", "retry"});
}

TEST_CASE("options of a schedule are taken back, too", "[timeline]") {
  timeline_scene s;
  s.facts.job.schedule_type = "FIX_RATE";
  s.facts.job.schedule_conf = "60";
  s.facts.job.timing.interval_ms = 60'000;
  s.edit(timeline_noon + 2min + 30s, core::audit_action::apply,
         "source: ops\nkind: update\nschedule: \"FIX_RATE 120\" -> \"FIX_RATE 60\"\ninterval_ms: 120000 -> 60000");
  CHECK(s.drawn() == "0:unknown 120:unknown 180:unknown 240:unknown 300:unknown 360:future 420:future");
  CHECK(s.draw().edits.at(0).fields == std::vector<std::string>{"schedule", "interval_ms"});
}

TEST_CASE("instants of a stopped job are marked", "[timeline]") {
  timeline_scene s;
  s.run(10, timeline_noon);
  s.run(13, timeline_noon + 5min);
  s.edit(timeline_noon + 30s, core::audit_action::stop);
  s.edit(timeline_noon + 4min + 30s, core::audit_action::start);
  CHECK(s.drawn() == "0:fired#10 60:stopped 120:stopped 180:stopped 240:stopped 300:fired#13 360:future 420:future");
  CHECK(s.draw().edits.size() == 2);
}

TEST_CASE("before the first start or stop in the log it is not known whether the job ran", "[timeline]") {
  timeline_scene s;
  s.edit(timeline_noon + 2min + 30s, core::audit_action::start);
  CHECK(s.drawn() == "0:unknown 60:unknown 120:unknown 180:unknown 240:unknown 300:unknown 360:future 420:future");
}

TEST_CASE("a stop before the span counts, and a job that was stopped for a month has no future", "[timeline]") {
  timeline_scene s;
  s.facts.job.running = false;
  s.facts.job.next = core::time_point{};
  CHECK(s.drawn() == "0:stopped 60:stopped 120:stopped 180:stopped 240:stopped 300:stopped");
  s.edit(timeline_noon - 1h, core::audit_action::stop);
  CHECK(s.drawn() == "0:stopped 60:stopped 120:stopped 180:stopped 240:stopped 300:stopped");
  CHECK(s.draw().edits.empty());
}

TEST_CASE("a job has no instants before it was added", "[timeline]") {
  timeline_scene s;
  s.facts.job.added = timeline_noon + 3min + 30s;
  s.edit(timeline_noon + 3min + 30s, core::audit_action::add, "name: \"\" -> \"x\"\nschedule: \"\" -> \"0 * * * * ?\"");
  s.edit(timeline_noon + 3min + 40s, core::audit_action::start);
  CHECK(s.drawn() == "240:unknown 300:unknown 360:future 420:future");
  CHECK(s.draw().known_from == timeline_noon);
}

TEST_CASE("past instants of a fixed rate follow from its rows alone", "[timeline]") {
  timeline_scene s;
  s.facts.job.schedule_type = "FIX_RATE";
  s.facts.job.schedule_conf = "60";
  s.run(10, timeline_noon + 7s);
  s.missed(11, {3, timeline_noon + 67s, timeline_noon + 187s}, timeline_noon + 200s);
  s.run(12, timeline_noon + 260s);
  s.facts.job.next = timeline_noon + 320s;
  CHECK(s.drawn() == "7:fired#10 67:dropped#11 127:dropped#11 187:dropped#11 260:fired#12 320:future 380:future");
}

TEST_CASE("dropped instants of an unknown schedule are the first and the last", "[timeline]") {
  timeline_scene s;
  s.missed(11, {3, timeline_noon + 1min, timeline_noon + 3min}, timeline_noon + 3min + 20s);
  s.edit(timeline_noon + 4min, core::audit_action::update, "start_at: none -> 2026-01-01T11:00:00Z");
  const auto drawn = s.draw();
  CHECK(timeline_scene::text_of(drawn) == "60:dropped#11 180:dropped#11 240:unknown 300:unknown 360:future 420:future");
  CHECK(drawn.truncated);
}

TEST_CASE("a limit keeps the instants around now", "[timeline]") {
  timeline_scene s;
  s.search.limit = 2;
  const auto drawn = s.draw();
  CHECK(timeline_scene::text_of(drawn) == "240:unknown 300:unknown 360:future 420:future");
  CHECK(drawn.truncated);
  CHECK(drawn.known_from > timeline_noon + 3min);
  CHECK(drawn.known_from <= timeline_noon + 4min);
  s.search.until = timeline_noon + 8min;
  CHECK(s.drawn() == "240:unknown 300:unknown 360:future 420:future");
}

TEST_CASE("a million instants are counted, not walked", "[timeline]") {
  timeline_scene s;
  s.facts.job.schedule_conf = "* * * * * ?";
  s.search.from = timeline_noon - std::chrono::hours{24 * 20};
  s.search.until = timeline_noon + std::chrono::hours{24 * 10};
  s.search.limit = 500;
  const auto drawn = s.draw();
  CHECK(drawn.instants.size() == 1000);
  CHECK(drawn.truncated);
  // The first millisecond after the instant that did not fit.
  CHECK(drawn.known_from == s.now - 501s + 1ms);
}

TEST_CASE("without the older runs of the span, instants before them are not listed", "[timeline]") {
  timeline_scene s;
  s.run(12, timeline_noon + 3min);
  s.run(13, timeline_noon + 5min);
  s.facts.more_runs = true;
  const auto drawn = s.draw();
  CHECK(timeline_scene::text_of(drawn) == "180:fired#12 240:unknown 300:fired#13 360:future 420:future");
  CHECK(drawn.truncated);
}

TEST_CASE("shards of one instant are one instant", "[timeline]") {
  timeline_scene s;
  s.search.until = timeline_noon + 70s;
  for (std::int64_t shard = 0; shard < 2; ++shard)
    for (std::int64_t minute = 0; minute < 2; ++minute)
      s.run(10 + 2 * minute + shard, timeline_noon + minute * 1min).executor_sharding_param = std::to_string(shard) + "/2";
  CHECK(s.drawn() == "0:fired#10 60:fired#12");
}

TEST_CASE("several instants within a second have a run each", "[timeline]") {
  timeline_scene s;
  s.facts.job.schedule_type = "FIX_RATE";
  s.facts.job.schedule_conf = "1";
  s.facts.job.timing.interval_ms = 500;
  s.search.until = timeline_noon + 900ms;
  s.run(10, timeline_noon);
  s.run(11, timeline_noon + 500ms);
  const auto drawn = s.draw();
  REQUIRE(drawn.instants.size() == 2);
  CHECK(drawn.instants[1].at == timeline_noon + 500ms);
  CHECK(drawn.instants[1].run == core::log_id{11});
}

TEST_CASE("a schedule that cannot be read leaves the runs", "[timeline]") {
  timeline_scene s;
  s.facts.job.schedule_conf = "nonsense";
  s.run(10, timeline_noon);
  CHECK(s.drawn() == "0:fired#10");
  CHECK(s.draw().known_from == s.now);
}

TEST_CASE("a span in the future has no past, and one in the past no future", "[timeline]") {
  timeline_scene s;
  s.search.from = timeline_noon + 7min;
  s.search.until = timeline_noon + 8min;
  CHECK(s.drawn() == "420:future 480:future");
  s.search.from = timeline_noon - 2min;
  s.search.until = timeline_noon - 1min;
  CHECK(s.drawn() == "-120:unknown -60:unknown");
}
