// Text from outside is data, regardless of its content.

#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;

namespace {

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{
    "'",
    "''",
    "\"",
    "\\",
    "\\'",
    "'; DROP TABLE xxl_job_log; --",
    "%s%n%_",
    "?1 :x @y $z",
    "a\nb\r\n\tc",
    "\x1a\x08",
    "日本語 😀 ﷽",
    "e\u0301",
    "<b>&amp;</b>",
    "NULL",
    " trailing ",
    "0x41",
    "1e9",
  };
  return texts;
}

} // namespace

TEST_CASE("hostile text survives the firing path unchanged", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  std::int32_t id = 0;
  for (const auto& text : hostile_texts()) {
    CAPTURE(text);
    auto job = f.add_job(++id, noon, {{"executor_fail_retry_count", "1"}});
    auto batch = f.batch();
    f.plan(batch, job);
    batch.runs[0].param = text;
    batch.runs[0].address = text;
    batch.node_host = text;
    auto run = require(f.firings().claim(batch, noon)).runs.at(0);
    auto outcome = f.record({f.answer(run, 200, text)}, {f.callback(run, 500, text)});
    auto row = f.row(run.id);
    CHECK(row.executor_param == text);
    CHECK(row.executor_address == text);
    CHECK(row.handle_msg == text);
    auto note = core::decode_trigger_note(row.trigger_msg);
    REQUIRE(note);
    CHECK(note->message == text);
    REQUIRE(outcome.intents.size() == 1);
    CHECK(outcome.intents[0].param == text);
    CHECK(require(f.firings().waiting_intents(noon + std::chrono::hours{1}, 100)).back().param == text);
  }
}

TEST_CASE("hostile text survives registry, nodes and declared jobs", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  firing_fixture f{backend};
  for (const auto& text : hostile_texts()) {
    CAPTURE(text);
    auto life = require(f.store->cluster().enter(text, text));
    require(f.store->cluster().beat(life, 1));
    core::registry_batch batch;
    batch.renewed = {{"EXECUTOR", text, text, noon}};
    require(f.store->registry().write(batch, noon));
    auto rows = require(f.store->registry().read()).registrations;
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].app_name == text);
    CHECK(rows[0].address == text);
    batch.removed = std::move(batch.renewed);
    batch.renewed.clear();
    require(f.store->registry().write(batch, noon));
    CHECK(require(f.store->registry().read()).registrations.empty());

    core::declared_set set;
    set.source = text;
    set.groups = {{text, std::string{core::cut_characters(text, backend.narrow() ? 12 : 64)}, std::nullopt}};
    core::declared_job job;
    job.group = job.key = job.name = job.author = job.handler = job.params = text;
    set.jobs = {job};
    REQUIRE(require(f.store->deploys().apply(set, false, false, noon)).changes_anything());
    CHECK_FALSE(require(f.store->deploys().apply(set, false, true, noon)).changes_anything());
    auto loaded = require(f.firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000)).back().spec;
    CHECK(loaded->handler == text);
    CHECK(loaded->param == text);
  }
}

TEST_CASE("names that differ in case or accent are different", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  firing_fixture f{backend};
  core::declared_set set;
  set.source = "s";
  for (const char* name : {"pay", "Pay", "páy"}) {
    set.groups.push_back({name, "x", std::nullopt});
    core::declared_job job;
    job.group = name;
    job.key = name;
    set.jobs.push_back(job);
  }
  if (backend.generation == 8) { // its group names are unique, and it considers these equal
    CHECK(error_of(f.store->deploys().apply(set, false, false, noon)) == core::errc::conflict);
    CHECK(f.rows("xxl_job_group") == "0");
    return;
  }
  CHECK(require(f.store->deploys().apply(set, false, false, noon)).changes.size() == 6);
  CHECK_FALSE(require(f.store->deploys().apply(set, false, true, noon)).changes_anything());
  core::registry_batch batch;
  for (const auto& group : set.groups)
    batch.renewed.push_back({"EXECUTOR", group.app_name, "http://a/", noon});
  require(f.store->registry().write(batch, noon));
  CHECK(require(f.store->registry().read()).registrations.size() == (backend.exact_texts() || backend.generation == 4 ? 3 : 1));
  auto first = require(f.store->cluster().enter("n", "x"));
  auto second = require(f.store->cluster().enter("N", "x"));
  require(f.store->cluster().beat(first, 1));
  require(f.store->cluster().beat(second, 1));
}

TEST_CASE("a message of 16 MB is cut at a character and stored", "[storage]") {
  firing_fixture f{GENERATE(from_range(backends_under_test()))};
  auto run = f.claimed(1);
  std::string huge = "x";
  while (huge.size() < 16 * 1024 * 1024)
    huge += "😀";
  f.record({f.answer(run, 500, huge)}, {});
  f.record({}, {f.callback(run, 500, huge)});
  auto row = f.row(run.id);
  // A character outside the BMP counts as two units: one unit and 7 499 of them are 14 999 units, and characters are never split.
  CHECK(row.handle_msg == core::cut_utf16(huge, core::message_units_max));
  CHECK(row.handle_msg.size() == 1 + 4 * 7499);
  CHECK(row.trigger_msg.size() <= 60'000);
  CHECK(row.trigger_msg.size() > 4 * 7400);
  auto note = core::decode_trigger_note(row.trigger_msg);
  REQUIRE(note);
  CHECK(note->message == std::string_view{huge}.substr(0, note->message.size()));
  CHECK(core::valid_utf8(note->message) == note->message);
}

TEST_CASE("job values that are longer than a log column are cut, not refused", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  firing_fixture f{backend};
  auto batch = f.batch();
  f.plan(batch, f.add_job(1));
  std::string wide;
  for (int i = 0; i < 300; ++i)
    wide += "é";
  batch.runs[0].address = "http://" + wide;
  std::string huge;
  while (huge.size() < 200'000)
    huge += "é";
  batch.runs[0].param = huge;
  auto run = require(f.firings().claim(batch, noon)).runs.at(0);
  auto row = f.row(run.id);
  CHECK(row.executor_address == ("http://" + wide).substr(0, 7 + 2 * 248));
  CHECK(row.executor_param.size() == (backend.narrow() ? 1024 : 65534));
  // The sent value is complete.
  CHECK(run.plan.address.size() == 607);
}
