#include "actors/elastic/elastic_hosts.hpp"

#include "tests/actors/elastic_node_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::elastic_verdict;
using protocol::host_fate;

namespace {

/// Processes whose ends a test proves.
struct scripted_processes final : actors::process_watch {
  bool watch(const elastic::host_process& process, const elastic::host_facts&) override {
    watched.push_back(process);
    return true;
  }
  void forget(const elastic::host_process& process) override { std::erase(watched, process); }
  void watch_program(const elastic::host_process& process, elastic::item_run_id run, std::int64_t pid) override {
    programs.push_back({process, run, pid});
  }
  void forget_program(const elastic::host_process& process, elastic::item_run_id run) override {
    std::erase_if(programs, [&](const program& each) { return each.process == process && each.run == run; });
  }
  bool programs_ended(const elastic::host_process& process) override { return programs_over && has_programs(process); }
  bool has_programs(const elastic::host_process& process) const override {
    return std::any_of(programs.begin(), programs.end(), [&](const program& each) { return each.process == process; });
  }
  void forget_programs(const elastic::host_process& process) override {
    std::erase_if(programs, [&](const program& each) { return each.process == process; });
  }
  struct program {
    elastic::host_process process;
    elastic::item_run_id run{};
    std::int64_t pid = 0;
  };
  std::vector<program> programs;
  bool programs_over = false;
  std::vector<elastic::host_process> ended() override { return std::exchange(over, {}); }
  std::vector<elastic::host_process> watched;
  std::vector<elastic::host_process> over;
};

/// A played link of one host process.
struct played_link {
  std::uint64_t number = 0;
  protocol::host_link actor;
  std::shared_ptr<std::vector<protocol::host_message>> heard = std::make_shared<std::vector<protocol::host_message>>();
  std::uint64_t beats = 0;

  template <class T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> out;
    for (const auto& each : *heard)
      if (const auto* what = std::get_if<T>(&each.what))
        out.push_back(*what);
    return out;
  }
  [[nodiscard]] protocol::elastic_welcome welcome() const {
    const auto found = all<protocol::elastic_welcome>();
    REQUIRE_FALSE(found.empty());
    return found.back();
  }
  [[nodiscard]] protocol::elastic_ack ack() const {
    const auto found = all<protocol::elastic_ack>();
    REQUIRE_FALSE(found.empty());
    return found.back();
  }
};

struct hosts_fixture : elastic_world {
  hosts_fixture() {
    director = track(system().spawn([this]() -> protocol::elastic_director::behavior_type {
      return {
        [](const protocol::hosts_subscription&) {},
        [](const protocol::incarnation_change&) {},
        [](const protocol::slot_change&) {},
        [](protocol::edit_hint) {},
        [this](protocol::host_view& view) { known = std::move(view.known); },
        [this](protocol::host_events& events) { heard.push_back(std::move(events)); },
        [this](const protocol::host_notice& notice) { notices.push_back(notice); },
        [this](const protocol::host_epochs& seen) { epochs = seen.epochs; },
        [](const protocol::coordinator_wish&) {},
        [](protocol::stop_request) {},
        [](protocol::tick_atom) {},
      };
    }));
    const auto draw_id = [] { return std::string(32, 'c'); };
    actors::elastic_hosts_parts parts{"a", worker.actor, director, processes, draw_id, clock(), silent_log()};
    hosts = spawn<actors::elastic_hosts_state, protocol::elastic_hosts>(std::move(parts));
    tell(hosts, protocol::incarnation_change{me});
    run();
  }
  ~hosts_fixture() { end_all(); }

  played_link link(std::uint64_t number) {
    played_link made;
    made.number = number;
    made.actor = track(protocol::host_link{system().spawn([heard = made.heard]() -> protocol::host_link::behavior_type {
      return {[heard](protocol::host_message& message) { heard->push_back(std::move(message)); }};
    })});
    return made;
  }
  template <class What>
  void say(const played_link& at, What&& what) {
    tell(hosts, protocol::host_said{at.number, at.actor, now(), std::forward<What>(what)});
    run();
  }
  void introduce(const played_link& at, const std::string& process = "p1", const std::string& cluster = {}) {
    protocol::host_introduction who;
    who.app_name = "pay-worker";
    who.address = "ringmaster://pay-worker/one";
    who.hello.process = process;
    who.hello.folder = folder;
    who.hello.ip = "10.0.0.3";
    who.hello.capacity = 8;
    who.hello.cluster = cluster;
    who.hello.epochs = seen_epochs;
    say(at, std::move(who));
  }
  void beat(played_link& at, bool asks = false) {
    protocol::elastic_heartbeat sent;
    sent.number = ++at.beats;
    sent.incarnation = at.welcome().host.incarnation;
    sent.wall = civil();
    sent.free_slots = 8;
    sent.keeper_no = accepted;
    sent.asks_keeper = asks;
    say(at, sent);
  }
  /// Lets time pass while the host of a link beats.
  void beat_for(played_link& at, std::chrono::milliseconds duration) {
    for (const auto end = now() + duration; now() < end; advance(150ms))
      beat(at);
  }
  [[nodiscard]] std::vector<host_fate> fates() {
    std::vector<host_fate> out;
    for (const auto& notice : std::exchange(notices, {}))
      out.push_back(notice.fate);
    return out;
  }
  elastic::host_row stored_host() { return expect(ej().hosts_since(0, 10)).at(0); }

  std::string folder = "f1";
  std::int64_t accepted = 1;
  std::shared_ptr<scripted_processes> processes = std::make_shared<scripted_processes>();
  std::shared_ptr<const protocol::known_hosts> known;
  std::vector<protocol::host_events> heard;
  std::vector<protocol::host_notice> notices;
  /// Epochs of the next hello, and those that the director got.
  std::vector<elastic::slot_lease> seen_epochs, epochs;
  protocol::elastic_director director;
  protocol::elastic_hosts hosts;
};

} // namespace

TEST_CASE_METHOD(hosts_fixture, "the director gets the epochs of hosts of this cluster", "[actors][elastic]") {
  seen_epochs = {{7, 41}};
  auto at = link(1);
  introduce(at, "p1", std::string(32, 'd'));
  CHECK(at.welcome().verdict == elastic_verdict::other_cluster);
  CHECK(epochs.empty());
  auto next = link(2);
  introduce(next, "p2", std::string(32, 'c'));
  CHECK(next.welcome().verdict == elastic_verdict::welcome);
  CHECK(epochs == seen_epochs);
}

TEST_CASE_METHOD(hosts_fixture, "a host is admitted, beats, and is seen by the director", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  const auto welcome = at.welcome();
  CHECK(welcome.verdict == elastic_verdict::welcome);
  CHECK(welcome.cluster == std::string(32, 'c'));
  CHECK(welcome.node == "a");
  CHECK(welcome.keeper_no == 1);
  CHECK(stored_host().process == welcome.host);
  CHECK(processes->watched == std::vector{welcome.host});
  beat(at);
  CHECK(at.ack().number == 1);
  CHECK(at.ack().keeper_no == 1);
  CHECK(at.heard->back().life == me.incarnation);
  advance(50ms);
  REQUIRE(known);
  CHECK(known->seats.at(0).free_slots == 8);
  CHECK(known->hosts.find(welcome.host.host)->linked);
  CHECK(known->several_nodes);
  SECTION("an acknowledgement needs no store") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    beat(at);
    CHECK(at.ack().number == 2);
  }
  SECTION("without an incarnation there is none") {
    tell(hosts, protocol::incarnation_change{});
    beat(at);
    CHECK(at.ack().number == 1);
    auto late = link(2);
    introduce(late, "p2");
    CHECK(late.welcome().verdict == elastic_verdict::unavailable);
  }
  SECTION("messages reach it by its number") {
    protocol::elastic_orders orders;
    orders.host = welcome.host;
    orders.inventory = 4;
    tell(hosts, protocol::host_send{welcome.host, {0, orders}});
    run();
    REQUIRE(at.all<protocol::elastic_orders>().size() == 1);
    auto other = welcome.host;
    other.incarnation = elastic::host_incarnation{99};
    tell(hosts, protocol::host_send{other, {0, orders}});
    run();
    CHECK(at.all<protocol::elastic_orders>().size() == 1);
  }
}

TEST_CASE_METHOD(hosts_fixture, "hosts that are refused", "[actors][elastic]") {
  auto at = link(1);
  SECTION("of another cluster") {
    introduce(at, "p1", std::string(32, 'd'));
    CHECK(at.welcome().verdict == elastic_verdict::other_cluster);
    CHECK_FALSE(at.welcome().reason.empty());
    CHECK(expect(ej().hosts_since(0, 10)).empty());
  }
  SECTION("while the store is away") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::unavailable);
    store.role.fault_of = nullptr;
    advance(1s);
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
  }
  SECTION("whose answer was lost") {
    store.role.fault_of = [](std::string_view) { return store_fault::answer_lost; };
    introduce(at);
    store.role.fault_of = nullptr;
    advance(1s);
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
  }
  SECTION("that count as dead") {
    introduce(at);
    const std::vector<elastic::host_verdict> verdicts{{at.welcome().host, 1, elastic::host_state::dead}};
    expect(ej().judge_hosts(other, verdicts));
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::dead_process);
    introduce(at, "p2");
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{2});
  }
  SECTION("that a newer process has replaced") {
    introduce(at);
    folder = "f2";
    auto newer = link(2);
    introduce(newer, "p2");
    CHECK(newer.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().verdict == elastic_verdict::replaced);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
    CHECK(fates() == std::vector{host_fate::silent});
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::replaced);
    CHECK(at.welcome().reason.find("another process, pid 0 at 10.0.0.3, uses the id ringmaster://pay-worker/one")
          != std::string::npos);
    CHECK(stored_host().process.incarnation == elastic::host_incarnation{2});
    // After the end of the newer process it enters again.
    tell(hosts, protocol::death_report{newer.welcome().host});
    introduce(at);
    CHECK(at.welcome().verdict == elastic_verdict::dead_process);
    introduce(at, "p3");
    CHECK(at.welcome().verdict == elastic_verdict::welcome);
    CHECK(at.welcome().host.incarnation == elastic::host_incarnation{3});
  }
}

TEST_CASE_METHOD(hosts_fixture, "the end of a process is proved and stored", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto process = at.welcome().host;
  SECTION("with the end of its link") {
    processes->over = {process};
    tell(hosts, protocol::host_link_lost{1, false});
    run();
  }
  SECTION("soon after it") {
    tell(hosts, protocol::host_link_lost{1, false});
    run();
    CHECK(fates() == std::vector{host_fate::suspect});
    processes->over = {process};
    advance(10ms);
  }
  SECTION("by a report, while the store is away") {
    store.role.fault_of = [](std::string_view) { return store_fault::away; };
    tell(hosts, protocol::death_report{process});
    run();
    CHECK(fates().empty());
    CHECK_FALSE(known->hosts.find(process.host)->linked);
    store.role.fault_of = nullptr;
    advance(200ms);
  }
  const auto heard_of = fates();
  REQUIRE_FALSE(heard_of.empty());
  CHECK(heard_of.back() == host_fate::dead);
  CHECK(known->hosts.find(process.host)->state == elastic::host_state::dead);
  CHECK(expect(ej().hosts_since(0, 10)).empty());
}

TEST_CASE_METHOD(hosts_fixture, "the end of a process is told again once its programs have ended", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto process = at.welcome().host;
  protocol::elastic_events batch;
  batch.batch = 1;
  for (const int run : {12, 13}) {
    protocol::elastic_event started;
    started.job = elastic::elastic_job_id{7};
    started.run = elastic::item_run_id{run};
    started.fence = elastic::fence_number{1};
    started.kind = protocol::elastic_event_kind::started;
    started.child_pid = 40 + run;
    batch.events.push_back(started);
  }
  say(at, batch);
  CHECK(processes->programs.size() == 2);
  batch.batch = 2;
  batch.events.resize(1);
  batch.events[0].kind = protocol::elastic_event_kind::finished;
  say(at, batch);
  REQUIRE(processes->programs.size() == 1);
  CHECK(processes->programs[0].pid == 53);
  processes->over = {process};
  tell(hosts, protocol::host_link_lost{1, false});
  run();
  REQUIRE_FALSE(notices.empty());
  CHECK(notices.back().fate == host_fate::dead);
  CHECK_FALSE(notices.back().programs_ended);
  const auto told = notices.size();
  advance(100ms);
  CHECK(notices.size() == told);
  processes->programs_over = true;
  advance(100ms);
  REQUIRE(notices.size() == told + 1);
  CHECK(notices.back().host == process);
  CHECK(notices.back().fate == host_fate::dead);
  CHECK(notices.back().programs_ended);
  CHECK(processes->programs.empty());
}

TEST_CASE_METHOD(hosts_fixture, "a silent host, and its return", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  const auto last = now();
  advance(300ms);
  CHECK(fates() == std::vector{host_fate::suspect});
  advance(450ms);
  CHECK(stored_host().state == elastic::host_state::silent);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].fate == host_fate::silent);
  CHECK(notices[0].last_beat == last);
  notices.clear();
  beat(at);
  CHECK(at.all<protocol::elastic_ack>().size() == 2);
  CHECK(at.ack().number == 2);
  CHECK(at.ack().keeper_no == 2);
  CHECK(fates() == std::vector{host_fate::back});
  CHECK(stored_host().state == elastic::host_state::up);
}

TEST_CASE_METHOD(hosts_fixture, "a host changes its keeper", "[actors][elastic]") {
  const std::string cluster = expect(ej().mark("c1")).cluster_id;
  const elastic::host_facts facts{"ringmaster://pay-worker/one", "pay-worker", "p1", "f1", "", 0, 0, 0, "10.0.0.3", "", 8};
  expect(ej().enter_host(other, cluster, facts));
  auto at = link(1);
  introduce(at);
  CHECK(at.welcome().keeper_no == 0);
  beat(at);
  CHECK(at.ack().keeper_no == 0);
  beat(at, true); // answered once
  CHECK(at.all<protocol::elastic_ack>().size() == 2);
  CHECK(at.ack().number == 2);
  CHECK(at.ack().keeper_no == 2);
  CHECK(stored_host().keeper == me);
  accepted = 2;
  beat_for(at, 1s);
  const std::vector<elastic::keeper_claim> claims{{at.welcome().host, 2}};
  SECTION("another node claims it, which this one reads") {
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    beat(at);
    CHECK(at.ack().keeper_no == 0);
  }
  SECTION("a node that leaves says so, and takes no host from another one") {
    tell(hosts, protocol::stop_request{});
    beat(at);
    CHECK(at.ack().leave);
    CHECK(at.ack().keeper_no == 2);
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    beat(at, true);
    CHECK(at.ack().number == at.beats);
    CHECK(at.ack().keeper_no == 0);
    CHECK(stored_host().keeper == other);
  }
}

TEST_CASE_METHOD(hosts_fixture, "after a restart the node keeps its hosts again", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat(at);
  tell(hosts, protocol::incarnation_change{});
  me = expect(direct->cluster().enter("a", "one:1"));
  tell(hosts, protocol::incarnation_change{me});
  advance(50ms);
  CHECK(stored_host().keeper == me);
  beat(at);
  CHECK(at.ack().keeper_no == 2);
  CHECK(at.heard->back().life == me.incarnation);
}

TEST_CASE_METHOD(hosts_fixture, "events have a receipt once the director has an outcome for each", "[actors][elastic]") {
  auto at = link(1);
  const protocol::elastic_events batch{.batch = 1, .events = std::vector<protocol::elastic_event>(3)};
  say(at, batch); // not admitted: the host repeats them
  CHECK_FALSE(at.all<protocol::elastic_receipt>().at(0).stored);
  introduce(at);
  auto next = batch;
  next.batch = 2;
  say(at, next);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].host == at.welcome().host);
  CHECK(heard[0].events.size() == 3);
  tell(hosts, protocol::host_events_done{heard[0].host, heard[0].link_number, heard[0].batch, 2, true});
  run();
  CHECK(at.all<protocol::elastic_receipt>().size() == 1);
  tell(hosts, protocol::host_events_done{heard[0].host, heard[0].link_number, heard[0].batch, 1, true});
  run();
  REQUIRE(at.all<protocol::elastic_receipt>().size() == 2);
  CHECK(at.all<protocol::elastic_receipt>()[1].batch == 2);
  CHECK(at.all<protocol::elastic_receipt>()[1].stored);
  SECTION("an inventory is passed on") {
    protocol::elastic_inventory part;
    part.question = 9;
    say(at, part);
    REQUIRE(heard.size() == 2);
    CHECK(heard[1].batch == 0);
    CHECK(heard[1].inventory->question == 9);
  }
  SECTION("without an outcome the host repeats them") {
    next.batch = 3;
    say(at, next);
    advance(6s);
    REQUIRE(at.all<protocol::elastic_receipt>().size() == 3);
    CHECK_FALSE(at.all<protocol::elastic_receipt>()[2].stored);
  }
}

TEST_CASE_METHOD(hosts_fixture, "a host that enters at another node is seen", "[actors][elastic]") {
  advance(1s);
  const elastic::host_facts facts{"h2", "app", "p7", "f7", "", 1, 1, 1, "10.0.0.2", "", 8};
  const auto entered = expect(ej().enter_host(other, std::string(32, 'c'), facts));
  advance(200ms);
  REQUIRE(known);
  REQUIRE(known->hosts.size() == 1);
  CHECK_FALSE(known->hosts.find(entered.row->process.host)->linked);
  const std::vector<elastic::host_verdict> verdicts{{entered.row->process, 1, elastic::host_state::silent}};
  expect(ej().judge_hosts(other, verdicts));
  advance(200ms);
  CHECK(fates() == std::vector{host_fate::silent});
}

TEST_CASE_METHOD(hosts_fixture, "a keeper that cannot read the changes of others extends no lease", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  CHECK(at.ack().keeper_no == 1);
  store.role.fault_of = [](std::string_view method) {
    return method == "hosts_since" ? store_fault::away : store_fault::none;
  };
  beat_for(at, 450ms);
  beat(at);
  CHECK(at.ack().number == at.beats);
  CHECK(at.ack().keeper_no == 0);
  store.role.fault_of = nullptr;
  beat_for(at, 6s);
  beat(at);
  CHECK(at.ack().number == at.beats);
  CHECK(at.ack().keeper_no == 1);
}

TEST_CASE_METHOD(hosts_fixture, "a host that has said goodbye leaves, also after another hello", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  const auto draining = [&] {
    run();
    REQUIRE(known);
    REQUIRE(known->hosts.size() == 1);
    return known->hosts.find(at.welcome().host.host)->draining;
  };
  CHECK_FALSE(draining());
  tell(hosts, protocol::host_link_lost{1, true});
  CHECK(draining());
  introduce(at);
  CHECK(draining());
  tell(hosts, protocol::host_link_lost{1, false});
  auto next = link(2);
  introduce(next);
  CHECK_FALSE(draining());
}

TEST_CASE_METHOD(hosts_fixture, "a host that counts as dead is told so when it beats", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  const std::vector<elastic::host_verdict> verdicts{{at.welcome().host, 1, elastic::host_state::dead}};
  expect(ej().judge_hosts(other, verdicts));
  beat_for(at, 300ms);
  beat(at);
  CHECK(at.welcome().verdict == elastic_verdict::dead_process);
  CHECK(at.welcome().host.incarnation == elastic::host_incarnation{1});
  introduce(at, "p2");
  CHECK(at.welcome().verdict == elastic_verdict::welcome);
  CHECK(at.welcome().host.incarnation == elastic::host_incarnation{2});
}

TEST_CASE_METHOD(hosts_fixture, "a node that leaves waits until its hosts have another keeper", "[actors][elastic]") {
  auto at = link(1);
  introduce(at);
  beat_for(at, 1s);
  const auto left = later<caf::unit_t>(hosts, protocol::stop_request{});
  run();
  CHECK_FALSE(left->has_value());
  beat(at);
  CHECK(at.ack().leave);
  SECTION("as soon as they have") {
    const std::vector<elastic::keeper_claim> claims{{at.welcome().host, 1}};
    expect(ej().keep_hosts(other, claims));
    beat_for(at, 300ms);
    CHECK(left->has_value());
  }
  SECTION("for a second at most") {
    beat_for(at, 750ms);
    CHECK_FALSE(left->has_value());
    beat_for(at, 300ms);
    CHECK(left->has_value());
  }
}

TEST_CASE_METHOD(hosts_fixture, "a node without hosts leaves at once", "[actors][elastic]") {
  advance(1s);
  const auto left = later<caf::unit_t>(hosts, protocol::stop_request{});
  run();
  CHECK(left->has_value());
}
