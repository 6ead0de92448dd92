#include "actors/executors/registry_monitor.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using names = std::vector<std::string>;
using test::store_fault;

namespace {

/// Monitor of one node; several share a world and a database.
struct monitor {
  monitor(test::virtual_time& the_world, test::memory_database& database, bool start = true)
    : world{the_world}, store{database.open()} {
    store.after = [this](std::string_view method) { (method == "read" ? reads : writes) += 1; };
    if (start)
      begin();
  }
  void begin() {
    actor = world.spawn<actors::registry_monitor_state, protocol::registry_monitor>(
      storage.actor, std::vector<protocol::registry_listener>{listener.actor}, world.clock(), config::registry_settings{},
      test::virtual_time::silent_log());
  }
  void beat(const std::string& app, const std::string& address, const std::string& registry_group = "EXECUTOR") {
    world.tell(actor, protocol::registry_beat{registry_group, app, address, false});
  }
  void remove(const std::string& app, const std::string& address) {
    world.tell(actor, protocol::registry_removal{"EXECUTOR", app, address});
  }
  [[nodiscard]] names addresses(const std::string& app) const {
    if (listener.views->empty())
      return {"no view"};
    for (const auto& [id, group] : listener.views->back()->groups)
      if (group.app_name == app)
        return group.addresses;
    return {"no group"};
  }

  test::virtual_time& world;
  test::faulty_store store;
  std::size_t reads = 0;
  std::size_t writes = 0;
  test::storage_double storage{world, store};
  test::registry_listener_double listener{world};
  protocol::registry_monitor actor;
};

struct executors : test::virtual_time {
  executors() {
    core::declared_set declared;
    declared.source = "test";
    declared.groups = {{"pay", "Payments", std::nullopt}, {"mail", "Mail", names{"http://z/", "http://m/"}}};
    declare(declared);
  }
  void declare(const core::declared_set& declared) { test::expect(look->deploys().apply(declared, false, false, civil())); }
  [[nodiscard]] core::registry_state stored() { return test::expect(look->registry().read()); }
  [[nodiscard]] names stored_list(const std::string& app) {
    for (const auto& group : stored().groups)
      if (group.app_name == app)
        return group.addresses;
    return {"no group"};
  }

  test::memory_database database;
  std::unique_ptr<storage::store> look = database.open();
};

} // namespace

TEST_CASE_METHOD(executors, "the first read publishes groups unchanged", "[actors]") {
  monitor here{*this, database};
  run();
  CHECK(here.listener.views->size() == 1);
  CHECK(here.addresses("pay") == names{});
  CHECK(here.addresses("mail") == names{"http://z/", "http://m/"});
}

TEST_CASE_METHOD(executors, "a new executor can be called and is stored at once", "[actors]") {
  monitor here{*this, database};
  run();
  here.beat("pay", "http://b/");
  here.beat("pay", "http://a/");
  here.beat("unknown", "http://c/");
  here.beat("pay", "http://d/", "ADMIN");
  run();
  CHECK(here.addresses("pay") == names{"http://a/", "http://b/"});
  CHECK(stored().registrations.size() == 4);
  CHECK(stored_list("pay") == names{"http://a/", "http://b/"});
  CHECK(here.listener.views->size() == 2);
  CHECK(here.writes == 1);
}

TEST_CASE_METHOD(executors, "changes during a write go into the next write", "[actors]") {
  monitor here{*this, database};
  run();
  here.storage.record->latency = [] { return std::pair{100ms, 100ms}; };
  here.beat("pay", "http://1/");
  run();
  for (int i = 2; i < 50; ++i)
    here.beat("pay", "http://" + std::to_string(i) + "/");
  advance(1s);
  CHECK(here.writes == 2);
  CHECK(stored().registrations.size() == 49);
}

TEST_CASE_METHOD(executors, "renewals are flushed every ten seconds, together", "[actors]") {
  monitor here{*this, database};
  for (const auto* address : {"http://a/", "http://b/"})
    here.beat("pay", address);
  advance(1s);
  here.writes = 0;
  for (int i = 0; i < 8; ++i) {
    for (const auto* address : {"http://a/", "http://b/"})
      here.beat("pay", address);
    advance(1s);
  }
  CHECK(here.writes == 0);
  advance(1s);
  CHECK(here.writes == 1);
  for (const auto& row : stored().registrations)
    CHECK(row.seen >= start + 8s);
  CHECK(here.listener.views->size() == 1);
  advance(60s);
  CHECK(here.writes == 1);
}

TEST_CASE_METHOD(executors, "a removed executor is not called any more and its row is gone", "[actors]") {
  monitor here{*this, database};
  here.beat("pay", "http://a/");
  here.beat("pay", "http://b/");
  advance(1s);
  here.remove("pay", "http://a/");
  run();
  CHECK(here.addresses("pay") == names{"http://b/"});
  CHECK(stored_list("pay") == names{"http://b/"});
  CHECK(stored().registrations.size() == 1);
}

TEST_CASE_METHOD(executors, "an executor that stops beating is gone after ninety seconds", "[actors]") {
  monitor here{*this, database};
  advance(100s);
  here.beat("pay", "http://a/");
  advance(90s);
  CHECK(here.addresses("pay") == names{"http://a/"});
  advance(2s);
  CHECK(here.addresses("pay") == names{});
  advance(10s);
  CHECK(stored().registrations.empty());
  CHECK(stored_list("pay") == names{});
}

TEST_CASE_METHOD(executors, "while the store is away executors come and go, and everything is written afterwards", "[actors]") {
  monitor here{*this, database};
  here.beat("pay", "http://a/");
  advance(1s);
  here.store.go_away();
  here.beat("pay", "http://b/");
  here.remove("pay", "http://a/");
  run();
  CHECK(here.addresses("pay") == names{"http://b/"});
  for (int i = 0; i < 10; ++i) {
    here.beat("pay", "http://b/");
    advance(30s);
  }
  CHECK(here.addresses("pay") == names{"http://b/"});
  CHECK(stored_list("pay") == names{"http://a/"});
  here.store.come_back();
  here.beat("pay", "http://b/");
  advance(2s);
  CHECK(stored_list("pay") == names{"http://b/"});
  advance(10s);
  REQUIRE(stored().registrations.size() == 1);
  CHECK(stored().registrations[0].address == "http://b/");
  CHECK(here.addresses("pay") == names{"http://b/"});
}

TEST_CASE_METHOD(executors, "an unavailable store at the start delays the view, not the executors", "[actors]") {
  monitor here{*this, database, false};
  here.store.go_away();
  here.begin();
  here.beat("pay", "http://a/");
  advance(20s);
  CHECK(here.listener.views->empty());
  here.store.come_back();
  advance(1s);
  CHECK(here.addresses("pay") == names{"http://a/"});
  CHECK(stored_list("pay") == names{"http://a/"});
}

TEST_CASE_METHOD(executors, "a lost answer to a write does no harm", "[actors]") {
  monitor here{*this, database};
  run();
  here.store.once("write", store_fault::answer_lost);
  here.beat("pay", "http://a/");
  advance(3s);
  CHECK(stored().registrations.size() == 1);
  CHECK(stored_list("pay") == names{"http://a/"});
  CHECK(here.addresses("pay") == names{"http://a/"});
}

TEST_CASE_METHOD(executors, "a hint makes groups known at once, otherwise the next read does", "[actors]") {
  monitor here{*this, database};
  advance(1s);
  here.beat("late", "http://a/");
  run();
  CHECK(here.addresses("late") == names{"no group"});
  core::declared_set declared;
  declared.source = "another";
  declared.groups = {{"late", "Late", std::nullopt}};
  declare(declared);
  SECTION("hint") { tell(here.actor, protocol::registry_hint{}), run(); }
  SECTION("no hint") { advance(5s); }
  CHECK(here.addresses("late") == names{"http://a/"});
  CHECK(stored_list("late") == names{"http://a/"});
}

TEST_CASE_METHOD(executors, "a late listener gets the present view at once, and later changes", "[actors]") {
  monitor here{*this, database};
  here.beat("pay", "http://a/");
  advance(1s);
  test::registry_listener_double late{*this};
  tell(here.actor, protocol::registry_subscription{late.actor});
  run();
  REQUIRE(late.views->size() == 1);
  CHECK(late.views->back() == here.listener.views->back());
  here.remove("pay", "http://a/");
  run();
  CHECK(late.views->size() == 2);
}

TEST_CASE_METHOD(executors, "a peer's executors can be called after the next read, and its removals are noticed", "[actors]") {
  monitor here{*this, database};
  monitor there{*this, database};
  advance(1s);
  there.beat("pay", "http://a/");
  advance(5s);
  CHECK(here.addresses("pay") == names{"http://a/"});
  there.remove("pay", "http://a/");
  advance(5s);
  CHECK(here.addresses("pay") == names{});
  advance(60s);
  CHECK(stored().registrations.empty());
}

TEST_CASE_METHOD(executors, "an executor that moves its beats to another node stays registered", "[actors]") {
  monitor here{*this, database};
  monitor there{*this, database};
  for (int i = 0; i < 20; ++i) {
    (i % 2 == 0 ? here : there).beat("pay", "http://a/");
    advance(60s);
    CHECK(here.addresses("pay") == names{"http://a/"});
    CHECK(there.addresses("pay") == names{"http://a/"});
  }
}

TEST_CASE_METHOD(executors, "executors survive a restart of the cluster after two minutes", "[actors]") {
  {
    monitor before{*this, database};
    before.beat("pay", "http://a/");
    advance(15s);
    end_all();
  }
  advance(2min);
  monitor after{*this, database};
  run();
  CHECK(after.addresses("pay") == names{"http://a/"});
  advance(85s);
  CHECK(after.addresses("pay") == names{"http://a/"});
  advance(20s);
  CHECK(after.addresses("pay") == names{});
  CHECK(stored().registrations.empty());
}

TEST_CASE_METHOD(executors, "changes of a civil clock, forward or back, have no effect", "[actors]") {
  auto by = GENERATE(values<std::chrono::nanoseconds>({1h, -1h}));
  CAPTURE(by.count());
  monitor here{*this, database};
  monitor there{*this, database};
  advance(100s);
  there.beat("pay", "http://ends/");
  // Every 30 s one beats here and one there; a third falls silent.
  for (int i = 0; i < 8; ++i) {
    here.beat("pay", "http://here/");
    there.beat("pay", "http://there/");
    advance(20s);
    if (i == 0)
      step_civil(by);
    advance(10s);
    auto expected = i < 3 ? names{"http://ends/", "http://here/", "http://there/"} : names{"http://here/", "http://there/"};
    CHECK(there.addresses("pay") == expected);
    if (i != 3) // there its row is not judged yet
      CHECK(here.addresses("pay") == expected);
    CHECK(stored().registrations.size() >= 2);
  }
  CHECK(stored().registrations.size() == 2);
  CHECK(stored_list("pay") == names{"http://here/", "http://there/"});
  // The Java admins judge rows by the civil clock.
  for (const auto& row : stored().registrations)
    CHECK(civil() - row.seen < 60s);
}

TEST_CASE_METHOD(executors, "an invalid registration does not prevent the storing of other rows", "[actors]") {
  monitor here{*this, database};
  run();
  const std::string wide(256, 'x');
  const std::pair<std::string, std::string> bad[] = {{"pay", wide}, {wide, "http://b/"}, {"", "http://c/"}, {"pay", ""},
                                                     {"pay", "http://\xff/"}};
  for (const auto& [app, address] : bad) {
    here.beat(app, address);
    here.remove(app, address);
    here.beat(app, address);
  }
  here.beat("pay", "http://a/");
  here.beat("pay", "http://d/", std::string(51, 'g'));
  advance(15s);
  CHECK(here.addresses("pay") == names{"http://a/"});
  REQUIRE(stored().registrations.size() == 1);
  CHECK(stored().registrations[0].address == "http://a/");
  CHECK(stored_list("pay") == names{"http://a/"});
}

namespace {

struct update : executors {
  update() {
    heard = track(system().spawn([this]() -> protocol::executor_listener::behavior_type {
      return {[this](const protocol::executor_update& one) { told.push_back((one.reachable ? "+" : "-") + one.address); }};
    }));
    tell(here.actor, protocol::update_subscription{heard});
    run();
  }
  void refused(const std::string& address) {
    tell(here.actor, protocol::executor_update{address, false});
    run();
  }

  monitor here{*this, database};
  protocol::executor_listener heard;
  names told;
};

} // namespace

TEST_CASE_METHOD(update, "listeners are notified of an unreachable executor, and of its next beat", "[actors]") {
  here.beat("pay", "http://a/");
  run();
  CHECK(told.empty());
  refused("http://a/");
  here.beat("pay", "http://b/");
  run();
  CHECK(told == names{"-http://a/"});
  here.beat("pay", "http://a/");
  here.beat("pay", "http://a/");
  run();
  CHECK(told == names{"-http://a/", "+http://a/"});
}

TEST_CASE_METHOD(update, "an entered address is unreachable from the first refusal until an answer", "[actors]") {
  const auto since = [&]() -> std::optional<core::time_point> {
    const auto list = ask<protocol::executor_list>(here.actor, protocol::executors_query{{}, core::local_operator()});
    REQUIRE(list);
    for (const auto& each : list->page.rows)
      if (each.address == "http://z/")
        return each.unreachable_since;
    FAIL("the address is not listed");
    return std::nullopt;
  };
  CHECK_FALSE(since());
  const auto first = civil();
  refused("http://z/");
  CHECK(since() == first);
  advance(40s);
  refused("http://z/");
  CHECK(since() == first);
  tell(here.actor, protocol::executor_update{"http://z/", true});
  run();
  CHECK_FALSE(since());
  // The pool has seen the answer itself, so no listener is told.
  CHECK(told == names{"-http://z/", "-http://z/"});
}

TEST_CASE_METHOD(update, "a beat that another node received counts as soon as its row shows it", "[actors]") {
  monitor there{*this, database};
  there.beat("pay", "http://a/");
  advance(20s);
  REQUIRE(here.addresses("pay") == names{"http://a/"});
  refused("http://a/");
  advance(20s);
  CHECK(told == names{"-http://a/"}); // a row from before is not a heartbeat
  there.beat("pay", "http://a/");
  advance(20s);
  CHECK(told == names{"-http://a/", "+http://a/"});
}
