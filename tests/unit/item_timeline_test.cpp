// Timelines of the specification that need no actor: spec §22.7 to §22.9, column REQ. Times in seconds after T0; a death is known
// 0.2 s after it.

#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/elastic_world.hpp"

namespace ringmaster::test::item_timelines_test {

namespace {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::number;
using ringmaster::test::elastic_world;

struct timeline {
  const char* name;
  int items = 1;
  elastic_world::durations lasts;
  std::function<void(elastic_world&)> script;
  double until = 0;
  std::vector<std::string> runs;
  std::function<void(elastic_world&)> check = [](elastic_world&) {};
};

/// A first run that takes long, then short ones.
elastic_world::durations first_takes(double first, double others) {
  return [=](int, char, int number) { return number == 0 ? first : others; };
}

/// Bodies by host.
elastic_world::durations on_hosts(std::map<char, double> lasts) {
  return [lasts](int, char host, int) { return lasts.at(host); };
}

void play(const std::vector<timeline>& all) {
  for (const auto& each : all) {
    INFO(each.name);
    elastic_world world{each.items, each.lasts};
    each.script(world);
    world.run_until(each.until);
    CHECK(world.runs() == each.runs);
    CHECK(world.impossible == std::vector<std::string>{});
    each.check(world);
  }
}

} // namespace

TEST_CASE("misfire timelines of the specification", "[unit][elastic]") {
  play({
    {"MF-1", 1, first_takes(6, 0.5),
     [](elastic_world& w) { w.host_up('A'); w.plan[0] = 'A'; w.fires(4, 12); }, 13,
     {"0@A N 0-6", "0@A M 6-6.5", "0@A N 8-8.5", "0@A N 12-12.5"}},
    {"MF-2", 1, first_takes(7, 0.5),
     [](elastic_world& w) { w.host_up('A'); w.plan[0] = 'A'; w.fires(2, 8); }, 9,
     {"0@A N 0-7", "0@A M 7-7.5", "0@A N 8-8.5"}},
    {"MF-3", 1, first_takes(6, 0.5),
     [](elastic_world& w) { w.host_up('A'); w.plan[0] = 'A'; w.rules.misfire = false; w.fires(4, 8); }, 9,
     {"0@A N 0-6", "0@A N 8-8.5"},
     [](elastic_world& w) {
       CHECK(w.dropped_fires == 1);
       CHECK_FALSE(w.item(0).missed);
     }},
    {"MF-4", 2, [](int item, char, int number) { return item == 0 && number == 0 ? 5.0 : 0.5; },
     [](elastic_world& w) { w.host_up('A'); w.host_up('B'); w.plan = {{0, 'B'}, {1, 'A'}}; w.fires(4, 8); }, 9,
     {"0@B N 0-5", "1@A N 0-0.5", "1@A N 4-4.5", "0@B M 5-5.5", "0@B N 8-8.5", "1@A N 8-8.5"}},
    {"MF-5", 1, first_takes(3, 3),
     [](elastic_world& w) { w.host_up('A'); w.plan[0] = 'A'; w.fires(2, 10); }, 10.5,
     {"0@A N 0-3", "0@A M 3-6", "0@A M 6-9", "0@A M 9-"}},
    {"MF-6", 1, first_takes(6, 0.5),
     [](elastic_world& w) {
       w.host_up('A'); w.plan[0] = 'A'; w.fires(4, 8);
       w.at(5, [&w] { w.host_up('B'); w.plan[0] = 'B'; });
     }, 9, {"0@A N 0-6", "0@B M 6-6.5", "0@B N 8-8.5"}},
    {"MF-7", 1, first_takes(0.5, 0.5),
     [](elastic_world& w) {
       w.plan[0] = 'A'; w.fires(4, 4);
       w.at(1, [&w] { w.host_up('A'); w.offer(); });
     }, 5, {"0@A M 1-1.5", "0@A N 4-4.5"}},
    {"MF-8", 2, [](int item, char, int number) { return item == 0 && number == 0 ? 25.0 : 1.0; },
     [](elastic_world& w) { w.host_up('A'); w.plan = {{0, 'A'}, {1, 'A'}}; w.fires(10, 30); }, 32,
     {"0@A N 0-25", "1@A N 0-1", "1@A N 10-11", "1@A N 20-21", "0@A M 25-26", "0@A N 30-31", "1@A N 30-31"}},
    {"MF-10", 1, first_takes(6, 0.5),
     [](elastic_world& w) {
       w.host_up('A'); w.plan[0] = 'A'; w.fires(20, 0);
       w.at(1, [&w] { w.fire(run_source::manual, request_id{1}); });
     }, 9, {"0@A N 0-6"}, [](elastic_world& w) { CHECK(w.dropped_requests == 1); }},
    {"O5: no host for longer than misfire_max_age", 1, first_takes(1, 1),
     [](elastic_world& w) {
       w.plan[0] = 'A'; w.rules.misfire_max_age = 6s; w.fires(4, 4);
       w.at(10, [&w] { w.host_up('A'); w.offer(); });
     }, 20, {}, [](elastic_world& w) { CHECK(w.item(0).state == item_state::idle); }},
  });
}

TEST_CASE("failover timelines of the specification", "[unit][elastic]") {
  const auto two = [](elastic_world& w) {
    w.host_up('A'); w.host_up('B');
    w.plan = {{0, 'B'}, {1, 'A'}};
    w.fires(20, 20);
  };
  const auto move_to_a = [](elastic_world& w) {
    for (auto& [item, host] : w.plan)
      host = 'A';
  };
  play({
    {"FO-1", 3, on_hosts({{'A', 4}, {'B', 9}, {'C', 4}}),
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B'); w.host_up('C');
       w.plan = {{0, 'C'}, {1, 'B'}, {2, 'A'}};
       w.fires(20, 20);
       w.at(2, [&w] { w.crash('B'); w.plan = {{0, 'C'}, {1, 'A'}, {2, 'C'}}; });
     }, 25, {"0@C N 0-4", "1@B N 0-2.2 lost", "2@A N 0-4", "1@A F2 2.2-6.2", "0@C N 20-24", "1@A N 20-24", "2@C N 20-24"}},
    {"FO-2", 4, [](int, char host, int number) { return host == 'B' ? 9.0 : 3.0 + number * 0; },
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'B'}, {1, 'B'}, {2, 'A'}, {3, 'A'}};
       w.fires(20, 0);
       w.at(5, [&w] { w.crash('B'); });
     }, 19, {"0@B N 0-5.2 lost", "1@B N 0-5.2 lost", "2@A N 0-3", "3@A N 0-3", "0@A F2 5.2-8.2", "1@A F2 5.2-8.2"}},
    {"FO-3", 1, first_takes(6, 6),
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B'); w.host_up('C');
       w.plan[0] = 'C';
       w.fires(20, 0);
       w.at(2, [&w] { w.crash('C'); });
       w.at(4, [&w] { w.crash('A'); });
     }, 19, {"0@C N 0-2.2 lost", "0@A F2 2.2-4.2 lost", "0@B F3 4.2-10.2"}},
    {"FO-4", 2, on_hosts({{'A', 9}, {'B', 9}, {'C', 2}}),
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'A'}, {1, 'B'}};
       w.fires(20, 0);
       w.at(2, [&w] { w.crash('A'); w.crash('B'); });
       w.at(6, [&w] { w.host_up('C'); w.offer(); });
     }, 19, {"0@A N 0-2.2 lost", "1@B N 0-2.2 lost", "0@C F2 6-8", "1@C F2 6-8"}},
    {"FO-5", 2, first_takes(6, 6),
     [&](elastic_world& w) {
       two(w);
       w.rules.failover = false;
       w.at(2, [&] { w.crash('B'); move_to_a(w); });
     }, 27, {"0@B N 0-2.2 lost", "1@A N 0-6", "0@A N 20-26", "1@A N 20-26"}},
    {"FO-7", 2, on_hosts({{'A', 3}, {'B', 3}}),
     [&](elastic_world& w) {
       two(w);
       w.at(5, [&] { w.crash('B'); move_to_a(w); });
     }, 24, {"0@B N 0-3", "1@A N 0-3", "0@A N 20-23", "1@A N 20-23"}},
    {"FO-8", 4, [](int item, char, int) { return item == 1 ? 15.0 : 1.0; },
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'B'}, {1, 'B'}, {2, 'A'}, {3, 'A'}};
       w.fires(20, 0);
       w.at(6, [&w] { w.crash('B'); });
     }, 22, {"0@B N 0-1", "1@B N 0-6.2 lost", "2@A N 0-1", "3@A N 0-1", "1@A F2 6.2-21.2"}},
    {"FO-9", 2, first_takes(8, 8),
     [&](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'B'}, {1, 'A'}};
       w.fires(15, 15);
       w.at(2, [&w] { w.host_enabled('B', false); });
       w.at(4, [&] { w.crash('B'); move_to_a(w); });
     }, 24, {"0@B N 0-4.2 lost", "1@A N 0-8", "0@A F2 4.2-12.2", "0@A N 15-23", "1@A N 15-23"}},
    {"FO-10", 2, on_hosts({{'A', 9}, {'B', 9}, {'C', 4}, {'D', 4}}),
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'B'}, {1, 'A'}};
       w.fires(20, 20);
       w.at(3, [&w] { w.crash('A'); w.crash('B'); });
       w.at(3.5, [&w] { w.host_up('C'); w.host_up('D'); w.plan = {{0, 'C'}, {1, 'D'}}; w.offer(); });
     }, 25, {"0@B N 0-3.2 lost", "1@A N 0-3.2 lost", "0@C F2 3.5-7.5", "1@D F2 3.5-7.5", "0@C N 20-24", "1@D N 20-24"}},
    {"FO-12", 2, first_takes(1, 1),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan = {{0, 'A'}, {1, 'A'}};
       w.rules.failover = false;
       w.failing = {1, 0};
       w.fires(5, 5);
     }, 7, {"0@A N 0-1", "1@A N 0-1 error", "0@A N 5-6", "1@A N 5-6"}},
    {"FO-14", 2, first_takes(6, 6),
     [&](elastic_world& w) {
       two(w);
       w.plan[1] = 'B';
       w.at(2, [&] { w.crash('B'); w.host_enabled('A', false); });
       w.at(3, [&] { w.rules.failover = false; w.apply_to_all(event::failover_off{}); });
       w.at(4, [&] { w.rules.failover = true; w.host_enabled('A', true); });
     }, 15, {"0@B N 0-2.2 lost", "1@B N 0-2.2 lost"},
     [](elastic_world& w) { CHECK(w.item(1).state == item_state::idle); }},
  });
}

TEST_CASE("a crash of a host with many items uses the free slots of the others", "[unit][elastic]") {
  elastic_world world{13, [](int, char host, int) { return host == 'A' ? 50.0 : 2.0; }};
  world.host_up('A');
  for (int i = 0; i < 12; ++i)
    world.plan[i] = 'A';
  world.at(0, [&] {
    for (std::size_t i = 0; i < 12; ++i)
      world.apply(i, event::fired{{world.wall(), run_source::normal, {}}});
  });
  world.at(1, [&] { world.host_up('B', 5); });
  world.at(5, [&] { world.crash('A'); });
  world.run_until(5.5);
  // FO-16: the others wait, and the idle item 12 has no part in it (FO-15).
  CHECK(world.runs().size() == 12 + 5);
  world.run_until(20);
  CHECK(world.runs().size() == 24);
  CHECK(world.runs().back() == "11@B F2 9.2-11.2");
}

TEST_CASE("a host that was cut off loses its run to another one", "[unit][elastic]") {
  // FO-11: cut at T2, fenced by itself at T2.5, silent at T2.75, back at T7.
  elastic_world world{2, on_hosts({{'A', 3}, {'B', 12}})};
  world.host_up('A');
  world.host_up('B');
  world.plan = {{0, 'B'}, {1, 'A'}};
  world.fires(20, 0);
  world.at(2.3, [&] { world.for_runs_on(world.process_of('B'), event::link_lost{world.process_of('B')}); });
  world.at(2.74, [&] {
    world.for_runs_on(world.process_of('B'), event::host_silent{world.process_of('B'), elastic_world::begin + 2s});
  });
  world.run_until(11);
  CHECK(world.runs() == std::vector<std::string>{"0@B N 0-2.75 lost", "1@A N 0-3", "0@A F2 2.75-5.75"});
  world.run_until(13);
  CHECK(world.gone == 1);
}

TEST_CASE("timelines of re-sharding, triggers and streams", "[unit][elastic]") {
  play({
    {"RS-2", 2, [](int item, char, int number) { return item == 0 && number == 0 ? 25.0 : 1.0; },
     [](elastic_world& w) {
       w.host_up('A');
       w.plan = {{0, 'A'}, {1, 'A'}};
       w.fires(10, 30);
       w.at(14, [&w] { w.host_up('B'); w.plan[0] = 'B'; });
     }, 42, {"0@A N 0-25", "1@A N 0-1", "1@A N 10-11", "1@A N 20-21", "0@B M 25-26", "0@B N 30-31", "1@A N 30-31"}},
    {"RS-4", 2, first_takes(1, 1),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan = {{0, 'A'}, {1, 'A'}, {2, 'A'}};
       w.fires(20, 40);
       w.at(13, [&w] { w.resize(3); });
       w.at(26, [&w] { w.resize(1); });
     }, 42, {"0@A N 0-1", "1@A N 0-1", "0@A N 20-21", "1@A N 20-21", "2@A N 20-21", "0@A N 40-41"},
     [](elastic_world& w) { CHECK(w.deleted == 2); }},
    {"RS-4, with items that run", 2, first_takes(10, 1),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan = {{0, 'A'}, {1, 'A'}};
       w.fires(4, 4);
       w.at(5, [&w] { w.resize(1); });
     }, 15, {"0@A N 0-10", "1@A N 0-10", "0@A M 10-11"}, [](elastic_world& w) { CHECK(w.deleted == 1); }},
    {"RS-6", 3, first_takes(1, 1),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan = {{0, 'A'}, {1, 'A'}, {2, 'A'}};
       w.fires(5, 10);
       w.at(2, [&w] { w.apply(1, event::disabled_set{true}); });
       w.at(7, [&w] { w.apply(1, event::disabled_set{false}); });
     }, 12, {"0@A N 0-1", "1@A N 0-1", "2@A N 0-1", "0@A N 5-6", "2@A N 5-6", "0@A N 10-11", "1@A N 10-11", "2@A N 10-11"}},
    {"TR-1", 1, first_takes(2, 2),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan[0] = 'A';
       w.fires(20, 0);
       w.at(1, [&w] { w.fire(run_source::manual, request_id{1}); });
       w.at(5, [&w] { w.fire(run_source::manual, request_id{2}); });
     }, 9, {"0@A N 0-2", "0@A R 5-7"}, [](elastic_world& w) { CHECK(w.dropped_requests == 1); }},
    {"OO-1", 3, first_takes(2, 2),
     [](elastic_world& w) {
       w.host_up('A'); w.host_up('B');
       w.plan = {{0, 'B'}, {1, 'A'}, {2, 'B'}};
       for (const int t : {0, 1, 5})
         w.at(t, [&w, t] { w.fire(run_source::manual, request_id{t + 1}); });
     }, 9, {"0@B R 0-2", "1@A R 0-2", "2@B R 0-2", "0@B R 5-7", "1@A R 5-7", "2@B R 5-7"}},
    {"OO-1, queue", 1, first_takes(2, 2),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan[0] = 'A';
       w.policy = request_policy::queue;
       for (const int t : {0, 1})
         w.at(t, [&w, t] { w.fire(run_source::manual, request_id{t + 1}); });
     }, 9, {"0@A R 0-2", "0@A R 2-4"}},
    {"DF-1", 1, first_takes(0, 0),
     [](elastic_world& w) {
       w.streaming = true;
       w.host_up('A');
       w.plan[0] = 'A';
       w.fires(6, 0);
       w.at(1.5, [&w] { w.host_up('B'); w.plan[0] = 'B'; w.apply(0, event::stream_moved{}); });
     }, 5, {"0@A N 0-2.4", "0@B N 2.4-"}},
    {"a time limit", 1, first_takes(20, 1),
     [](elastic_world& w) {
       w.host_up('A');
       w.plan[0] = 'A';
       w.rules.timeout = 3s;
       w.fires(30, 0);
     }, 29, {"0@A N 0-3.1 killed"}},
  });
}

} // namespace ringmaster::test::item_timelines_test
