#include "actors/store/claim_table.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

struct claim_life {
  /// Searches the store, which has `stored`, 500 ms after the search before. Returns the claims to report.
  std::vector<protocol::stray_claim> search(const std::vector<std::int64_t>& stored) {
    now += 500ms;
    REQUIRE(claims.begin_search(now));
    CHECK_FALSE(claims.begin_search(now + 1h));
    claims.end_search();
    return claims.find_strays(stored, now).items;
  }
  /// Opens a claim of `runs` runs whose results the store refuses.
  void lose(std::int64_t claim, std::uint32_t runs = 1) {
    claims.open(claim, runs);
    for (; runs > 0; --runs)
      CHECK_FALSE(claims.close_run(claim, false));
  }

  actors::claim_table claims{test::virtual_time::silent_log()};
  actors::claim_table::steady now{};
};

} // namespace

TEST_CASE_METHOD(claim_life, "a claim closes with its last recorded run", "[actors][claim_table]") {
  claims.ask(1);
  CHECK_FALSE(claims.is_open(1));
  CHECK_FALSE(claims.close_run(1, true));
  claims.open(1, 2);
  CHECK(claims.is_open(1));
  CHECK(claims.open_claims() == 1);
  CHECK_FALSE(claims.close_run(1, true));
  CHECK(claims.close_run(1, true));
  CHECK_FALSE(claims.is_open(1));
  CHECK(claims.open_claims() == 0);
  CHECK_FALSE(claims.close_run(1, true));
}

TEST_CASE_METHOD(claim_life, "a claim with a run that the store refused does not close", "[actors][claim_table]") {
  claims.open(1, 2);
  CHECK_FALSE(claims.close_run(1, false));
  CHECK(claims.is_open(1));
  CHECK_FALSE(claims.close_run(1, true));
  CHECK_FALSE(claims.is_open(1));
  // Recovery takes the run; the earlier refusal does not count any more.
  claims.open(1, 1);
  CHECK(claims.close_run(1, true));
}

TEST_CASE_METHOD(claim_life, "runs can be added to an open claim", "[actors][claim_table]") {
  claims.open(1, 1);
  claims.open(1, 1);
  CHECK_FALSE(claims.close_run(1, true));
  CHECK(claims.close_run(1, true));
}

TEST_CASE_METHOD(claim_life, "claims that are asked, open or closing are not searched for", "[actors][claim_table]") {
  claims.ask(1);
  claims.open(2, 1);
  claims.open(3, 1);
  CHECK(claims.close_run(3, true));
  for (int i = 0; i < 10; ++i)
    CHECK(search({1, 2, 3}).empty());
  claims.closed({3}); // it is still in the store
  CHECK(search({3}).empty());
  CHECK(search({3}).size() == 1);
}

TEST_CASE_METHOD(claim_life, "the answer to a deletion does not end a claim that is open again", "[actors][claim_table]") {
  claims.open(1, 1);
  CHECK(claims.close_run(1, true));
  claims.open(1, 1);
  claims.closed({1});
  CHECK(claims.is_open(1));
}

TEST_CASE_METHOD(claim_life, "a claim is reported if two searches in a row found it", "[actors][claim_table]") {
  CHECK(search({7}).empty());
  CHECK(search({}).empty());
  CHECK(search({7}).empty());
  claims.open(7, 1);
  CHECK(search({7}).empty());
  CHECK_FALSE(claims.close_run(7, false));
  CHECK(search({7}).empty());
  const auto strays = search({7, 8});
  REQUIRE(strays.size() == 1);
  CHECK(strays[0].sequence == 7);
  CHECK_FALSE(strays[0].never_sent);
}

TEST_CASE_METHOD(claim_life, "a refused claim was never sent, which is reported once", "[actors][claim_table]") {
  claims.ask(1);
  claims.refuse(1);
  CHECK(search({1}).empty());
  const auto strays = search({1});
  REQUIRE(strays.size() == 1);
  CHECK(strays[0].never_sent);
  lose(1);
  now += 10s;
  CHECK(search({1}).empty());
  const auto again = search({1});
  REQUIRE(again.size() == 1);
  CHECK_FALSE(again[0].never_sent);
}

TEST_CASE_METHOD(claim_life, "refused claims are forgotten by the first search after the refusal that does not find them",
                 "[actors][claim_table]") {
  for (std::int64_t claim = 1; claim <= 1000; ++claim) {
    claims.ask(claim);
    claims.refuse(claim);
  }
  CHECK(claims.size() == 1000);
  CHECK(claims.open_claims() == 0);
  CHECK(search({7}).empty());
  CHECK(claims.size() == 1);
  CHECK(search({}).empty());
  CHECK(claims.size() == 0);
}

TEST_CASE_METHOD(claim_life, "a search that began before a refusal does not forget the claim", "[actors][claim_table]") {
  claims.ask(1);
  now += 500ms;
  REQUIRE(claims.begin_search(now));
  claims.refuse(1); // the store may have kept it after it was read
  claims.end_search();
  CHECK(claims.find_strays({}, now).items.empty());
  CHECK(claims.size() == 1);
  CHECK(search({1}).empty());
  const auto strays = search({1});
  REQUIRE(strays.size() == 1);
  CHECK(strays[0].never_sent);
}

TEST_CASE_METHOD(claim_life, "a reported claim is forgotten when it is not in the store any more", "[actors][claim_table]") {
  CHECK(search({1, 2}).empty());
  CHECK(search({1, 2}).size() == 2);
  claims.open(1, 1);
  claims.open(2, 1);
  CHECK(claims.close_run(1, true));
  CHECK(search({1, 2}).empty());
  CHECK(claims.open_claims() == 1);
  claims.closed({1});
  CHECK(claims.close_run(2, true));
  claims.closed({2});
  CHECK(claims.size() == 2);
  CHECK(search({2}).empty());
  CHECK(claims.size() == 1);
  CHECK(search({}).empty());
  CHECK(claims.size() == 0);
}

TEST_CASE_METHOD(claim_life, "open claims are counted through all states", "[actors][claim_table]") {
  claims.ask(1);
  CHECK(claims.open_claims() == 0);
  claims.open(1, 2);
  claims.open(1, 1);
  claims.open(2, 1);
  CHECK(claims.open_claims() == 2);
  CHECK_FALSE(claims.close_run(1, false));
  CHECK(claims.open_claims() == 2); // incomplete, but open
  CHECK_FALSE(claims.close_run(1, true));
  CHECK_FALSE(claims.close_run(1, true));
  CHECK(claims.open_claims() == 1);
  claims.forget(2);
  claims.forget(2);
  CHECK(claims.open_claims() == 0);
  claims.open(3, 1);
  claims.refuse(3);
  CHECK(claims.open_claims() == 0);
  claims.open(3, 1);
  CHECK(claims.open_claims() == 1);
  claims.end_incarnation();
  CHECK(claims.open_claims() == 0);
}

TEST_CASE_METHOD(claim_life, "a claim is reported three times, at intervals of ten seconds", "[actors][claim_table]") {
  std::size_t reports = 0;
  for (int i = 0; i < 18; ++i)
    reports += search({1}).size();
  CHECK(reports == 1);
  for (int i = 0; i < 1000; ++i)
    reports += search({1}).size();
  CHECK(reports == 3);
}

TEST_CASE_METHOD(claim_life, "the end of an incarnation forgets all but requests without an answer", "[actors][claim_table]") {
  claims.ask(1);
  claims.open(2, 1);
  CHECK(search({3}).empty());
  claims.end_incarnation();
  CHECK_FALSE(claims.is_open(2));
  CHECK(claims.size() == 1);
  CHECK(search({1, 3}).empty()); // 3 is new again
  CHECK(search({1, 3}).size() == 1);
  claims.forget(1);
  CHECK(search({1}).empty());
  CHECK(search({1}).size() == 1);
}
