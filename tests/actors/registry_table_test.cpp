#include "actors/executors/registry_table.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/actors/registry_table_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::registry_tables;

TEST_CASE("nothing is published before the groups were read", "[actors]") {
  registry here;
  here.beat(beat("pay", "http://a/"), t0);
  CHECK(here.table.changed_view() == nullptr);
  CHECK_FALSE(here.table.has_update());
  here.read(t0);
  CHECK(here.addresses(1) == names{"http://a/"});
  CHECK(here.table.has_update());
}

TEST_CASE("addresses are distinct and sorted as text, other registry groups are never routed to", "[actors]") {
  registry here;
  here.stored.groups = {group(1, "pay"), group(2, "pay"), manual_group(3, "mail", {"http://z/", "http://m/"})};
  here.stored.registrations = {row("pay", "http://b:9/", t0), row("pay", "http://x/", t0, "ADMIN"), row("mail", "http://c/", t0)};
  here.read(t0);
  here.beat(beat("pay", "http://b:10/"), t0);
  here.beat(beat("pay", "http://b:9/"), t0);
  CHECK(here.addresses(1) == names{"http://b:10/", "http://b:9/"});
  CHECK(here.addresses(2) == names{"http://b:10/", "http://b:9/"});
  CHECK(here.addresses(3) == names{"http://z/", "http://m/"});
  auto batch = here.write(true);
  CHECK(batch.renewed.size() == 2);
  CHECK(batch.changed_groups.size() == 2);
}

TEST_CASE("a list that is too long for its column is used whole and written once, cut", "[actors]") {
  registry here;
  here.read(t0);
  for (int i = 0; i < 3000; ++i)
    here.beat(beat("pay", "http://10.0.0.1:" + std::to_string(10'000 + i) + "/"), t0);
  const auto batch = here.write(false);
  CHECK(batch.renewed.size() == 3000);
  REQUIRE(batch.changed_groups.size() == 1);
  CHECK(batch.changed_groups[0].addresses.size() < 3000);
  CHECK(here.addresses(1).size() == 3000);
  CHECK_FALSE(here.table.has_update());
  here.read(t0 + 1s);
  CHECK_FALSE(here.table.has_update());
  CHECK(here.addresses(1).size() == 3000);
}

TEST_CASE("a trailing slash makes a different address", "[actors]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a"), t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://a"});
  CHECK(here.addresses(1) == names{"http://a/"});
}

TEST_CASE("a renewal is not an update; a new address, a removal and a changed list are", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  CHECK(here.table.has_update()); // the stored list lacks it
  here.write(false);
  CHECK(here.stored.groups[0].addresses == names{"http://a/"});
  CHECK(here.addresses(1) == names{"http://a/"});

  here.beat(beat("pay", "http://a/"), t0 + 30s);
  CHECK_FALSE(here.table.view_stale());
  CHECK_FALSE(here.table.has_update());
  CHECK(here.table.has_changes());
  CHECK(here.table.begin_write(false).renewed.empty());
  here.table.written();
  here.write(true);
  CHECK(here.stored.registrations[0].seen == t0 + 30s);
  CHECK_FALSE(here.table.has_changes());

  here.table.remove({"EXECUTOR", "pay", "http://a/"});
  CHECK(here.addresses(1) == names{});
  CHECK(here.table.has_update());
  here.write(false);
  CHECK(here.stored.registrations.empty());
  CHECK(here.stored.groups[0].addresses.empty());
}

TEST_CASE("an address lives for ninety seconds from its last beat", "[actors]") {
  registry here{t0 - 1h};
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.write(true);
  here.pass(t0, t0 + 90s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.sweep(t0 + 90s + 1ms);
  CHECK(here.addresses(1) == names{});
  CHECK(here.table.has_changes());
  auto batch = here.write(true);
  REQUIRE(batch.dead.size() == 1);
  CHECK(batch.dead[0].same_identity(row("pay", "http://a/", t0)));
  CHECK(batch.dead[0].seen == t0);
  CHECK(here.stored.registrations.empty());
  CHECK_FALSE(here.table.has_changes());
}

TEST_CASE("a peer's beats keep an address alive here", "[actors]") {
  registry here{t0 - 1h};
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.pass(t0, t0 + 64s);
  here.stored.registrations[0].seen = t0 + 60s;
  here.pass(t0 + 65s, t0 + 150s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.beat(beat("pay", "http://a/"), t0 + 151s);
  here.pass(t0 + 152s, t0 + 241s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.pass(t0 + 242s, t0 + 245s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("after a start, executors that were alive at the last write get ninety seconds", "[actors]") {
  registry here;
  auto off = t0 - 2min;
  here.stored.registrations = {row("pay", "http://a/", off), row("pay", "http://b/", off - 89s),
                               row("pay", "http://dead/", off - 91s)};
  here.read(t0);
  CHECK(here.addresses(1) == names{"http://a/", "http://b/"});
  here.beat(beat("pay", "http://a/"), t0 + 20s);
  here.pass(t0 + 20s, t0 + 89s);
  CHECK(here.write(true).dead.empty());
  CHECK(here.addresses(1) == names{"http://a/", "http://b/"});
  here.pass(t0 + 90s, t0 + 90s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.write(true);
  CHECK(here.stored_addresses() == names{"http://a/"});
}

TEST_CASE("a first read that comes late gives all executors the same time", "[actors]") {
  registry late;
  late.stored.registrations = {row("pay", "http://a/", t0 + 9min)};
  late.sweep(t0 + 10min);
  late.read(t0 + 10min);
  CHECK(late.addresses(1) == names{"http://a/"});
  late.pass(t0 + 10min, t0 + 10min + 89s);
  CHECK(late.addresses(1) == names{"http://a/"});
  late.pass(t0 + 10min + 90s, t0 + 10min + 90s);
  CHECK(late.addresses(1) == names{});
}

TEST_CASE("a row that appears later is new, whatever time the clock of its node showed", "[actors]") {
  registry here;
  here.read(t0);
  here.stored.registrations = {row("pay", "http://slow/", t0 - 2min), row("pay", "http://fast/", t0 + 2min)};
  here.pass(t0 + 5s, t0 + 94s);
  CHECK(here.addresses(1) == names{"http://fast/", "http://slow/"});
  here.stored.registrations[0].seen += 60s;
  here.pass(t0 + 95s, t0 + 95s);
  CHECK(here.addresses(1) == names{"http://slow/"});
  // Its clock is put back, which also counts as a change.
  here.stored.registrations[0].seen -= 1h;
  here.pass(t0 + 100s, t0 + 189s);
  CHECK(here.addresses(1) == names{"http://slow/"});
  here.pass(t0 + 190s, t0 + 190s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a step of the civil clock ends or prolongs no registration and deletes no row of a peer", "[actors]") {
  auto by = GENERATE(values<core::milliseconds>({10min, -10min, 24h, -24h}));
  CAPTURE(by.count());
  registry here{t0 - 1h};
  here.stored.registrations = {row("pay", "http://peer/", t0), row("pay", "http://gone/", t0)};
  here.pass(t0, t0 + 10s);
  for (const auto* address : {"http://own/", "http://quiet/"})
    here.beat(beat("pay", address), t0 + 10s);
  here.write(true);
  here.ahead = by;
  // The clocks of the others go on as before.
  auto now = t0 + 10s;
  for (int i = 0; i < 10; ++i, now += 30s) {
    here.beat(beat("pay", "http://own/"), now);
    for (auto& each : here.stored.registrations)
      if (each.address == "http://peer/")
        each.seen = now;
    here.write(true);
    here.pass(now, now + 29s);
    // `gone` was read ninety seconds ago after two rounds and a bit, `quiet` has beaten ninety seconds ago after three.
    CHECK(here.addresses(1) == (i < 2   ? names{"http://gone/", "http://own/", "http://peer/", "http://quiet/"}
                                : i < 3 ? names{"http://own/", "http://peer/", "http://quiet/"}
                                        : names{"http://own/", "http://peer/"}));
  }
  CHECK(here.stored_addresses() == names{"http://own/", "http://peer/"});
}

TEST_CASE("a clock that was put back goes on renewing its rows", "[actors]") {
  registry here{t0 - 1h};
  registry there{t0 - 1h};
  here.read(t0);
  there.read(t0);
  auto now = t0;
  for (int i = 0; i < 10; ++i, now += 30s) {
    here.ahead = i < 5 ? 0min : -20min;
    here.beat(beat("pay", "http://a/"), now);
    here.write(true);
    there.stored = here.stored;
    there.pass(now, now + 29s);
    here.stored = there.stored;
    CHECK(there.addresses(1) == names{"http://a/"});
  }
}

TEST_CASE("at a start a row from the future neither hides the others nor lives indefinitely", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://future/", t0 + 24h), row("pay", "http://a/", t0 - 10s),
                               row("pay", "http://dead/", t0 - 91s)};
  here.read(t0);
  CHECK(here.addresses(1) == names{"http://a/", "http://future/"});
  here.stored.registrations[1].seen = t0 + 20s;
  here.pass(t0 + 21s, t0 + 100s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.write(true);
  CHECK(here.stored_addresses() == names{"http://a/"});
}

TEST_CASE("time in which this node did not run or could not read does not count", "[actors]") {
  registry here{t0 - 1h};
  here.stored.registrations = {row("pay", "http://peer/", t0)};
  here.read(t0);
  here.beat(beat("pay", "http://own/"), t0);
  here.write(true);
  here.pass(t0, t0 + 20s);
  SECTION("it stood still") {
    here.sweep(t0 + 10min);
    CHECK(here.addresses(1) == names{"http://own/", "http://peer/"});
  }
  SECTION("it could not read") {
    for (auto t = t0; t < t0 + 10min; t += 1s) {
      if ((t - t0) % 30s == 0s)
        here.beat(beat("pay", "http://own/"), t);
      here.sweep(t);
    }
    CHECK(here.addresses(1) == names{"http://own/", "http://peer/"});
  }
  // From now on beats can be seen again.
  here.pass(t0 + 10min, t0 + 10min + 35s);
  CHECK(here.addresses(1) == names{"http://own/", "http://peer/"});
  here.pass(t0 + 10min + 36s, t0 + 10min + 90s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a dead row is deleted only as it was judged, and requested once", "[actors]") {
  registry here{t0 - 1h};
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://b/", t0)};
  here.pass(t0, t0 + 90s);
  CHECK(here.addresses(1) == names{});
  here.stored.registrations[0].seen = t0 + 89s; // a peer received its beat in this moment
  CHECK(here.write(true).dead.size() == 2);
  CHECK(here.stored_addresses() == names{"http://a/"});
  here.read(t0 + 91s);
  CHECK(here.addresses(1) == names{"http://a/"});
  // A row that the store does not delete stays dead and is left alone.
  here.stored.registrations.push_back(row("pay", "http://b/", t0));
  here.table.take(here.stored, here.table.mark(), here.moment(t0 + 92s));
  here.pass(t0 + 93s, t0 + 183s);
  auto kept = here.stored.registrations;
  CHECK_FALSE(here.write(true).dead.empty());
  here.stored.registrations = kept;
  here.pass(t0 + 184s, t0 + 400s);
  CHECK(here.addresses(1) == names{});
  CHECK(here.table.begin_write(true).dead.empty());
}

TEST_CASE("a row that was written after its executor died is not a heartbeat", "[actors]") {
  registry here{t0 - 1h};
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  auto batch = here.table.begin_write(false);
  for (auto t = t0; t <= t0 + 91s; t += 1s)
    here.sweep(t);
  CHECK(here.addresses(1) == names{});
  here.stored.registrations = batch.renewed;
  here.table.written();
  here.pass(t0 + 92s, t0 + 100s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a row that a peer removed is forgotten here", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://b/", t0)};
  here.read(t0);
  here.beat(beat("pay", "http://b/"), t0 + 1s);
  here.write(true);
  here.stored.registrations.clear();
  here.read(t0 + 5s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a beat after the row was last seen outweighs its absence", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  here.stored.registrations.clear();
  here.beat(beat("pay", "http://a/"), t0 + 4s);
  here.read(t0 + 5s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.write(true);
  CHECK(here.stored_addresses() == names{"http://a/"});
}

TEST_CASE("changes during a read are newer than its answer", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://gone/", t0)};
  here.read(t0);
  auto mark = here.table.mark();
  auto answer = here.stored;
  answer.registrations = {row("pay", "http://gone/", t0)};
  here.beat(beat("pay", "http://a/"), t0 + 1s);
  here.beat(beat("pay", "http://new/"), t0 + 1s);
  here.table.remove({"EXECUTOR", "pay", "http://gone/"});
  here.table.take(answer, mark, here.moment(t0 + 2s));
  CHECK(here.addresses(1) == names{"http://a/", "http://new/"});
}

TEST_CASE("a failed write loses nothing", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://gone/", t0), row("pay", "http://back/", t0)};
  here.read(t0);
  here.beat(beat("pay", "http://new/"), t0 + 1s);
  here.table.remove({"EXECUTOR", "pay", "http://gone/"});
  here.table.remove({"EXECUTOR", "pay", "http://back/"});
  (void)here.table.begin_write(false);
  here.beat(beat("pay", "http://back/"), t0 + 3s);
  here.table.write_failed();
  CHECK(here.table.has_update());
  auto batch = here.write(false);
  CHECK(batch.removed.size() == 1);
  CHECK(here.stored_addresses() == names{"http://back/", "http://new/"});
  CHECK(here.stored.groups[0].addresses == names{"http://back/", "http://new/"});
  CHECK_FALSE(here.table.has_changes());
}

TEST_CASE("nodes agree once no more changes happen", "[actors]") {
  auto seed = GENERATE(range(1u, 31u));
  CAPTURE(seed);
  std::mt19937 random{seed};
  registry nodes[3];
  auto& store = nodes[0].stored;
  auto on_store = [&](registry& node, auto step) {
    node.stored = store;
    step();
    auto result = node.stored;
    for (auto& each : nodes)
      each.stored = result;
  };
  for (auto& node : nodes)
    on_store(node, [&] { node.read(t0); });
  auto now = t0;
  std::vector<std::optional<core::time_point>> last_beat(6);
  auto address = [](std::size_t i) { return "http://" + std::to_string(i) + "/"; };
  for (int step = 0; step < 400; ++step) {
    now += std::chrono::milliseconds{random() % 3000};
    auto& node = nodes[random() % 3];
    auto executor = random() % last_beat.size();
    if (random() % 20 == 0)
      node.ahead = 10min * (static_cast<int>(random() % 7) - 3);
    switch (random() % 8) {
    case 0: node.table.remove({"EXECUTOR", "pay", address(executor)}), last_beat[executor].reset(); break;
    case 1:
    case 2:
    case 3: node.beat(beat("pay", address(executor)), now), last_beat[executor] = now; break;
    case 4: on_store(node, [&] { node.read(now); }); break;
    case 5: on_store(node, [&] { node.write(true); }); break;
    case 6: on_store(node, [&] { node.write(false); }); break;
    default: node.sweep(now);
    }
  }
  // An executor without beats is gone ninety seconds later; one that beats is there.
  for (int round = 0; round < 10; ++round) {
    now += 20s;
    nodes[0].beat(beat("pay", address(0)), now);
    for (auto& node : nodes) {
      node.sweep(now);
      on_store(node, [&] { node.read(now); });
      on_store(node, [&] { node.write(true); });
    }
  }
  for (auto& node : nodes)
    CHECK(node.addresses(1) == names{address(0)});
  CHECK(nodes[0].stored_addresses() == names{address(0)});
  CHECK(store.groups[0].addresses == names{address(0)});
}
