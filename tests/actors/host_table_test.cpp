#include "actors/elastic/host_table.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <sys/stat.h>

#include "actors/elastic/event_receipts.hpp"
#include "actors/elastic/local_processes.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
namespace elastic = core::elastic;
using enum elastic::host_state;
using protocol::host_fate;

namespace {

/// Node `a` in its incarnation 5, and one host with two possible processes.
struct table_fixture {
  table_fixture() { table.begin_life(me, now); }

  /// Lets time pass as ticks do.
  void pass(std::chrono::milliseconds duration) {
    for (const auto end = now + duration; now < end;) {
      now += std::min<std::chrono::milliseconds>(50ms, std::chrono::duration_cast<std::chrono::milliseconds>(end - now));
      table.look(now);
    }
  }
  elastic::host_row row(std::int64_t incarnation = 1, elastic::host_state state = up) {
    elastic::host_row out;
    out.process = {elastic::host_number{3}, elastic::host_incarnation{incarnation}};
    out.facts = {"h3", "app", "p" + std::to_string(incarnation), folder, "boot", 77, 4, 900, "10.0.0.3", "ssd, eu,", 8};
    out.state = state;
    out.keeper = keeper;
    out.keeper_no = keeper_no;
    out.change_no = ++changes;
    return out;
  }
  void admit(std::uint64_t link = 1, std::int64_t incarnation = 1) {
    protocol::host_introduction who;
    who.hello.handlers = {"sum"};
    table.admit(link, row(incarnation), who, now);
  }
  std::optional<protocol::elastic_ack> beat(std::uint64_t number, std::int32_t free = 8, bool asks = false) {
    protocol::elastic_heartbeat sent;
    sent.number = number;
    sent.incarnation = elastic::host_incarnation{1};
    sent.wall = core::time_point{5'020ms};
    sent.free_slots = free;
    sent.asks_keeper = asks;
    sent.keeper_no = keeper_no;
    return table.hear(1, sent, now, core::time_point{5'000ms});
  }
  std::vector<host_fate> fates() {
    std::vector<host_fate> out;
    for (const auto& notice : table.take_notices())
      out.push_back(notice.fate);
    return out;
  }
  /// Answers all verdicts that are due.
  void judge(elastic::write_outcome outcome, const elastic::host_row& after) {
    const auto due = table.begin_verdicts(now);
    const std::vector<elastic::host_answer> answers{{outcome, after}};
    table.end_verdicts(due, answers, now);
  }

  core::node_incarnation me{"a", 5};
  core::node_incarnation keeper = me;
  std::int64_t keeper_no = 2;
  std::int64_t changes = 0;
  std::string folder = "f3";
  protocol::elastic_steady now{1h};
  actors::host_table table;
};

} // namespace

TEST_CASE_METHOD(table_fixture, "heartbeats are acknowledged with the keeper's number", "[actors][elastic]") {
  CHECK_FALSE(beat(1)); // not admitted
  admit();
  const auto ack = beat(1);
  REQUIRE(ack);
  CHECK(ack->number == 1);
  CHECK(ack->keeper_no == 2);
  const auto view = table.take_view(now);
  REQUIRE(view);
  REQUIRE(view->hosts.find(elastic::host_number{3}) != nullptr);
  const auto& shown = *view->hosts.find(elastic::host_number{3});
  CHECK(shown.linked);
  CHECK(shown.labels == std::vector<std::string>{"ssd", "eu"});
  CHECK(shown.handlers == std::vector<std::string>{"sum"});
  CHECK(shown.clock_difference == 20ms);
  CHECK(view->seats.at(0).free_slots == 8);
  CHECK_FALSE(view->several_nodes);
  static_cast<void>(beat(2));
  CHECK_FALSE(table.take_view(now));
  static_cast<void>(beat(3, 7));
  CHECK_FALSE(table.take_view(now)); // a change of load can wait
  pass(200ms);
  CHECK(table.take_view(now)->seats.at(0).free_slots == 7);
  static_cast<void>(beat(3, 0));
  CHECK(table.take_view(now)->seats.at(0).free_slots == 0);
  SECTION("another node is the keeper") {
    keeper = {"b", 1};
    ++keeper_no;
    table.learn_change(row(), now);
    CHECK(beat(4)->keeper_no == 0);
  }
  SECTION("this node's life is over") {
    table.end_life();
    CHECK_FALSE(beat(4));
  }
}

TEST_CASE_METHOD(table_fixture, "two missing heartbeats make a host suspect, 750 ms silent", "[actors][elastic]") {
  admit();
  static_cast<void>(beat(1));
  pass(250ms);
  CHECK(fates().empty());
  pass(50ms);
  CHECK(fates() == std::vector{host_fate::suspect});
  CHECK_FALSE(table.take_view(now)->hosts.find(elastic::host_number{3})->linked);
  SECTION("it is heard again") {
    CHECK(beat(2)->keeper_no == 2);
    CHECK(fates() == std::vector{host_fate::back});
    CHECK(table.take_view(now)->hosts.find(elastic::host_number{3})->linked);
  }
  SECTION("it stays silent") {
    const auto last = now - 300ms;
    pass(400ms);
    CHECK(table.begin_verdicts(now).empty());
    pass(50ms);
    const auto due = table.begin_verdicts(now);
    REQUIRE(due.size() == 1);
    CHECK(due[0].state == silent);
    CHECK(due[0].seen == 2);
    CHECK_FALSE(due[0].keeper_over);
    // Until the store has answered, nothing extends its lease, and the verdict is repeated.
    CHECK(beat(2)->keeper_no == 0);
    table.end_verdicts(due, {}, now);
    REQUIRE(table.begin_verdicts(now).size() == 1);
    CHECK(beat(3)->keeper_no == 0);
    CHECK(table.begin_claims().empty());
    static_cast<void>(fates());
    SECTION("the verdict is stored") {
      judge(elastic::write_outcome::done, row(1, silent));
      const auto notices = table.take_notices();
      REQUIRE(notices.size() == 1);
      CHECK(notices[0].fate == host_fate::silent);
      CHECK(notices[0].last_beat >= last);
      // Until the next E2, nothing names this node as its keeper.
      CHECK(table.keeper_no({elastic::host_number{3}, elastic::host_incarnation{1}}) == 0);
      // It speaks, so this node becomes its keeper again. The heartbeat is answered after that.
      CHECK_FALSE(beat(4));
      const auto claims = table.begin_claims();
      REQUIRE(claims.size() == 1);
      CHECK(table.begin_claims().empty());
      ++keeper_no;
      const std::vector<elastic::host_answer> answers{{elastic::write_outcome::done, row()}};
      const auto acks = table.end_claims(claims, answers, now);
      REQUIRE(acks.size() == 1);
      CHECK(acks[0].second.number == 4);
      CHECK(acks[0].second.keeper_no == 3);
      CHECK(beat(5)->keeper_no == 3);
      CHECK(fates() == std::vector{host_fate::back});
    }
    SECTION("another node was faster") {
      keeper = {"b", 1};
      ++keeper_no;
      judge(elastic::write_outcome::guard_lost, row());
      CHECK(fates().empty());
      CHECK(beat(4)->keeper_no == 0);
    }
  }
}

TEST_CASE_METHOD(table_fixture, "after a pause of this node the silences of all hosts begin again", "[actors][elastic]") {
  admit();
  static_cast<void>(beat(1));
  pass(200ms);
  now += 5s;
  table.look(now);
  CHECK(fates().empty());
  CHECK(table.begin_verdicts(now).empty());
  pass(700ms);
  CHECK(table.begin_verdicts(now).empty());
  pass(50ms);
  CHECK(table.begin_verdicts(now).size() == 1);
}

TEST_CASE_METHOD(table_fixture, "a pause of this node is noticed before its tick", "[actors][elastic]") {
  admit();
  static_cast<void>(beat(1));
  pass(200ms);
  now += 5s;
  CHECK(table.begin_verdicts(now).empty());
  pass(700ms);
  CHECK(table.begin_verdicts(now).empty());
  pass(50ms);
  CHECK(table.begin_verdicts(now).size() == 1);
}

TEST_CASE_METHOD(table_fixture, "a node becomes the keeper of a host that asks", "[actors][elastic]") {
  keeper = {"b", 1};
  admit();
  CHECK(beat(1)->keeper_no == 0);
  CHECK(table.begin_claims().empty());
  static_cast<void>(beat(2, 8, true));
  const auto claims = table.begin_claims();
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].seen == 2);
  SECTION("the store cannot be asked") {
    CHECK(table.end_claims(claims, {}, now).empty());
    CHECK(table.begin_claims().size() == 1);
  }
  SECTION("the host has found another keeper meanwhile") {
    CHECK(table.end_claims(claims, {}, now).empty());
    CHECK(beat(3)->keeper_no == 0);
    CHECK(table.begin_claims().empty());
  }
  SECTION("another one has become the keeper") {
    keeper_no = 7;
    const std::vector<elastic::host_answer> answers{{elastic::write_outcome::guard_lost, row()}};
    CHECK(table.end_claims(claims, answers, now).empty());
    CHECK(table.begin_claims().empty());
    static_cast<void>(beat(3, 8, true));
    CHECK(table.begin_claims().at(0).seen == 7);
  }
  SECTION("a host that asks its keeper gets a new number") {
    keeper = me;
    keeper_no = 3;
    const std::vector<elastic::host_answer> answers{{elastic::write_outcome::done, row()}};
    CHECK(table.end_claims(claims, answers, now).size() == 1);
    keeper_no = 2;
    CHECK(beat(4, 8, true)->keeper_no == 3);
    CHECK(table.begin_claims().empty());
    keeper_no = 3;
    static_cast<void>(beat(5, 8, true));
    CHECK(table.begin_claims().size() == 1);
  }
}

TEST_CASE_METHOD(table_fixture, "silence is counted from this node's E2, also when its answer was lost", "[actors][elastic]") {
  const std::vector<core::node_row> nodes{{"a", 5, 1, core::node_state::up, ""}, {"b", 1, 9, core::node_state::up, ""}};
  table.note_nodes(nodes);
  keeper = {"b", 1};
  admit();
  static_cast<void>(beat(1, 8, true));
  const auto claims = table.begin_claims();
  REQUIRE(claims.size() == 1);
  pass(700ms); // the former keeper extends the lease meanwhile
  CHECK(table.end_claims(claims, {}, now).empty());
  keeper = me;
  ++keeper_no;
  table.learn_change(row(), now);
  const auto kept_since = now;
  pass(700ms);
  CHECK(table.begin_verdicts(now).empty());
  pass(50ms);
  static_cast<void>(table.take_notices());
  judge(elastic::write_outcome::done, row(1, silent));
  const auto notices = table.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].fate == host_fate::silent);
  CHECK(notices[0].last_beat >= kept_since);
}

TEST_CASE_METHOD(table_fixture, "a keeper that has not read the changes of others extends no lease", "[actors][elastic]") {
  const std::vector<core::node_row> nodes{{"a", 5, 1, core::node_state::up, ""}, {"b", 1, 9, core::node_state::up, ""}};
  table.note_nodes(nodes);
  table.note_reading(now);
  admit();
  CHECK(beat(1)->keeper_no == 2);
  pass(200ms);
  CHECK(beat(2)->keeper_no == 2);
  pass(50ms);
  CHECK(beat(3)->keeper_no == 0);
  SECTION("until it has read them") {
    table.note_reading(now);
    CHECK(beat(4)->keeper_no == 2);
  }
  SECTION("but the only node needs no reading") {
    table.note_nodes(std::span{nodes}.first(1));
    CHECK(beat(4)->keeper_no == 2);
  }
}

TEST_CASE_METHOD(table_fixture, "hosts of a keeper that is over", "[actors][elastic]") {
  SECTION("this node before its restart: a linked host is claimed at once") {
    keeper = {"a", 4};
    admit();
    CHECK(table.begin_claims().size() == 1);
  }
  SECTION("a keeper that is newer than the list of nodes is not over") {
    const std::vector<core::node_row> nodes{{"a", 5, 1, core::node_state::up, ""}};
    table.note_nodes(nodes);
    keeper = {"b", 1};
    table.learn(row(), now, now);
    pass(1s);
    CHECK(table.begin_verdicts(now).empty());
    table.note_nodes(nodes);
    CHECK(table.begin_verdicts(now).empty());
    pass(750ms);
    CHECK(table.begin_verdicts(now).size() == 1);
  }
  SECTION("a silent host needs 750 ms of observation") {
    keeper = {"b", 1};
    table.learn(row(), now, now);
    const std::vector<core::node_row> nodes{{"a", 5, 1, core::node_state::up, ""}, {"b", 1, 9, core::node_state::up, ""}};
    table.note_nodes(nodes);
    CHECK(table.several_nodes());
    CHECK(table.take_view(now)->several_nodes);
    pass(2s);
    CHECK(table.begin_verdicts(now).empty());
    table.note_nodes(std::span{nodes}.first(1));
    CHECK(table.begin_verdicts(now).empty());
    pass(700ms);
    CHECK(table.begin_verdicts(now).empty());
    pass(50ms);
    const auto due = table.begin_verdicts(now);
    REQUIRE(due.size() == 1);
    CHECK(due[0].keeper_over);
    judge(elastic::write_outcome::done, row(1, silent));
    CHECK(fates() == std::vector{host_fate::silent});
  }
}

TEST_CASE_METHOD(table_fixture, "a proof ends a process", "[actors][elastic]") {
  admit();
  static_cast<void>(table.take_view(now));
  table.prove_end({elastic::host_number{3}, elastic::host_incarnation{1}});
  CHECK_FALSE(beat(1));
  CHECK_FALSE(table.take_view(now)->hosts.find(elastic::host_number{3})->linked);
  const auto due = table.begin_verdicts(now);
  REQUIRE(due.size() == 1);
  CHECK(due[0].state == dead);
  judge(elastic::write_outcome::done, row(1, dead));
  CHECK(fates() == std::vector{host_fate::dead});
  CHECK(table.begin_verdicts(now).empty());
  CHECK(table.take_view(now)->hosts.find(elastic::host_number{3})->state == dead);
  pass(61s);
  CHECK(table.take_view(now)->hosts.size() == 0);
}

TEST_CASE_METHOD(table_fixture, "a host that said goodbye has left", "[actors][elastic]") {
  admit();
  table.lose_link(1, true, now);
  CHECK(table.take_view(now)->hosts.find(elastic::host_number{3})->draining);
  CHECK(beat(1));
  table.lose_link(1, false, now);
  CHECK(fates() == std::vector{host_fate::suspect});
  CHECK(table.expects_proof(now));
  table.prove_end({elastic::host_number{3}, elastic::host_incarnation{1}});
  const auto due = table.begin_verdicts(now);
  REQUIRE(due.size() == 1);
  CHECK(due[0].state == left);
  SECTION("as its keeper says") {
    judge(elastic::write_outcome::done, row(1, left));
    CHECK(fates() == std::vector{host_fate::left});
  }
  SECTION("another node says only that it is dead") {
    keeper = {"b", 1};
    ++keeper_no;
    judge(elastic::write_outcome::guard_lost, row());
    CHECK(table.begin_verdicts(now).at(0).state == dead);
  }
}

TEST_CASE_METHOD(table_fixture, "a newer process replaces one of the same host", "[actors][elastic]") {
  const elastic::host_process first{elastic::host_number{3}, elastic::host_incarnation{1}};
  const std::vector<actors::host_table::replaced_link> replaced_first{{1, first}};
  admit();
  static_cast<void>(fates());
  SECTION("of the same folder, which is a proof") {
    admit(2, 2);
    CHECK(fates() == std::vector{host_fate::replaced});
  }
  SECTION("of another folder: the lease decides") {
    folder = "other";
    admit(2, 2);
    CHECK(fates() == std::vector{host_fate::silent});
    // A late proof.
    table.prove_end({elastic::host_number{3}, elastic::host_incarnation{1}});
    CHECK(fates() == std::vector{host_fate::dead});
  }
  SECTION("that entered at another node") {
    keeper = {"b", 1};
    table.learn_change(row(2), now);
    CHECK(fates() == std::vector{host_fate::replaced});
    CHECK(table.take_replaced_links() == replaced_first);
    CHECK_FALSE(table.process_of(1));
    return;
  }
  CHECK(table.take_replaced_links() == replaced_first);
  CHECK_FALSE(beat(1));
  CHECK(table.was_replaced("h3", "p1"));
  CHECK_FALSE(table.was_replaced("h3", "p2"));
  CHECK(table.link_to({elastic::host_number{3}, elastic::host_incarnation{2}}) == 2);
  CHECK_FALSE(table.link_to({elastic::host_number{3}, elastic::host_incarnation{1}}));
  // The end of the older link is no news of the new process.
  table.lose_link(1, false, now);
  CHECK(fates().empty());
}

TEST_CASE_METHOD(table_fixture, "rows that are older than the known one have no effect", "[actors][elastic]") {
  const auto before = row();
  table.learn(row(1, silent), now, now);
  static_cast<void>(table.take_view(now));
  table.learn(before, now, now);
  CHECK(fates().empty());
  CHECK_FALSE(table.take_view(now));
  table.learn_change(row(1, dead), now);
  CHECK(fates() == std::vector{host_fate::dead});
}

TEST_CASE_METHOD(table_fixture, "a host that is silent again is news, also if its return was not read", "[actors][elastic]") {
  keeper = {"b", 1};
  table.learn(row(), now, now);
  table.learn_change(row(1, silent), now);
  CHECK(fates() == std::vector{host_fate::silent});
  ++keeper_no;
  pass(2s);
  table.learn_change(row(1, silent), now);
  const auto notices = table.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].fate == host_fate::silent);
  CHECK(notices[0].last_beat == now - 750ms);
}

TEST_CASE_METHOD(table_fixture, "a process that links again is back", "[actors][elastic]") {
  admit();
  table.lose_link(1, false, now);
  CHECK(fates() == std::vector{host_fate::suspect});
  admit(2);
  CHECK(fates() == std::vector{host_fate::back});
  const auto groups = std::make_shared<const std::vector<core::group_id>>(1, core::group_id{4});
  const protocol::host_rights rights{core::token_kind::group, groups};
  table.change_rights(2, rights);
  CHECK(table.take_view(now)->seats.at(0).groups == groups);
}

TEST_CASE("a receipt follows once all events have an outcome", "[actors][elastic]") {
  actors::event_receipts receipts;
  const protocol::elastic_steady now{1h};
  REQUIRE(receipts.begin(1, 5, 3, now));
  CHECK_FALSE(receipts.begin(1, 5, 3, now));
  CHECK_FALSE(receipts.add({{}, 1, 5, 2, true}));
  CHECK_FALSE(receipts.add({{}, 2, 5, 1, true}));
  const auto receipt = receipts.add({{}, 1, 5, 1, true});
  REQUIRE(receipt);
  CHECK(receipt->what.batch == 5);
  CHECK(receipt->what.stored);
  CHECK_FALSE(receipts.add({{}, 1, 5, 1, true}));
  REQUIRE(receipts.begin(1, 6, 2, now));
  CHECK_FALSE(receipts.add({{}, 1, 6, 1, false}));
  CHECK_FALSE(receipts.add({{}, 1, 6, 1, true})->what.stored);
  REQUIRE(receipts.begin(1, 7, 2, now));
  REQUIRE(receipts.begin(2, 7, 2, now));
  receipts.forget(2);
  CHECK(receipts.give_up(now + 4s).empty());
  const auto late = receipts.give_up(now + 5s);
  REQUIRE(late.size() == 1);
  CHECK_FALSE(late[0].what.stored);
}

TEST_CASE("a pidfd proves the end of a process of this machine", "[actors][elastic]") {
  const auto child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  REQUIRE(child > 0);
  elastic::host_facts facts;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, facts.boot);
  struct stat space {};
  REQUIRE(::stat("/proc/self/ns/pid", &space) == 0);
  facts.pid_namespace = static_cast<std::int64_t>(space.st_ino);
  facts.pid = child;
  std::string line;
  std::getline(std::ifstream{"/proc/" + std::to_string(child) + "/stat"}, line);
  std::istringstream rest{line.substr(line.rfind(')') + 1)};
  std::string field;
  for (int i = 3; i <= 22; ++i)
    rest >> field;
  facts.start_ticks = std::stoll(field);

  actors::local_processes processes;
  const auto process = [](std::int64_t incarnation) {
    return elastic::host_process{elastic::host_number{1}, elastic::host_incarnation{incarnation}};
  };
  CHECK(processes.watch(process(1), facts));
  CHECK(processes.watch(process(1), facts));
  CHECK(processes.ended().empty());
  auto other = facts;
  other.boot = "another machine";
  CHECK_FALSE(processes.watch(process(2), other));
  // The number belongs to another process, or the host is in another time namespace: its lease decides.
  other = facts;
  ++other.start_ticks;
  CHECK_FALSE(processes.watch(process(3), other));
  CHECK(processes.ended().empty());
  CHECK(processes.watch(process(4), facts));
  processes.forget(process(4));
  constexpr auto most = static_cast<std::int64_t>(actors::local_processes::watched_of_host);
  for (std::int64_t entered = 10; entered <= 9 + most; ++entered)
    CHECK(processes.watch(process(entered), facts));
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto ended = processes.ended();
  CHECK(ended.size() == actors::local_processes::watched_of_host);
  CHECK(ended.front() == process(10)); // the oldest one made room
  CHECK(processes.ended().empty());
  CHECK(processes.watch(process(5), facts));
  CHECK(processes.ended() == std::vector{process(5)});
}

TEST_CASE_METHOD(table_fixture, "a list that differs only in free slots says so", "[actors][elastic]") {
  admit();
  static_cast<void>(beat(1));
  CHECK_FALSE(table.take_view(now)->only_load);
  pass(200ms);
  static_cast<void>(beat(2, 7));
  CHECK(table.take_view(now)->only_load);
  static_cast<void>(beat(3, 0));
  CHECK(table.take_view(now)->only_load);
  pass(300ms);
  CHECK_FALSE(table.take_view(now)->only_load); // it is suspect
}
