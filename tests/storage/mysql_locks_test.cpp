// All writers at once on one MariaDB: claims, results, edits, foreign edits with SQL and their adoption, removals, takeovers,
// alarms, retention. Transactions may deadlock, and are then repeated; none may fail and none may stall.
// RINGMASTER_LOCK_ROUNDS=20 runs twenty times as many rounds.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "core/maintenance/log_maintenance.hpp"
#include "tests/storage/deploy_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t job_count = 24;
/// Longer than any wait for a lock (1 s), so that a longer wait is for a lock that is held for no reason.
constexpr auto stall = 5s;

core::declared_set declared(const std::string& seconds) {
  auto set = pay_set();
  set.jobs.clear();
  for (std::size_t i = 0; i < job_count; ++i) {
    auto job = declared_job_of("pay", "job" + std::to_string(i));
    job.schedule_conf = "*/" + seconds + " * * * * ?";
    job.retry_count = i % 3 == 0 ? 1 : 0;
    if (i % 4 == 1)
      job.children = {{"", "job0"}};
    set.jobs.push_back(std::move(job));
  }
  return set;
}

/// The outcomes of all threads.
class outcomes {
public:
  /// Counts the outcome. An error that the use case allows does not count as one.
  template <class T>
  bool note(const char* what, const core::result<T>& result, std::chrono::steady_clock::time_point since,
            std::initializer_list<core::errc> expected = {}) {
    const auto took = std::chrono::steady_clock::now() - since;
    const std::lock_guard lock{guard_};
    longest = std::max(longest, took);
    if (result) {
      ++done[what];
      return true;
    }
    if (std::find(expected.begin(), expected.end(), result.error().code) == expected.end())
      failures.insert(std::string{what} + ": " + result.error().context);
    return false;
  }

  std::map<std::string, int> done;
  std::set<std::string> failures;
  std::chrono::steady_clock::duration longest{0};

private:
  std::mutex guard_;
};

/// One thread with a separate store; repeats its work `rounds` times.
class worker {
public:
  worker(deploy_fixture& f, outcomes& met, std::uint32_t seed) : met{met}, store{f.db->open()}, random{seed} {}
  virtual ~worker() = default;

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round)
      work(round);
  }

protected:
  virtual void work(int round) = 0;

  /// Returns the result, if there is one.
  template <class Call>
  auto tried(const char* what, Call&& call, std::initializer_list<core::errc> expected = {}) {
    const auto since = std::chrono::steady_clock::now();
    auto result = call();
    met.note(what, result, since, expected);
    return result;
  }
  std::vector<core::scheduled_job> jobs() {
    auto all = tried("load", [&] { return store->firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000); });
    return all ? std::move(*all) : std::vector<core::scheduled_job>{};
  }
  core::job_id any_job() {
    auto all = jobs();
    return all.empty() ? core::job_id{1} : all[random() % all.size()].spec->id;
  }

  outcomes& met;
  std::unique_ptr<storage::store> store;
  std::minstd_rand random;
};

/// A node: T1, T2, T3, T4; now and then a new incarnation that adopts the claims of the old one (T6, T7).
class node final : public worker {
public:
  node(deploy_fixture& f, outcomes& met, std::string name, std::uint32_t seed)
    : worker{f, met, seed}, life_{require(store->cluster().enter(name, name + ":1"))} {}

private:
  void work(int round) override {
    if (round % 9 == 8)
      return new_incarnation();
    core::claim_batch batch;
    batch.owner = life_;
    batch.sequence = ++sequence_;
    plan(batch);
    auto outcome = tried("claim", [&] { return store->firings().claim(batch, noon); });
    if (outcome)
      record(outcome->runs, batch.sequence);
  }

  // About half of the jobs, so that nodes and edits meet on some and not on others.
  void plan(core::claim_batch& batch) {
    std::map<core::job_id, core::job_ptr> specs;
    for (const auto& job : jobs()) {
      specs[job.spec->id] = job.spec;
      batch.seen_revision = std::max(batch.seen_revision, job.revision);
      if (!job.next || random() % 2 == 0)
        continue;
      const bool last = random() % 16 == 0;
      batch.moves.push_back({job.spec->id, *job.next, *job.next, last ? std::nullopt : std::optional{*job.next + 1s}});
      batch.runs.push_back(firing_fixture::run_of(job.spec, *job.next));
    }
    const auto waiting = tried("waiting intents", [&] { return store->firings().waiting_intents(noon + 1h, 20); });
    for (const auto& intent : waiting ? *waiting : std::vector<core::intent>{}) {
      if (!specs.contains(intent.job))
        continue;
      auto run = firing_fixture::run_of(specs[intent.job], noon);
      run.intent = intent.id;
      run.kind = intent.kind;
      run.retry_left = 0;
      batch.runs.push_back(std::move(run));
    }
  }

  void record(const std::vector<core::claimed_run>& runs, std::int64_t claim) {
    core::record_batch sent, ended;
    sent.owner = ended.owner = life_;
    for (const auto& run : runs) {
      const bool refused = random() % 8 == 0;
      sent.triggers.push_back(firing_fixture::answer(run, refused ? 500 : 200, refused ? "refused" : ""));
      if (!refused)
        ended.callbacks.push_back(firing_fixture::callback(run, random() % 4 == 0 ? 500 : 200, "done"));
    }
    if (random() % 2 == 0)
      sent.resolved_claims = {claim};
    else
      ended.resolved_claims = {claim};
    if (random() % 4 == 0)
      return; // the next incarnation finds them
    tried("record", [&] { return store->firings().record(sent, noon); });
    tried("record", [&] { return store->firings().record(ended, noon); });
  }

  void new_incarnation() {
    auto life = tried("enter", [&] { return store->cluster().enter(life_.node, life_.node + ":1"); });
    if (!life)
      return;
    life_ = *life;
    sequence_ = 1'000;
    auto adopted = tried("adopt", [&] { return store->firings().adopt(life_, 1, 20); });
    if (!adopted || adopted->empty())
      return;
    std::vector<core::resend> again;
    core::record_batch given_up;
    given_up.owner = life_;
    for (const auto& run : *adopted) {
      again.push_back({run.claim, run.id});
      given_up.triggers.push_back({run.id, run.claim, nullptr, 500, "delivery unknown", true});
      given_up.resolved_claims.push_back(run.claim);
    }
    tried("permit", [&] { return store->firings().permit_resend(life_, again); });
    tried("record", [&] { return store->firings().record(given_up, noon); });
  }

  core::node_incarnation life_;
  std::int64_t sequence_ = 0;
};

/// An editor that declares, starts, stops, triggers and removes.
class editor final : public worker {
public:
  using worker::worker;

private:
  void work(int round) override {
    const auto gone = {core::errc::not_found, core::errc::invalid_argument};
    switch (round % 5) {
    case 0:
      tried("apply", [&] { return store->deploys().apply(declared(random() % 2 == 0 ? "2" : "1"), false, false, noon); });
      break;
    case 1: tried("stop", [&, job = any_job()] { return store->jobs().stop(job, noon); }, gone); break;
    case 2: tried("start", [&, job = any_job()] { return store->jobs().start(job, noon); }, gone); break;
    case 3: {
      const core::manual_trigger wanted{any_job(), core::trigger_kind::manual, {}, {}, -static_cast<std::int64_t>(random()) - 1};
      tried("trigger", [&] { return store->jobs().trigger(wanted, noon); }, gone);
      break;
    }
    default: remove(any_job());
    }
  }
  void remove(core::job_id job) {
    if (!tried("remove", [&] { return store->jobs().remove(job, true, noon); }, {core::errc::not_found}))
      return;
    tried("remove logs", [&] { return store->jobs().remove_logs(job, core::log_id{}, 50); });
  }
};

/// Repeats the check of XXL's table that runs every minute.
class adopting_node final : public worker {
public:
  using worker::worker;

private:
  void work(int) override {
    auto step = tried("tend", [&] { return store->mirror().sync(core::job_id{0}, 100, true, noon); });
    if (step)
      adopted += static_cast<int>(step->adopted.size());
  }

public:
  int adopted = 0;
};

/// Alarms, sweeps and retention.
class housekeeper final : public worker {
public:
  housekeeper(deploy_fixture& f, outcomes& met, std::uint32_t seed)
    : worker{f, met, seed}, life_{require(store->cluster().enter("keeper", "keeper:1"))} {}

private:
  void work(int round) override {
    tried("failure sweep", [&] { return store->alarms().sweep(noon, true, 20); });
    if (auto taken = tried("take alarms", [&] { return store->alarms().take(life_, false, noon, 20); })) {
      std::vector<core::alarm_end> ends;
      for (const auto& alarm : *taken)
        ends.push_back({alarm.id, core::alarm_status::sent, false});
      tried("finish alarms", [&] { return store->alarms().finish(life_, ends); });
    }
    tried("abandoned", [&] { return store->firings().fail_abandoned(noon - 10min, 20); });
    tried("beat", [&] { return store->cluster().beat(life_, round); });
    auto span = tried("span", [&] { return store->maintenance().span(); });
    if (span)
      tried("purge", [&] {
        return store->maintenance().purge({{core::log_id{0}, span->last}, noon + 1h, 10});
      });
  }

  core::node_incarnation life_;
};

} // namespace

TEST_CASE("claims, edits, adoptions, removals and retention at once end without an error or a stall", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  deploy_fixture f{mysql_backend()};
  f.apply(declared("1"));
  outcomes met;
  node a{f, met, "a", 1}, b{f, met, "b", 2};
  editor one{f, met, 3}, other{f, met, 4};
  adopting_node adopting{f, met, 5};
  housekeeper keeping{f, met, 6};
  const auto* set = std::getenv("RINGMASTER_LOCK_ROUNDS");
  const int more = set != nullptr ? std::atoi(set) : 1;
  std::vector<std::thread> threads;
  for (auto* each : std::initializer_list<worker*>{&a, &b})
    threads.emplace_back([each, more] { each->run(150 * more); });
  for (auto* each : std::initializer_list<worker*>{&one, &other})
    threads.emplace_back([each, more] { each->run(100 * more); });
  std::atomic<bool> looking{true};
  threads.emplace_back([&] {
    // Our own edits since the last check are not adoptions: until the others have finished, there may be none.
    adopting.run(150 * more);
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (adopting.adopted == 0 && std::chrono::steady_clock::now() < end)
      adopting.run(1);
    looking = false;
  });
  threads.emplace_back([&] { keeping.run(60 * more); });
  // SQL of another program, which does not follow our order of locks.
  std::size_t refused = 0, statements = 0;
  for (int i = 0; i < 150 * more || looking; ++i, ++statements)
    try {
      const auto id = std::to_string(1 + i % job_count);
      f.db->exec(i % 3 == 0 ? "UPDATE xxl_job_info SET schedule_conf = '*/3 * * * * ?', update_time = NOW() WHERE id = " + id
                            : "UPDATE xxl_job_info SET trigger_status = " + std::to_string(i % 2) + " WHERE id = " + id);
    } catch (const std::runtime_error&) {
      ++refused; // it may be the one to roll back
    }
  for (auto& each : threads)
    each.join();
  for (const auto& [what, times] : met.done)
    UNSCOPED_INFO(what << ": " << times);
  UNSCOPED_INFO("deadlocks: " << f.db->value("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                                             " WHERE VARIABLE_NAME = 'INNODB_DEADLOCKS'"));
  UNSCOPED_INFO("longest: " << std::chrono::duration_cast<std::chrono::milliseconds>(met.longest).count() << " ms");
  CHECK(met.failures == std::set<std::string>{});
  CHECK(met.longest < stall);
  CHECK(adopting.adopted > 0);
  CHECK(refused * 10 < statements);
  for (const auto* what : {"claim", "record", "adopt", "permit", "apply", "stop", "start", "trigger", "remove", "tend", "purge"})
    CHECK(met.done[what] > 0);
  CHECK(f.db->value("SELECT count(*) FROM rm_schedule WHERE next_ms <> 0 AND next_ms <= last_ms") == "0");
}

namespace {

int lock_waits(test_database& db) {
  return std::stoi(db.value("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                            " WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_WAITS'"));
}

} // namespace

// The server reports it after the first rows of the answer.
TEST_CASE("a list of rows with a later locked row is read again, without a stall", "[storage]") {
  if (const auto reason = mariadb_server::unavailable_reason())
    return skip(*reason);
  deploy_fixture f{mysql_backend()};
  f.apply(declared("1"));
  const auto waits = lock_waits(*f.db);
  f.db->exec("START TRANSACTION");
  f.db->exec("UPDATE rm_schedule SET last_ms = last_ms + 1000 WHERE job = " + f.id_of("job20"));
  core::result<core::deploy_report> applied;
  const auto since = std::chrono::steady_clock::now();
  std::thread editing{[&] { applied = f.try_apply(declared("2")); }};
  // Until the first wait has ended and the second one has begun.
  while (lock_waits(*f.db) < waits + 2 && std::chrono::steady_clock::now() - since < stall) {
  }
  f.db->exec("COMMIT");
  editing.join();
  CHECK(kinds(require(std::move(applied))).find('~') != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - since < stall);
}
