// Writes of coordinators: E4 to E10, each done, repeated, fenced and lost.

#include <algorithm>

#include "tests/storage/elastic_fixture.hpp"
#include "tests/storage/write_counter.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using enum elastic::write_outcome;

namespace {

elastic::action::write_end finish_of(elastic::item_run_id run, std::int64_t fence, elastic::item_next next = {}) {
  return {run, elastic::fence_number{fence}, elastic::item_run_end::finished, std::move(next)};
}

elastic::action::write_loss loss_of(elastic::item_run_id run, std::int64_t fence, elastic::loss_proof proof,
                                    elastic::item_next next = {}) {
  return {run, elastic::fence_number{fence}, proof, elastic::item_run_end::lost, std::move(next)};
}

} // namespace

TEST_CASE("E5 grants an idle item once", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(1);
  const auto row = f.item(1);
  CHECK(row.state == elastic::stored_item_state::open);
  CHECK(core::number(row.fence) == 1);
  CHECK(row.run == run);
  CHECK(row.host == f.host);
  CHECK(row.lease == 500ms);
  CHECK(row.cause == f.grant(0).cause);
  CHECK(row.granted == noon);
  CHECK(f.run_state(run) == "1");
  CHECK(f.write_item(1, f.grant(0)) == elastic::item_answer{repeated, repeated, run});
  CHECK(f.write_item(1, f.grant(1)).outcome == guard_lost);
  CHECK(f.write_item(2, f.grant(5)).outcome == guard_lost);
  CHECK(f.write_item(17, f.grant(0)).outcome == guard_lost);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run") == "1");
}

TEST_CASE("E5 needs a host that is up with this incarnation, and an item that is enabled", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto asked = f.grant(0);
  SECTION("another incarnation") {
    asked.host.incarnation = elastic::host_incarnation{9};
  }
  SECTION("a silent host") { f.set_host_state(elastic::host_state::silent); }
  SECTION("a host that left") { f.set_host_state(elastic::host_state::left); }
  SECTION("a disabled item") {
    require(f.ej().set_item_disabled(f.job, elastic::item_number{1}, true, noon, core::local_operator()));
  }
  SECTION("a surplus item") {
    auto edit = elastic_fixture::definition("sums", 1);
    edit.id = f.job;
    edit.version = 1;
    require(f.ej().put(edit, noon, core::local_operator()));
  }
  CHECK(f.write_item(1, asked).outcome == guard_lost);
  CHECK(f.item(1).state == elastic::stored_item_state::idle);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run") == "0");
}

TEST_CASE("writes of a slot with another epoch are fenced, the others are kept", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto second = f.add("more").id;
  auto wanted = std::vector{elastic::lease_wish{storage::slot_of(second), 0}};
  const auto more = require(f.ej().take_leases(f.me, wanted)).at(0);
  const elastic::item_write first{f.job, elastic::item_number{0}, f.grant(0)};
  const elastic::item_write other{second, elastic::item_number{0}, f.grant(0)};
  auto batch = f.batch({first, other});
  batch.leases.push_back({more.slot, more.epoch + 1});
  auto answers = require(f.ej().write(batch, noon));
  CHECK(answers.at(0).outcome == done);
  CHECK(answers.at(1).outcome == fenced);
  CHECK(answers.at(1).items.at(0).outcome == fenced);
  batch.leases = {f.lease};
  CHECK(require(f.ej().write(batch, noon)).at(1).outcome == fenced);
  batch.owner = f.other;
  CHECK(require(f.ej().write(batch, noon)).at(0).outcome == fenced);
  batch.owner = f.me;
  require(f.store->cluster().leave(f.me));
  CHECK(error_of(f.ej().write(batch, noon)) == core::errc::fenced);
}

TEST_CASE("E6 ends a run once, with the next grant in the same transaction", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto run = f.open(0);
  SECTION("to idle") {
    const elastic::run_report report{noon + 1s, noon + 2s};
    CHECK(f.write_item(0, finish_of(run, 1), report).outcome == done);
    CHECK(f.db->query("SELECT state, started_ms, ended_ms, message FROM ej_run")
          == table{{"2", ms(noon + 1s), ms(noon + 2s), "NULL"}});
    CHECK(f.item(0).state == elastic::stored_item_state::idle);
    CHECK(core::number(f.item(0).run) == 0);
    CHECK(f.write_item(0, finish_of(run, 1), report).outcome == repeated);
    CHECK(f.write_item(0, loss_of(run, 1, elastic::loss_proof::never_sent)).outcome == guard_lost);
  }
  SECTION("to the compensation") {
    CHECK(f.write_item(0, elastic::write_mark{}).outcome == done);
    CHECK(f.item(0).missed);
    elastic::item_next next;
    next.grant = f.grant(1, elastic::run_source::misfire);
    const auto answer = f.write_item(0, finish_of(run, 1, next));
    CHECK(answer.outcome == done);
    CHECK(answer.grant == done);
    CHECK(f.item(0).run == answer.run);
    CHECK(core::number(f.item(0).fence) == 2);
    CHECK_FALSE(f.item(0).missed);
    CHECK(f.write_item(0, finish_of(run, 1, next)) == elastic::item_answer{repeated, repeated, answer.run});
  }
  SECTION("the host of the next grant is gone: the run ends all the same") {
    f.set_host_state(elastic::host_state::silent);
    elastic::item_next next{elastic::stored_item_state::wanted, {}, 1, f.grant(1, elastic::run_source::misfire)};
    const auto answer = f.write_item(0, finish_of(run, 1, next));
    CHECK(answer.outcome == done);
    CHECK(answer.grant == guard_lost);
    CHECK(f.item(0).state == elastic::stored_item_state::wanted);
    CHECK(f.run_state(run) == "2");
    CHECK(f.write_item(0, finish_of(run, 1, next)) == elastic::item_answer{repeated, guard_lost, {}});
  }
  SECTION("wrong fence, wrong run") {
    CHECK(f.write_item(0, finish_of(run, 2)).outcome == guard_lost);
    CHECK(f.write_item(0, finish_of(elastic::item_run_id{99}, 1)).outcome == guard_lost);
    CHECK(f.write_item(1, finish_of(run, 1)).outcome == guard_lost);
  }
  SECTION("a failure text is cut, and made valid") {
    elastic::run_report report{noon, noon, std::string(5000, 'x')};
    report.message[0] = '\xff';
    auto end = finish_of(run, 1);
    end.end = elastic::item_run_end::error;
    CHECK(f.write_item(0, end, report).outcome == done);
    CHECK(f.db->value("SELECT LENGTH(message) FROM ej_run") >= "4000");
    CHECK(f.run_state(run) == "3");
    CHECK(f.write_item(0, end, report).outcome == repeated);
  }
}

TEST_CASE("E9 needs a proof that no body runs", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  using enum elastic::loss_proof;
  const auto run = f.open(0);
  const elastic::item_next wanted{elastic::stored_item_state::wanted, run, 2};
  CHECK(f.write_item(0, loss_of(run, 1, process_ended, wanted)).outcome == guard_lost);
  CHECK(f.write_item(0, loss_of(run, 1, lease_over, wanted)).outcome == guard_lost);
  SECTION("the host is dead: the item is taken over elsewhere") {
    const auto spare = require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h2", "p2"))).row->process;
    f.set_host_state(elastic::host_state::dead);
    auto next = wanted;
    next.grant = f.grant(1, elastic::run_source::failover);
    next.grant->host = spare;
    next.grant->attempt = 2;
    const auto answer = f.write_item(0, loss_of(run, 1, process_ended, next));
    CHECK(answer.outcome == done);
    CHECK(answer.grant == done);
    CHECK(f.run_state(run) == "4");
    CHECK(f.item(0).host == spare);
    CHECK(f.item(0).attempt == 2);
    CHECK(f.write_item(0, loss_of(run, 1, process_ended, next)) == elastic::item_answer{repeated, repeated, answer.run});
  }
  SECTION("a newer process has replaced it") {
    require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h1", "p2")));
    CHECK(f.write_item(0, loss_of(run, 1, process_ended, wanted)).outcome == done);
    const auto row = f.item(0);
    CHECK(row.state == elastic::stored_item_state::wanted);
    CHECK(row.run == run);
    CHECK(row.attempt == 2);
    CHECK(row.cause.source == elastic::run_source::failover);
    CHECK(row.cause.fire == f.grant(0).cause.fire);
  }
  SECTION("a newer process from another folder proves nothing but the end of the lease") {
    auto other = elastic_fixture::facts("h1", "p2");
    other.folder = "elsewhere";
    require(f.ej().enter_host(f.me, f.cluster, other));
    CHECK(f.write_item(0, loss_of(run, 1, process_ended, wanted)).outcome == guard_lost);
    SECTION("its lease is over") { CHECK(f.write_item(0, loss_of(run, 1, lease_over, wanted)).outcome == done); }
    SECTION("it is proved dead later") {
      const std::vector<elastic::host_verdict> proof{{f.host, 0, elastic::host_state::dead}};
      CHECK(require(f.ej().judge_hosts(f.other, proof)).at(0).outcome == done);
      CHECK(require(f.ej().judge_hosts(f.other, proof)).at(0).outcome == repeated);
      CHECK(require(f.ej().hosts_since(0, 10)).at(0).state == elastic::host_state::up);
      CHECK(f.write_item(0, loss_of(run, 1, process_ended, wanted)).outcome == done);
    }
  }
  SECTION("the host is silent and the lease over") {
    f.set_host_state(elastic::host_state::silent);
    CHECK(f.write_item(0, loss_of(run, 1, process_ended, wanted)).outcome == guard_lost);
    CHECK(f.write_item(0, loss_of(run, 1, lease_over, wanted)).outcome == done);
  }
  SECTION("the host said so") { CHECK(f.write_item(0, loss_of(run, 1, host_answered, wanted)).outcome == done); }
  SECTION("the wait ends without a takeover") {
    CHECK(f.write_item(0, loss_of(run, 1, never_sent, wanted)).outcome == done);
    CHECK(f.write_item(0, elastic::action::write_wait_end{elastic::fence_number{2}, {}}).outcome == guard_lost);
    CHECK(f.write_item(0, elastic::action::write_wait_end{elastic::fence_number{1}, {}}).outcome == done);
    CHECK(f.item(0).state == elastic::stored_item_state::idle);
    CHECK(f.write_item(0, elastic::action::write_wait_end{elastic::fence_number{1}, {}}).outcome == done);
  }
}

TEST_CASE("E4 fires an instant once", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = require(f.ej().read_job(f.job)).job;
  REQUIRE(job.next);
  auto fire = f.fire(*job.next, job.revision, {0, 2});
  fire.plan = elastic::plan_row{1, "abc", 3, "1:0-2", noon};
  fire.items.push_back({f.job, elastic::item_number{1}, elastic::write_mark{true, true}});
  const auto first = f.write({fire}).at(0);
  CHECK(first.outcome == done);
  REQUIRE(first.items.size() == 3);
  CHECK(first.items[0].outcome == done);
  CHECK(first.items[1].run != first.items[0].run);
  CHECK(first.items[2].outcome == done);
  CHECK(f.item(1).missed);
  CHECK(f.item(1).state == elastic::stored_item_state::wanted);
  CHECK(f.item(2).run == first.items[1].run);
  const auto after = require(f.ej().read_job(f.job));
  CHECK(after.job.next == *job.next + 1min);
  CHECK(after.job.last == *job.next);
  REQUIRE(after.plan);
  CHECK(after.plan->assignment == "1:0-2");
  SECTION("a repetition finds the runs") {
    const auto second = f.write({fire}).at(0);
    CHECK(second.outcome == repeated);
    CHECK(second.items[0] == elastic::item_answer{repeated, repeated, first.items[0].run});
    CHECK(second.items[2].outcome == repeated);
    CHECK(f.db->value("SELECT COUNT(*) FROM ej_run") == "2");
  }
  SECTION("a schedule that has moved") {
    auto late = f.fire(*job.next, job.revision, {0});
    late.fires[0].key.at += 1s;
    CHECK(f.write({late}).at(0).outcome == guard_lost);
    CHECK(f.db->value("SELECT COUNT(*) FROM ej_fire") == "1");
  }
  SECTION("an edit that the node has not seen") {
    auto next = f.fire(*after.job.next, job.revision - 1, {});
    CHECK(f.write({next}).at(0).outcome == guard_lost);
  }
  SECTION("a clock that was set back does not fire an instant again") {
    f.db->exec("UPDATE ej_schedule SET next_ms = " + ms(*job.next));
    f.db->exec("UPDATE ej_item SET state = 0, run = 0");
    auto again = f.fire(*job.next, job.revision, {0});
    std::get<elastic::item_grant>(again.items[0].what).fence = elastic::fence_number{1};
    const auto answer = f.write({again}).at(0);
    CHECK(answer.outcome == guard_lost); // the coordinator must not take it for a fire whose grants lost their guards
    CHECK(answer.items[0].outcome == guard_lost);
    CHECK(f.db->value("SELECT COUNT(*) FROM ej_run") == "2");
    CHECK(require(f.ej().read_job(f.job)).job.next == *job.next + 1min);
  }
}

TEST_CASE("an item whose grant in a fire has lost its host is marked as missed", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = require(f.ej().read_job(f.job)).job;
  REQUIRE(job.next);
  f.db->exec("UPDATE ej_node SET state = 2");
  const auto answer = f.write({f.fire(*job.next, job.revision, {0, 1})}).at(0);
  CHECK(answer.outcome == done);
  CHECK(answer.items[0].outcome == guard_lost);
  CHECK(f.item(0).missed);
  CHECK(f.item(1).missed);
  CHECK_FALSE(f.item(2).missed);
  // The coordinator tries again.
  f.db->exec("UPDATE ej_node SET state = 0");
  CHECK(f.write_item(0, f.grant(0)).outcome == done);
  CHECK_FALSE(f.item(0).missed);
  CHECK(f.item(1).missed);
}

TEST_CASE("the fire of a request deletes it and moves no schedule", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const elastic::request_row request{elastic::request_id{77}, f.job, std::nullopt, elastic::request_policy::queue, "once", noon};
  require(f.ej().add_request(request, noon, core::local_operator()));
  const auto before = require(f.ej().read_job(f.job));
  REQUIRE(before.requests.size() == 1);
  CHECK(before.requests[0].param == "once");
  auto fire = f.fire(noon, 0, {0});
  fire.move.reset();
  fire.fires[0].key = {noon, elastic::run_source::manual, request.id};
  std::get<elastic::item_grant>(fire.items[0].what).cause = {elastic::run_source::manual, fire.fires[0].key};
  CHECK(f.write({fire}).at(0).outcome == done);
  CHECK(f.write({fire}).at(0).outcome == repeated);
  const auto after = require(f.ej().read_job(f.job));
  CHECK(after.requests.empty());
  CHECK(after.job.next == before.job.next);
  CHECK(f.write({elastic::request_end{f.job, request.id}}).at(0).outcome == done);
}

TEST_CASE("E8 saves a cursor of the open run only", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(f.write_item(0, elastic::write_cursor{elastic::fence_number{0}, "x"}).outcome == guard_lost);
  const auto run = f.open(0);
  const std::string value{"\0\xff\x01 bytes", 9};
  CHECK(f.write_item(0, elastic::write_cursor{elastic::fence_number{1}, value}).outcome == done);
  CHECK(f.write_item(0, elastic::write_cursor{elastic::fence_number{1}, value}).outcome == done);
  CHECK(f.write_item(0, elastic::write_cursor{elastic::fence_number{2}, "y"}).outcome == guard_lost);
  const auto cursors = require(f.ej().read_job(f.job)).cursors;
  REQUIRE(cursors.size() == 1);
  CHECK(cursors[0].value == value);
  auto batch = f.batch({elastic::item_write{f.job, elastic::item_number{0},
                                            elastic::write_cursor{elastic::fence_number{1}, std::string(70'000, 'x')}}});
  CHECK(error_of(f.ej().write(batch, noon)) == core::errc::too_large);
  // The last value and the end of its run, whose answer is lost.
  const elastic::item_write last{f.job, elastic::item_number{0}, elastic::write_cursor{elastic::fence_number{1}, "last"}};
  const elastic::item_write end{f.job, elastic::item_number{0}, finish_of(run, 1)};
  for (const auto outcome : {done, repeated}) {
    const auto answers = f.write({last, end});
    CHECK(answers.at(0).outcome == outcome);
    CHECK(answers.at(1).outcome == outcome);
  }
  CHECK(f.write_item(0, elastic::write_cursor{elastic::fence_number{1}, "late"}).outcome == guard_lost);
  CHECK(require(f.ej().read_job(f.job)).cursors.at(0).value == "last");
}

TEST_CASE("E8 keeps the last of several cursors of an item", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  f.open(0);
  f.open(2);
  std::vector<elastic::elastic_op> ops;
  for (const auto& [item, value] : {std::pair{2, "a"}, std::pair{0, "b"}, std::pair{2, "c"}})
    ops.emplace_back(
      elastic::item_write{f.job, elastic::item_number{item}, elastic::write_cursor{elastic::fence_number{1}, value}});
  f.write(ops);
  const auto cursors = require(f.ej().read_job(f.job)).cursors;
  REQUIRE(cursors.size() == 2);
  CHECK(cursors[0].value == "b");
  CHECK(cursors[1].value == "c");
}

TEST_CASE("E10 steps a barrier, and grants its hook", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = require(f.ej().read_job(f.job)).job;
  auto fire = f.fire(*job.next, job.revision, {0});
  fire.fires[0].state = elastic::fire_state::gathering;
  const auto run = f.write({fire}).at(0).items[0].run;
  elastic::fire_step_write step{f.job, fire.fires[0].key, elastic::fire_state::gathering, elastic::fire_state::before_hook,
                                elastic::item_write{f.job, elastic::before_hook_item, f.grant(0)}};
  const auto first = f.write({step}).at(0);
  CHECK(first.outcome == done);
  CHECK(first.items.at(0).outcome == done);
  const auto second = f.write({step}).at(0);
  CHECK(second.outcome == repeated);
  CHECK(second.items.at(0).run == first.items.at(0).run);
  step.to = elastic::fire_state::done;
  CHECK(f.write({step}).at(0).outcome == guard_lost);
  f.write_item(0, finish_of(run, 1));
  const auto state = require(f.ej().read_job(f.job));
  REQUIRE(state.fires.size() == 1);
  CHECK(state.fires[0].state == elastic::fire_state::before_hook);
  CHECK(state.ended.at(0) == std::vector{elastic::item_number{0}});
  CHECK(state.items.front().item == elastic::before_hook_item);
}

TEST_CASE("E10 of a late barrier leaves a failed run of its hook, once", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = require(f.ej().read_job(f.job)).job;
  auto fire = f.fire(*job.next, job.revision, {0});
  fire.fires[0].state = elastic::fire_state::gathering;
  f.write({fire});
  elastic::fire_step_write step{f.job,        fire.fires[0].key,  elastic::fire_state::gathering, elastic::fire_state::released,
                                std::nullopt, "1 had not arrived"};
  CHECK(f.write({step}).at(0).outcome == done);
  CHECK(f.write({step}).at(0).outcome == repeated);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run WHERE item = -1") == "1");
  CHECK(f.db->value("SELECT state FROM ej_run WHERE item = -1") == "6");
  CHECK(f.db->value("SELECT message FROM ej_run WHERE item = -1") == "1 had not arrived");
  // Its hook is over for a coordinator that adopts the fire.
  CHECK(require(f.ej().read_job(f.job)).ended.at(0) == std::vector{elastic::before_hook_item});
  step.from = elastic::fire_state::released;
  step.to = elastic::fire_state::done;
  step.late = "1 had not ended";
  CHECK(f.write({step}).at(0).outcome == done);
  CHECK(f.db->value("SELECT message FROM ej_run WHERE item = -2") == "1 had not ended");
}

TEST_CASE("an adopted fire tells which of its hooks have ended", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = require(f.ej().read_job(f.job)).job;
  auto fire = f.fire(*job.next, job.revision, {0});
  fire.fires[0].state = elastic::fire_state::gathering;
  f.write({fire});
  auto grant = f.grant(0);
  grant.cause.fire = fire.fires[0].key;
  const elastic::fire_step_write step{f.job, fire.fires[0].key, elastic::fire_state::gathering, elastic::fire_state::before_hook,
                                      elastic::item_write{f.job, elastic::before_hook_item, grant}};
  const auto run = f.write({step}).at(0).items.at(0).run;
  CHECK(require(f.ej().read_job(f.job)).ended.at(0).empty());
  f.write({elastic::item_write{f.job, elastic::before_hook_item, finish_of(run, 1)}});
  CHECK(require(f.ej().read_job(f.job)).ended.at(0) == std::vector{elastic::before_hook_item});
}

TEST_CASE("a surplus item is deleted when it is free", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(f.write_item(2, elastic::action::delete_item{}).outcome == guard_lost);
  const auto run = f.open(2);
  auto edit = elastic_fixture::definition("sums", 2);
  edit.id = f.job;
  edit.version = 1;
  require(f.ej().put(edit, noon, core::local_operator()));
  CHECK(f.write_item(2, elastic::action::delete_item{}).outcome == guard_lost);
  const auto answers = f.write({elastic::item_write{f.job, elastic::item_number{2}, finish_of(run, 1)},
                                elastic::item_write{f.job, elastic::item_number{2}, elastic::action::delete_item{}}});
  CHECK(answers.at(0).outcome == done);
  CHECK(answers.at(1).outcome == done);
  CHECK(f.write_item(2, elastic::action::delete_item{}).outcome == repeated);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item") == "2");
  // The item begins again above all its former fences.
  edit.version = 2;
  edit.what.total = 3;
  require(f.ej().put(edit, noon, core::local_operator()));
  CHECK(core::number(f.item(2).fence) > 1);
}

TEST_CASE("a run takes at most four row writes, and a fire three", "[storage][elastic]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  elastic_fixture f{backend};
  write_counter counter{*f.db, backend.name == "sqlite"};
  const auto big = f.add("big", 300).id;
  const auto wish = std::vector{elastic::lease_wish{storage::slot_of(big), 0}};
  f.lease = require(f.ej().take_leases(f.me, wish)).at(0);
  f.job = big;
  const auto job = require(f.ej().read_job(big)).job;
  std::vector<std::int32_t> items(300);
  for (std::int32_t i = 0; i < 300; ++i)
    items[static_cast<std::size_t>(i)] = i;
  auto fire = f.fire(*job.next, job.revision, items);
  fire.plan = elastic::plan_row{1, "abc", 300, "1:0-299", noon};
  std::vector<elastic::elastic_answer> answers;
  CHECK(counter.during([&] { answers = f.write({fire}); }) == 3 + 2 * 300);
  std::vector<elastic::elastic_op> ends;
  for (std::size_t i = 0; i < 300; ++i) {
    elastic::item_write end{big, elastic::item_number{items[i]}, finish_of(answers.at(0).items.at(i).run, 1)};
    if (i == 7)
      end.report.message = "failed";
    ends.emplace_back(end);
  }
  CHECK(counter.during([&] { answers = f.write(ends); }) == 2 * 300);
  CHECK(std::all_of(answers.begin(), answers.end(), [](const auto& each) { return each.outcome == done; }));
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run WHERE state = 2") == "300");
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item WHERE state = 0 AND fence = 1") == "300");
  CHECK(counter.during([&] { answers = f.write(ends); }) == 0);
  CHECK(std::all_of(answers.begin(), answers.end(), [](const auto& each) { return each.outcome == repeated; }));
}

TEST_CASE("a batch that is too large or mixes jobs is refused", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  std::vector<elastic::elastic_op> many(501, elastic::item_write{f.job, elastic::item_number{0}, f.grant(0)});
  CHECK(error_of(f.ej().write(f.batch(many), noon)) == core::errc::invalid_argument);
  auto fire = f.fire(noon, 0, {0});
  fire.items[0].job = elastic::elastic_job_id{99};
  CHECK(error_of(f.ej().write(f.batch({fire}), noon)) == core::errc::invalid_argument);
  CHECK(f.write({}).empty());
}
