// Searches for runs by conditions that no index serves, and their continuation.

#include "core/run/run_origin.hpp"
#include "core/run/trigger_text.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::trigger_kind;

namespace {

struct filtered_run {
  std::int64_t id = 0;
  std::string trigger_msg = {};
  int trigger_code = 200;
  int handle_code = 200;
  std::string handle_msg = {};
  std::string address = {};
  std::string when = "2024-03-01 12:00:00";
  /// Empty: none.
  std::string ended = "2024-03-01 12:00:00";
  int group = 1;
  int job = 7;
};

struct filter_fixture : firing_fixture {
  explicit filter_fixture(const test_backend& backend) : firing_fixture{backend} {}

  void add(const filtered_run& row) {
    const auto quoted = [](const std::string& text) { return text.empty() ? std::string{"NULL"} : "'" + text + "'"; };
    db->exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, trigger_msg, handle_time, handle_code,"
             " handle_msg, executor_address) VALUES ("
             + std::to_string(row.id) + ", " + std::to_string(row.group) + ", " + std::to_string(row.job) + ", '" + row.when
             + "', " + std::to_string(row.trigger_code) + ", " + quoted(row.trigger_msg) + ", " + quoted(row.ended) + ", "
             + std::to_string(row.handle_code) + ", " + quoted(row.handle_msg) + ", " + quoted(row.address) + ")");
  }

  core::run_list list(const core::run_search& search) {
    static const core::principal admin{core::user_id{1}, "admin", true};
    return require(store->run_reading().page(search, 1000, admin));
  }

  std::vector<std::int64_t> found(const core::run_search& search) {
    std::vector<std::int64_t> ids;
    for (const auto& row : list(search).rows)
      ids.push_back(core::number(row.id));
    return ids;
  }

  /// Returns the runs of all pages, continued as our own API does.
  std::vector<std::int64_t> followed(core::run_search search) {
    std::vector<std::int64_t> ids;
    for (auto part = list(search);; part = list(search)) {
      for (const auto& row : part.rows)
        if (!part.rest || row.id > *part.rest)
          ids.push_back(core::number(row.id));
      if (!part.rest)
        return ids;
      search.before = core::log_id{core::number(*part.rest) + 1};
    }
  }
};

using run_ids = std::vector<std::int64_t>;

/// Returns the texts of a kind: our own, with an origin, and XXL-JOB's in three languages.
std::vector<std::string> texts_of(trigger_kind kind) {
  core::trigger_note note;
  note.kind = kind;
  note.node_host = "node-a";
  std::vector<std::string> texts{core::encode(note)};
  note.origin = core::log_id{23};
  texts.push_back(core::encode(note));
  for (const auto reader : {core::language::zh_cn, core::language::zh_tc, core::language::en}) {
    core::trigger_story story;
    story.note = note;
    texts.push_back(core::trigger_text(story, reader, core::trigger_tail::remark));
  }
  return texts;
}

} // namespace

TEST_CASE("runs are found by the kind that their texts tell", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  using enum trigger_kind;
  const std::vector kinds{cron, misfire, manual, parent, retry, api, missed};
  std::int64_t id = 0;
  for (const auto kind : kinds)
    for (const auto& text : texts_of(kind))
      f.add({.id = ++id, .trigger_msg = text});
  f.add({.id = ++id, .trigger_msg = "a text of an administrator about cron"});
  f.add({.id = ++id});
  run_ids all;
  for (const auto& row : f.list({.window = {0, 100}}).rows)
    all.push_back(core::number(row.id));
  for (const auto kind : kinds) {
    run_ids expected;
    for (const auto& row : f.list({.window = {0, 100}}).rows)
      if (core::origin_of(row).kind == kind)
        expected.push_back(core::number(row.id));
    CAPTURE(core::to_string(kind));
    CHECK(expected.size() >= 4);
    CHECK(f.found({.kinds = {kind}, .window = {0, 100}}) == expected);
  }
  CHECK(f.found({.kinds = {manual, api}, .window = {0, 100}}).size() == 10);
  CHECK(f.found({.kinds = kinds, .window = {0, 100}}).size() == all.size() - 2);
}

TEST_CASE("runs are found by the address of their executor, with or without a slash at its end", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1, .address = "http://10.0.0.1:9999/"});
  f.add({.id = 2, .address = "http://10.0.0.1:9999"});
  f.add({.id = 3, .address = "http://10.0.0.1:99991/"});
  f.add({.id = 4});
  CHECK(f.found({.address = "http://10.0.0.1:9999"}) == run_ids{2, 1});
  CHECK(f.found({.address = "http://10.0.0.1:9999/"}) == run_ids{2, 1});
  CHECK(f.found({.address = "http://10.0.0."}).empty());
  CHECK(f.found({.address = "' OR '1' = '1"}).empty());
}

TEST_CASE("runs are found by their duration, open ones by their age", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  f.add({.id = 1, .ended = "2024-03-01 12:00:04"});
  f.add({.id = 2, .ended = "2024-03-01 12:00:05"});
  f.add({.id = 3, .ended = "2024-03-02 12:00:00"});
  // A result that came before its trigger was recorded, and one without a time.
  f.add({.id = 4, .ended = "2024-03-01 11:59:00"});
  f.add({.id = 5, .ended = ""});
  f.add({.id = 6, .handle_code = 0, .ended = ""});
  f.add({.id = 7, .trigger_code = 0, .handle_code = 0, .when = "2024-03-01 12:00:06", .ended = ""});
  // It never ran, so it does not get older.
  f.add({.id = 8, .trigger_code = 500, .handle_code = 0, .ended = ""});
  const auto as_of = noon + 10s;
  CHECK(f.found({.min_duration = 4s, .as_of = as_of}) == run_ids{7, 6, 3, 2, 1});
  CHECK(f.found({.min_duration = 4001ms, .as_of = as_of}) == run_ids{6, 3, 2});
  CHECK(f.found({.min_duration = 10s, .as_of = as_of}) == run_ids{6, 3});
  CHECK(f.found({.min_duration = 11s, .as_of = as_of}) == run_ids{3});
  CHECK(f.found({.min_duration = 4s}) == run_ids{3, 2, 1});
  CHECK(f.found({.status = core::run_status::running, .min_duration = 10s, .as_of = as_of}) == run_ids{6});
  CHECK(f.found({.one_of = {core::run_status::running, core::run_status::pending}, .min_duration = 1s, .as_of = as_of})
        == run_ids{7, 6});
  CHECK(f.found({.status = core::run_status::succeeded, .min_duration = 5s, .as_of = as_of}) == run_ids{3, 2});
}

TEST_CASE("runs are found by words of their messages, not by the fixed part of our notes", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  core::trigger_note note;
  note.node_host = "disk-node";
  f.add({.id = 1, .trigger_msg = core::encode(note), .handle_msg = "no space on Disk 7"});
  note.message = "refused: 100% of disk_a is used";
  f.add({.id = 2, .trigger_msg = core::encode(note), .trigger_code = 500, .handle_code = 0, .ended = ""});
  f.add({.id = 3, .trigger_msg = "Job trigger type：Cron trigger<br>the disk is full"});
  // The message of a run without a result has no meaning.
  f.add({.id = 4, .handle_code = 0, .handle_msg = "disk", .ended = ""});
  f.add({.id = 5, .handle_msg = "磁盘已满 a|b"});
  CHECK(f.found({.words = "disk"}) == run_ids{3, 2, 1});
  CHECK(f.found({.words = "disk-node"}).empty());
  CHECK(f.found({.words = "100%"}) == run_ids{2});
  CHECK(f.found({.words = "0% of d"}) == run_ids{2});
  CHECK(f.found({.words = "disk_"}) == run_ids{2});
  CHECK(f.found({.words = "%"}) == run_ids{2});
  CHECK(f.found({.words = "盘已"}) == run_ids{5});
  CHECK(f.found({.words = "a|b"}) == run_ids{5});
  CHECK(f.found({.words = "FIRST"}).empty());
  CHECK(f.found({.words = "'; DROP TABLE xxl_job_log; --"}).empty());
  CHECK(f.found({.group = core::group_id{1}, .words = "disk"}) == run_ids{3, 2, 1});
  CHECK(f.found({.from = noon + 1s, .words = "disk"}).empty());
}

TEST_CASE("a search that finds nothing in the newest runs is continued until all are searched", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  const bool by_words = GENERATE(false, true);
  const auto stretch = by_words ? storage::run_reader::rows_searched : storage::run_reader::rows_looked_at;
  const auto newest = 2 * stretch + stretch / 2;
  f.add({.id = 1, .handle_msg = "needle", .address = "http://a/", .when = "2024-03-01 09:00:00"});
  f.add({.id = stretch, .handle_msg = "needle", .address = "http://a/", .when = "2024-03-01 10:00:00"});
  f.add({.id = newest - stretch + 5, .address = "http://b/", .when = "2024-03-01 11:00:00"});
  f.add({.id = newest, .address = "http://b/"});
  core::run_search search;
  if (by_words)
    search.words = "needle";
  else
    search.address = "http://a";
  auto part = f.list(search);
  CHECK(part.rows.empty());
  CHECK(part.total_is_capped);
  REQUIRE(part.rest == core::log_id{newest - stretch});
  CHECK(part.searched_to);
  run_ids seen;
  int parts = 1;
  for (; part.rest; ++parts) {
    REQUIRE(parts < 10);
    search.before = core::log_id{core::number(*part.rest) + 1};
    part = f.list(search);
    for (const auto& row : part.rows)
      seen.push_back(core::number(row.id));
  }
  CHECK(seen == run_ids{stretch, 1});
  CHECK(parts == 3);
  // A range of fewer runs is searched whole.
  search.before.reset();
  search.after = core::log_id{newest - stretch};
  CHECK_FALSE(f.list(search).rest);
}

TEST_CASE("a continued search finds failures without a record and runs of jobs that have moved", "[storage][runs]") {
  filter_fixture f{GENERATE(from_range(backends_under_test()))};
  f.db->exec("INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, executor_route_strategy, executor_block_strategy,"
             " glue_type) VALUES (80, 2, 'j', 'NONE', 'FIRST', 'SERIAL_EXECUTION', 'BEAN')");
  f.add({.id = 1, .handle_code = 500});
  f.add({.id = 2, .handle_code = 500});
  f.add({.id = 3, .trigger_code = 500});
  f.add({.id = 4, .group = 2, .job = 80});
  f.add({.id = 5, .group = 2, .job = 81});
  f.add({.id = storage::run_reader::rows_looked_at + 1000});
  f.db->exec("INSERT INTO rm_failed_run (log_id, job, fire_ms) VALUES (1, 7, 0)");
  CHECK(f.followed({.status = core::run_status::failed}) == run_ids{3, 2, 1});
  CHECK(f.followed({.group = core::group_id{2}}) == run_ids{5, 4});
}
