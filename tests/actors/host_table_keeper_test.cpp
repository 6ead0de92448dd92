// host_table: the keeper of a host, and hosts whose keeper is over.

#include <span>

#include "tests/actors/host_table_fixture.hpp"

namespace ringmaster::test::host_table_keeper_test {

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

TEST_CASE_METHOD(table_fixture, "an old question of a host takes no keeper away", "[actors][elastic]") {
  keeper = {"b", 1};
  keeper_no = 3;
  admit();
  keeper_no = 2; // as the host knew it
  static_cast<void>(beat(1, 8, true));
  static_cast<void>(beat(2, 8, true));
  CHECK(table.begin_claims().empty());
  SECTION("the host has found the keeper") {
    keeper_no = 3;
    CHECK(beat(3)->keeper_no == 0);
    CHECK(table.begin_claims().empty());
    pass(100ms);
    keeper_no = 2;
    static_cast<void>(beat(4, 8, true));
    CHECK(table.begin_claims().empty());
  }
  SECTION("this node stood still between two questions") {
    now += 10s;
    static_cast<void>(beat(3, 8, true));
    CHECK(table.begin_claims().empty());
  }
  SECTION("the host goes on to ask, because that keeper does not answer") {
    pass(50ms);
    static_cast<void>(beat(3, 8, true));
    CHECK(table.begin_claims().size() == 1);
  }
  SECTION("that keeper is over, or says that the host is silent") {
    keeper_no = 3;
    const bool is_silent = GENERATE(true, false);
    const std::vector<core::node_row> nodes{{"a", 5, 1, core::node_state::up, ""}};
    if (is_silent)
      table.learn_change(row(1, silent), now);
    else
      table.note_nodes(nodes);
    keeper_no = 2;
    static_cast<void>(beat(3, 8, true));
    CHECK(table.begin_claims().size() == 1);
  }
}

TEST_CASE_METHOD(table_fixture, "a change of the keeper ends a question from before it", "[actors][elastic]") {
  keeper = {"b", 1};
  admit();
  static_cast<void>(beat(1, 8, true));
  const bool is_claimed = GENERATE(true, false);
  const auto claims = is_claimed ? table.begin_claims() : std::vector<elastic::keeper_claim>{};
  CHECK(claims.size() == (is_claimed ? 1 : 0));
  pass(50ms);
  keeper_no = 3;
  if (is_claimed) {
    const std::vector<elastic::host_answer> answers{{elastic::write_outcome::guard_lost, row()}};
    CHECK(table.end_claims(claims, answers, now).empty());
  } else {
    table.learn_change(row(), now);
  }
  CHECK(table.begin_claims().empty());
  keeper_no = 2;
  static_cast<void>(beat(2, 8, true));
  CHECK(table.begin_claims().empty());
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

} // namespace ringmaster::test::host_table_keeper_test
