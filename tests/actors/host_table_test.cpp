// host_table: heartbeats, silences, processes, rows and the view.

#include "tests/actors/host_table_fixture.hpp"

namespace ringmaster::test::host_table_test {

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
  const auto first_was_replaced = [&] {
    const auto links = table.take_replaced_links();
    return links.size() == 1 && links[0].link == 1 && links[0].process == first && links[0].facts.process == "p1";
  };
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
    CHECK(first_was_replaced());
    CHECK_FALSE(table.process_of(1));
    return;
  }
  CHECK(first_was_replaced());
  CHECK_FALSE(beat(1));
  CHECK(table.standing_of(row(1).facts) == standing::replaced);
  CHECK(table.standing_of(row(2).facts) == standing::may_enter);
  CHECK(table.link_to({elastic::host_number{3}, elastic::host_incarnation{2}}) == 2);
  CHECK_FALSE(table.link_to({elastic::host_number{3}, elastic::host_incarnation{1}}));
  // The end of the older link is no news of the new process.
  table.lose_link(1, false, now);
  CHECK(fates().empty());
}

TEST_CASE_METHOD(table_fixture, "a process that was replaced stays out while the newer one runs", "[actors][elastic]") {
  admit();
  const auto first = row(1).facts;
  folder = "copy";
  pid = 78;
  admit(2, 2);
  CHECK(table.standing_of(first) == standing::replaced);
  // It enters as a new process each time.
  auto again = first;
  again.process = "p3";
  CHECK(table.standing_of(again) == standing::replaced);
  auto other = again;
  other.pid = 79;
  CHECK(table.standing_of(other) == standing::may_enter);
  auto present = row(2).facts;
  present.process = "p4";
  CHECK(table.standing_of(present) == standing::may_enter);
  SECTION("its end is proved") { table.prove_end({elastic::host_number{3}, elastic::host_incarnation{2}}); }
  SECTION("it is silent") { table.learn(row(2, silent), now, now); }
  CHECK(table.standing_of(first) == standing::outdated);
  CHECK(table.standing_of(again) == standing::may_enter);
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

TEST_CASE_METHOD(table_fixture, "a new process has free slots before its first heartbeat", "[actors][elastic]") {
  auto entered = row();
  entered.facts.capacity = 12;
  table.admit(1, entered, {}, now);
  CHECK(table.take_view(now)->seats.at(0).free_slots == 12);
  static_cast<void>(beat(1, 3));
  pass(200ms);
  CHECK(table.take_view(now)->seats.at(0).free_slots == 3);
  // The process is known: a new link says nothing about its slots.
  table.admit(2, entered, {}, now);
  CHECK(table.take_view(now)->seats.at(0).free_slots == 3);
}

TEST_CASE_METHOD(table_fixture, "a process that another node entered has free slots before it is heard", "[actors][elastic]") {
  auto entered = row();
  entered.facts.capacity = 12;
  table.learn_change(entered, now);
  table.admit(1, entered, {}, now);
  CHECK(table.take_view(now)->seats.at(0).free_slots == 12);
}

TEST_CASE_METHOD(table_fixture, "a host that refused a run is free again with its next heartbeat", "[actors][elastic]") {
  admit();
  static_cast<void>(beat(1, 1));
  static_cast<void>(table.take_view(now));
  table.note_full(1);
  CHECK_FALSE(table.take_view(now));
  static_cast<void>(beat(2, 0));
  CHECK_FALSE(table.take_view(now));
  static_cast<void>(beat(3, 1));
  const auto view = table.take_view(now);
  REQUIRE(view);
  CHECK(view->seats.at(0).free_slots == 1);
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

} // namespace ringmaster::test::host_table_test
