// Leases, hosts and keepers of elastic jobs: E0 to E3, E15.

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using enum elastic::write_outcome;

TEST_CASE("a slot has one holder, and each change of it a higher epoch", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const std::vector<elastic::lease_wish> wanted{{3, 0}, {5, 40}};
  const auto mine = require(f.ej().take_leases(f.me, wanted));
  CHECK(mine == std::vector<elastic::slot_lease>{{3, 1}, {5, 41}});
  CHECK(require(f.ej().take_leases(f.me, wanted)) == mine);
  CHECK(require(f.ej().take_leases(f.other, wanted)).empty());
  SECTION("a host has seen a higher epoch") {
    const std::vector<elastic::lease_wish> again{{3, 7}};
    CHECK(require(f.ej().take_leases(f.me, again)) == std::vector<elastic::slot_lease>{{3, 8}});
  }
  SECTION("the holder releases it") {
    const std::vector<elastic::slot_lease> stale{{3, 9}};
    require(f.ej().release_leases(f.me, stale));
    CHECK(require(f.ej().take_leases(f.other, wanted)).empty());
    require(f.ej().release_leases(f.me, mine));
    require(f.ej().release_leases(f.me, mine));
    CHECK(require(f.ej().take_leases(f.other, wanted)) == std::vector<elastic::slot_lease>{{3, 2}, {5, 42}});
  }
  SECTION("the holder's life is over") {
    require(f.store->cluster().leave(f.me));
    CHECK(error_of(f.ej().take_leases(f.me, wanted)) == core::errc::fenced);
    CHECK(require(f.ej().take_leases(f.other, wanted)) == std::vector<elastic::slot_lease>{{3, 2}, {5, 42}});
    const auto rows = require(f.ej().leases());
    REQUIRE(rows.size() == core::slot_count);
    CHECK(rows[3].holder == f.other);
    CHECK_FALSE(rows[4].holder);
  }
  SECTION("a slot that does not exist") {
    const std::vector<elastic::lease_wish> unknown{{300, 0}};
    CHECK(require(f.ej().take_leases(f.me, unknown)).empty());
  }
}

TEST_CASE("each process of a host has a higher incarnation", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto again = require(f.ej().enter_host(f.other, f.cluster, elastic_fixture::facts("h1", "p1")));
  CHECK(again.outcome == repeated);
  CHECK(again.row->keeper == f.me);
  auto next = require(f.ej().enter_host(f.other, f.cluster, elastic_fixture::facts("h1", "p2")));
  CHECK(next.outcome == done);
  CHECK(next.row->process.host == f.host.host);
  CHECK(core::number(next.row->process.incarnation) == core::number(f.host.incarnation) + 1);
  CHECK(next.row->keeper == f.other);
  CHECK(next.row->change_no > again.row->change_no);
  CHECK(next.row->facts == elastic_fixture::facts("h1", "p2"));
  CHECK(next.row->ended == f.host.incarnation);
  CHECK(error_of(f.ej().enter_host(f.me, "another", elastic_fixture::facts("h1", "p2"))) == core::errc::conflict);
  CHECK(error_of(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("", "p2"))) == core::errc::invalid_argument);
  CHECK(error_of(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts(std::string(256, 'x'), "p")))
        == core::errc::invalid_argument);
  require(f.store->cluster().leave(f.me));
  CHECK(error_of(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h2", "p3"))) == core::errc::fenced);
}

TEST_CASE("a host has one keeper, found by compare-and-set", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const std::vector<elastic::keeper_claim> claim{{f.host, 1}};
  auto kept = require(f.ej().keep_hosts(f.other, claim)).at(0);
  CHECK(kept.outcome == done);
  CHECK(kept.row->keeper == f.other);
  CHECK(kept.row->keeper_no == 2);
  CHECK(require(f.ej().keep_hosts(f.other, claim)).at(0).outcome == repeated);
  CHECK(require(f.ej().keep_hosts(f.me, claim)).at(0).outcome == guard_lost);
  const std::vector<elastic::keeper_claim> unknown{{{elastic::host_number{99}, f.host.incarnation}, 1}};
  CHECK_FALSE(require(f.ej().keep_hosts(f.me, unknown)).at(0).row);
  SECTION("the former keeper gives no verdict") {
    const std::vector<elastic::host_verdict> late{{f.host, 1, elastic::host_state::silent}};
    CHECK(require(f.ej().judge_hosts(f.me, late)).at(0).outcome == guard_lost);
  }
  SECTION("silence ends with a keeper") {
    const std::vector<elastic::host_verdict> verdict{{f.host, 2, elastic::host_state::silent}};
    CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == done);
    CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == repeated);
    const std::vector<elastic::keeper_claim> next{{f.host, 2}};
    auto back = require(f.ej().keep_hosts(f.me, next)).at(0);
    CHECK(back.outcome == done);
    CHECK(back.row->state == elastic::host_state::up);
  }
}

TEST_CASE("a verdict needs the keeper or a proof, and death is final", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  std::vector<elastic::host_verdict> verdict{{f.host, 1, elastic::host_state::silent}};
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == guard_lost);
  verdict[0].keeper_over = true;
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == guard_lost);
  require(f.store->cluster().leave(f.me));
  CHECK(error_of(f.ej().judge_hosts(f.me, verdict)) == core::errc::fenced);
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == done);
  verdict[0] = {f.host, 77, elastic::host_state::dead};
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == done);
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == repeated);
  verdict[0] = {f.host, 1, elastic::host_state::silent, true};
  CHECK(require(f.ej().judge_hosts(f.other, verdict)).at(0).outcome == guard_lost);
  const std::vector<elastic::keeper_claim> claim{{f.host, 1}};
  CHECK(require(f.ej().keep_hosts(f.other, claim)).at(0).outcome == guard_lost);
  CHECK(require(f.ej().enter_host(f.other, f.cluster, elastic_fixture::facts("h1", "p1"))).outcome == guard_lost);
  CHECK(require(f.ej().hosts_since(0, 10)).empty());
  CHECK(require(f.ej().hosts_since(1, 10)).size() == 1);
  CHECK(require(f.ej().enter_host(f.other, f.cluster, elastic_fixture::facts("h1", "p9"))).outcome == done);
}

TEST_CASE("changes of hosts have numbers in the order of commits", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto first = require(f.ej().hosts_since(0, 10));
  REQUIRE(first.size() == 1);
  CHECK(require(f.ej().hosts_since(first[0].change_no, 10)).empty());
  require(f.ej().enter_host(f.me, f.cluster, elastic_fixture::facts("h2", "p1")));
  const auto changed = require(f.ej().hosts_since(first[0].change_no, 10));
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].facts.id == "h2");
  CHECK(require(f.ej().mark("other")).host_change == changed[0].change_no);
  CHECK(require(f.ej().mark("other")).cluster_id == f.cluster);
}
