#include "actors/maintenance/report_actor.hpp"

#include "tests/actors/recovery_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;

namespace {

/// The leader; its zone is UTC, and it is Monday noon.
struct reporting : recovery {
  reporting() { queries = std::make_unique<query_worker_double>(*this, store); }
  ~reporting() { end_all(); }

  void begin_reports(std::size_t keep_days = 30) {
    actor_ = spawn<actors::report_actor_state, protocol::report_actor>(
      actors::leader_workers{storage.actor, queries->actor}, config::retention_settings{keep_days},
      config::elastic_settings{elastic_days}, core::zone{}, clock(),
      silent_log());
    take_duty();
  }
  void take_duty() {
    tell(actor_, protocol::incarnation_change{former});
    tell(actor_, protocol::slot_change{core::slot_set{}.set(0)});
    advance(2s);
  }

  /// Adds a run of that instant with these codes; 0: none yet.
  core::log_id add(core::time_point fire_at, std::int32_t trigger_code, std::int32_t handle_code) {
    if (declared.jobs.empty()) {
      declare("settle");
      declared.source = "test";
      declared.groups = {{"pay", "Payments", std::nullopt}};
      expect(look->deploys().apply(declared, false, false, civil()));
    }
    auto job = expect(look->firings().edits_since(0, 10)).at(0);
    core::claim_batch batch;
    batch.owner = former;
    batch.sequence = ++sequence;
    batch.seen_revision = 1'000'000;
    batch.moves.push_back({job.spec->id, *job.next, *job.next, *job.next + 1s});
    batch.runs.push_back(planned(job, address));
    batch.runs[0].fire_at = fire_at;
    auto made = expect(look->firings().claim(batch, civil())).runs.at(0);
    core::record_batch results;
    results.owner = former;
    if (trigger_code != 0) {
      results.triggers.push_back({made.id, made.claim, job.spec, trigger_code, {}, false});
      results.resolved_claims.push_back(made.claim);
    }
    if (handle_code != 0)
      results.callbacks.push_back({made.id, handle_code, {}, job.spec});
    expect(look->firings().record(results, civil()));
    return made.id;
  }
  void finish(core::log_id id) {
    core::record_batch results;
    results.owner = former;
    results.callbacks.push_back({id, 200, {}, nullptr});
    expect(look->firings().record(results, civil()));
  }
  [[nodiscard]] std::size_t rows() { return expect(look->logs().rows_after(core::log_id{0}, 100'000)).size(); }
  /// Adds an elastic job with a run that was granted, and has ended, so many days ago.
  core::elastic::elastic_job_id add_old_elastic_run(int days) {
    namespace elastic = core::elastic;
    core::group_draft draft;
    draft.app_name = "shards";
    draft.title = "Shards";
    elastic::elastic_edit edit;
    edit.what.name = "sums";
    edit.what.group = expect(look->group_editing().add(draft, core::local_operator(), civil()));
    edit.what.handler = "sum";
    edit.what.total = 1;
    const auto job = expect(look->elastic().put(edit, civil(), core::local_operator())).id;
    const auto mark = expect(look->elastic().mark(std::string(32, 'c')));
    const elastic::host_facts facts{"h1", "shards", "process", "folder", "boot", 1, 2, 3, "10.0.0.1", "", 4};
    const auto host = expect(look->elastic().enter_host(former, mark.cluster_id, facts)).row->process;
    const auto slot = static_cast<std::uint32_t>(core::slot_of(core::job_id{core::number(job)}));
    const auto leases = expect(look->elastic().take_leases(former, std::vector{elastic::lease_wish{slot, 0}}));
    const auto write = [&](elastic::item_change what) {
      elastic::item_write one{job, elastic::item_number{0}, std::move(what)};
      return expect(look->elastic().write({former, leases, {std::move(one)}}, civil() - days * 24h)).at(0).items.at(0);
    };
    const elastic::run_cause cause{elastic::run_source::manual, {civil(), elastic::run_source::manual, elastic::request_id{1}}};
    const auto run = write(elastic::item_grant{{}, host, cause, 1, core::milliseconds{500}}).run;
    write(elastic::action::write_end{run, elastic::fence_number{1}, elastic::item_run_end::finished, {}});
    return job;
  }
  [[nodiscard]] std::size_t elastic_runs(core::elastic::elastic_job_id job) {
    return expect(look->elastic().history({.job = job}, core::local_operator())).rows.size();
  }
  [[nodiscard]] static core::time_point midnight(int days_ago) { return start - 12h - days_ago * 24h; }

  std::unique_ptr<query_worker_double> queries;
  std::size_t elastic_days = 30;
  protocol::report_actor actor_;
};

} // namespace

TEST_CASE_METHOD(reporting, "three days are reported at once, empty or not", "[actors]") {
  add(midnight(1) + 1s, 200, 200);
  add(midnight(0), 200, 0);
  add(midnight(0) + 1h, 500, 0);
  begin_reports();
  CHECK(store.reports == std::map<core::time_point, core::run_counts>{
                           {midnight(2), {}}, {midnight(1), {1, 0, 1}}, {midnight(0), {2, 1, 0}}});
}

TEST_CASE_METHOD(reporting, "a minute later the report shows the changes, and only they are written", "[actors]") {
  auto open = add(midnight(0), 200, 0);
  begin_reports();
  store.reports.clear();
  advance(5min);
  CHECK(store.reports.empty());
  finish(open);
  add(civil(), 200, 200);
  advance(65s);
  CHECK(store.reports == std::map<core::time_point, core::run_counts>{{midnight(0), {2, 0, 2}}});
}

TEST_CASE_METHOD(reporting, "a new day begins with its own row", "[actors]") {
  add(midnight(2), 200, 200);
  begin_reports();
  store.reports.clear();
  advance(12h + 2min);
  CHECK(store.reports == std::map<core::time_point, core::run_counts>{{midnight(1), {}}, {midnight(0), {}}, {midnight(-1), {}}});
}

TEST_CASE_METHOD(reporting, "a report that could not be written is written later", "[actors]") {
  add(midnight(0), 200, 200);
  store.go_away();
  begin_reports();
  advance(3min);
  CHECK(store.reports.empty());
  store.come_back();
  advance(10s);
  CHECK(store.reports[midnight(0)] == core::run_counts{1, 0, 1});
}

TEST_CASE_METHOD(reporting, "runs beyond the age limit are removed, and the others stay", "[actors]") {
  for (int i = 0; i < 250; ++i)
    add(midnight(31), 200, 200);
  add(midnight(30), 200, 200);
  auto kept = add(midnight(30) + 1s, 200, 200);
  begin_reports();
  advance(2min);
  REQUIRE(rows() == 1);
  CHECK(expect(look->logs().rows_after(core::log_id{0}, 1)).at(0).id == kept);
  // At midnight the limit moves on.
  advance(12h);
  CHECK(rows() == 0);
}

TEST_CASE_METHOD(reporting, "once a day dangling rows are removed, with or without an age limit", "[actors]") {
  const auto ended = [&](const std::string& name) {
    expect(look->cluster().leave(expect(look->cluster().enter(name, "http://x/"))));
  };
  const auto known = [&](const std::string& name) {
    const auto nodes = expect(look->cluster().nodes());
    return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.id == name; });
  };
  ended("at the start");
  begin_reports(GENERATE(std::size_t{0}, std::size_t{30}));
  advance(10s);
  CHECK_FALSE(known("at the start"));
  ended("later");
  advance(23h);
  CHECK(known("later"));
  advance(2h);
  CHECK_FALSE(known("later"));
}

TEST_CASE_METHOD(reporting, "without an age limit no run is removed", "[actors]") {
  add(midnight(3000), 200, 200);
  begin_reports(0);
  advance(25h);
  CHECK(rows() == 1);
}

TEST_CASE_METHOD(reporting, "a run whose claim is open is kept, however old", "[actors]") {
  add(midnight(50), 0, 0);
  add(midnight(50), 200, 200);
  begin_reports();
  advance(2min);
  CHECK(rows() == 1);
}

TEST_CASE_METHOD(reporting, "the purge goes on when the database is back", "[actors]") {
  for (int i = 0; i < 300; ++i)
    add(midnight(40), 200, 200);
  store.after = [this](std::string_view method) {
    if (method == "purge")
      store.go_away();
  };
  begin_reports();
  advance(1min);
  auto left = rows();
  CHECK(left > 0);
  CHECK(left < 300);
  advance(1min);
  CHECK(rows() == left);
  store.after = nullptr;
  store.come_back();
  advance(2min);
  CHECK(rows() == 0);
}

TEST_CASE_METHOD(reporting, "the task ends with the slot and with the incarnation, and begins again", "[actors]") {
  add(midnight(40), 200, 200);
  begin_reports();
  advance(10s);
  store.reports.clear();
  SECTION("slot 0 goes to another node") { tell(actor_, protocol::slot_change{core::slot_set{}.set(7)}); }
  SECTION("the lease is lost") { tell(actor_, protocol::incarnation_change{}); }
  add(midnight(40), 200, 200);
  add(midnight(0), 200, 200);
  advance(1h);
  CHECK(store.reports.empty());
  CHECK(rows() == 2);
  take_duty();
  advance(1min);
  CHECK(store.reports[midnight(0)] == core::run_counts{1, 0, 1});
  CHECK(rows() == 1);
}

TEST_CASE_METHOD(reporting, "old entries are removed from the audit log, some at a time", "[actors]") {
  const auto calls = std::make_shared<std::size_t>(0);
  store.after = [calls](std::string_view called) { *calls += called == "purge_audits" ? 1 : 0; };
  begin_reports();
  CHECK(*calls == 1);
  advance(59min);
  CHECK(*calls == 1);
  advance(2min);
  CHECK(*calls == 2);
}

TEST_CASE_METHOD(reporting, "old runs of elastic jobs are removed", "[actors]") {
  const auto job = add_old_elastic_run(29);
  REQUIRE(elastic_runs(job) == 1);
  begin_reports();
  advance(22h);
  CHECK(elastic_runs(job) == 1);
  advance(4h);
  CHECK(elastic_runs(job) == 0);
}

TEST_CASE_METHOD(reporting, "the history of elastic jobs is kept with history_days = 0", "[actors]") {
  const auto job = add_old_elastic_run(4000);
  elastic_days = 0;
  begin_reports();
  advance(3h);
  CHECK(elastic_runs(job) == 1);
}
