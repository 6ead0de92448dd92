// Shared mode: a claim and an edit of its job at the same time (firing protocol §7.1, F5).

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "tests/storage/reservation_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

/// One declared job with the parameter `old`, and one intent of it that is about to be claimed with that definition.
struct shared_race : reservation_fixture {
  explicit shared_race(const test_backend& backend) : reservation_fixture{backend} {
    set.jobs = {declared_job_of("pay", "settle")};
    set.jobs[0].schedule_conf = "*/1 * * * * ?";
    set.jobs[0].params = "old";
    apply(set);
    id = core::job_id{std::stoi(id_of("settle"))};
    spec = job(core::number(id));
    require(editor->ping()); // a new connection writes its number into the node's row
  }

  core::intent reserved() {
    auto some = reserve(noon + 6s).intents;
    REQUIRE_FALSE(some.empty());
    return some.front();
  }

  core::intent by_hand() {
    core::manual_trigger request;
    request.job = id;
    request.token = -1;
    return require(store->jobs().trigger(request, noon));
  }

  /// Runs T2 and the edits on separate connections.
  void begin_claim(const core::intent& intent) {
    claiming = std::thread{[this, intent] { claimed = try_claim(me, {intent}, {spec}); }};
  }
  void begin_edit(std::function<void(storage::store&)> edit) {
    editing = std::thread{[this, edit = std::move(edit)] {
      edit(*editor);
      if (auto found = editor->jobs().runs_on_their_way({&id, 1}))
        answered = *found;
      edited = true;
    }};
  }

  /// Waits until this many transactions wait for a row or a table, or the edit is answered.
  void wait_for_waits(int wanted) {
    const auto waits = [this] {
      return std::stoi(db->value(
        "SELECT VARIABLE_VALUE + (SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%')"
        " FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"));
    };
    for (const auto end = std::chrono::steady_clock::now() + 10s;
         waits() < wanted && !edited && std::chrono::steady_clock::now() < end;)
      std::this_thread::yield();
  }

  /// Blocks the claim, which waits for no row but for the table that it inserts its runs into.
  void hold_log() { db->exec("LOCK TABLES xxl_job_log WRITE"); }
  void let_log_go() { db->exec("UNLOCK TABLES"); }

  /// Checks that only the runs that the edit reports as being sent are sent with the old definition.
  void check_end() {
    if (claiming.joinable())
      claiming.join();
    editing.join();
    require(std::move(claimed));
    REQUIRE(answered);
    CHECK(rows("xxl_job_log", "executor_param = 'old'") == std::to_string(*answered));
  }

  core::declared_set set = pay_set();
  core::job_id id{};
  core::job_ptr spec;
  std::unique_ptr<storage::store> editor = db->open();
  std::thread claiming;
  std::thread editing;
  core::result<core::claim_outcome> claimed;
  std::optional<std::size_t> answered;
  std::atomic<bool> edited{false};
};

} // namespace

TEST_CASE("in shared mode an edit waits for claims in progress", "[storage]") {
  const auto edit = GENERATE(as<std::string>{}, "parameter", "schedule", "prune", "remove", "stop");
  const bool reserved = GENERATE(true, false);
  shared_race f{GENERATE(from_range(shared_backends()))};
  CAPTURE(edit, reserved);
  const auto intent = reserved ? f.reserved() : f.by_hand();
  f.hold_log(); // the claim has taken its intent, read the definition, and is about to insert its run
  f.begin_claim(intent);
  f.wait_for_waits(1);
  f.begin_edit([&, set = f.set](storage::store& own) mutable {
    if (edit == "remove")
      return (void) own.jobs().remove(f.id, true, noon);
    if (edit == "stop")
      return (void) own.jobs().stop(f.id, noon + 6s);
    set.jobs[0].params = "new";
    if (edit == "schedule")
      set.jobs[0].schedule_conf = "*/2 * * * * ?";
    if (edit == "prune")
      set.jobs.clear();
    (void) own.deploys().apply(set, false, edit == "prune", noon + 6s);
  });
  f.wait_for_waits(2);
  f.let_log_go();
  f.check_end();
  CHECK(f.rows("xxl_job_info", edit == "prune" || edit == "remove" ? "1" : "executor_param = 'old'")
        == (edit == "stop" ? "1" : "0"));
}

TEST_CASE("in shared mode the first edit of a job that a Java console made waits for its claims", "[storage]") {
  shared_race f{GENERATE(from_range(shared_backends()))};
  const auto intent = f.by_hand();
  f.db->exec("DELETE FROM rm_schedule"); // such a job has none
  f.hold_log();
  f.begin_claim(intent);
  f.wait_for_waits(1);
  f.begin_edit([&](storage::store& own) { (void) own.jobs().stop(f.id, noon + 6s); });
  f.wait_for_waits(2);
  CHECK_FALSE(f.edited);
  f.let_log_go();
  f.check_end();
  CHECK(*f.answered == 1);
  CHECK(f.rows("rm_schedule") == "1");
}

TEST_CASE("in shared mode a manual run requested during an edit uses the new definition", "[storage]") {
  shared_race f{GENERATE(from_range(shared_backends()))};
  const auto job = std::to_string(core::number(f.id));
  // The test's own connection simulates the edit: it has its locks and has not committed.
  f.db->exec("START TRANSACTION");
  f.db->exec("UPDATE rm_schedule SET revision = revision + 1 WHERE job = " + job);
  f.db->exec("UPDATE xxl_job_info SET executor_param = 'new' WHERE id = " + job);
  const auto intent = f.by_hand();
  const auto early = require(f.try_claim(f.me, {intent}, {f.spec}));
  CHECK(early.runs.empty());
  CHECK(early.locked_intents == std::vector{intent.id});
  f.db->exec("COMMIT");
  CHECK(require(f.try_claim(f.me, {intent}, {f.spec})).stale_intents == std::vector{intent.id}); // planned again
  CHECK(f.rows("rm_intent", "state = 0") == "1");
  CHECK(f.claim({intent}).runs.size() == 1);
  CHECK(f.rows("xxl_job_log", "executor_param = 'new'") == "1");
}

namespace {

/// Reserves, requests manual runs, and claims waiting intents with the definition just read, until stopped.
class claimant {
public:
  claimant(shared_race& f, core::node_incarnation life) : store_{f.db->open()}, life_{std::move(life)}, job_{f.id} {}

  void run(const std::atomic<bool>& on) {
    for (auto now = noon + 6s; on && failure.empty(); now += 100ms) {
      note(store_->reservations()->reserve(life_, {.now = now}));
      core::manual_trigger request;
      request.job = job_;
      request.token = --token_;
      note(store_->jobs().trigger(request, now));
      claim();
    }
  }

  std::string failure;
  std::size_t won = 0;

private:
  template <class T>
  bool note(const core::result<T>& outcome) {
    if (!outcome && outcome.error().code != core::errc::unavailable)
      failure = outcome.error().context;
    return outcome.has_value();
  }

  void claim() {
    const auto jobs = store_->firings().read_jobs({&job_, 1});
    const auto waiting = store_->firings().waiting_intents(noon + 24h, 10);
    if (!note(jobs) || !note(waiting) || waiting->empty() || jobs->empty())
      return;
    core::claim_batch batch;
    batch.owner = life_;
    batch.sequence = ++sequence_;
    batch.shared = true;
    for (const auto& intent : *waiting) {
      auto& run = batch.runs.emplace_back(firing_fixture::run_of(jobs->front().spec, intent.fire_at));
      run.kind = intent.kind;
      run.intent = intent.id;
    }
    const auto outcome = store_->firings().claim(batch, noon);
    if (note(outcome))
      won += outcome->runs.size();
  }

  std::unique_ptr<storage::store> store_;
  core::node_incarnation life_;
  core::job_id job_;
  std::int64_t token_ = 0;
  std::int64_t sequence_ = 0;
};

} // namespace

TEST_CASE("in shared mode nothing is claimed with a definition that an edit has replaced", "[storage]") {
  shared_race f{GENERATE(from_range(shared_backends()))};
  claimant first{f, f.me};
  claimant second{f, require(f.store->cluster().enter("node-b", "there"))};
  std::atomic<bool> on{true};
  std::thread one{[&] { first.run(on); }};
  std::thread other{[&] { second.run(on); }};
  std::vector<std::string> older; // the rows with older definitions, once each edit was acknowledged
  const auto rows_before = [&f](int edit) { return f.rows("xxl_job_log", "executor_param + 0 < " + std::to_string(edit)); };
  std::string failure;
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (int edit = 1; failure.empty() && std::chrono::steady_clock::now() < end; ++edit) {
    if (edit > 40 && f.rows("xxl_job_log") != "0")
      break;
    f.set.jobs[0].params = std::to_string(edit);
    const auto applied = f.try_apply(f.set);
    if (applied)
      older.push_back(rows_before(edit));
    else
      failure = applied.error().context;
  }
  on = false;
  one.join();
  other.join();
  CHECK(failure == "");
  CHECK(first.failure == "");
  CHECK(second.failure == "");
  CHECK(first.won + second.won > 0);
  CHECK(f.rows("xxl_job_log") == std::to_string(first.won + second.won));
  for (std::size_t i = 0; i < older.size(); ++i)
    CHECK(rows_before(static_cast<int>(i) + 1) == older[i]);
}
