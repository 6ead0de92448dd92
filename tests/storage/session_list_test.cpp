// Open sessions as users and administrators see them, and their end.

#include <limits>

#include "core/access/session.hpp"
#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::refusal;

namespace {

struct session_list_fixture : access_fixture {
  explicit session_list_fixture(const test_backend& backend) : access_fixture{backend} {
    anna = add("anna");
    berta = add("berta");
    by_anna = who("anna");
  }

  /// Returns a digest that begins with `digits`.
  static std::string digest(std::string digits) { return digits.append(64 - digits.size(), '7'); }
  static core::session_id id(const std::string& digits) { return core::session_id_of(digest(digits)); }

  core::page<core::open_session> page(const core::principal& by, core::session_search search = {}, core::time_point t = noon) {
    if (search.max_age == core::milliseconds{})
      search.max_age = 720h;
    return require(sessions().page(search, by, t));
  }
  /// Returns `name expires_in_min`, one for each session.
  std::string listed(const core::principal& by, const core::session_search& search = {}, core::time_point t = noon) {
    std::string out;
    for (const auto& each : page(by, search, t).rows)
      out += (out.empty() ? "" : ", ") + each.user_name + ' ' +
             std::to_string(std::chrono::floor<std::chrono::minutes>(each.expires - noon).count());
    return out;
  }

  core::user_id anna{}, berta{};
  core::principal by_anna;
};

} // namespace

TEST_CASE("users see their own sessions, administrators all of them, newest first", "[storage][access][sessions]") {
  session_list_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.open(f.digest("a1"), f.anna));
  require(f.open(f.digest("b1"), f.berta, "hash-b", noon + 1min));
  require(f.open(f.digest("a2"), f.anna, "hash-b", noon + 2min));
  const auto later = noon + 3min;
  CHECK(f.listed(f.by_anna, {}, later) == "anna 62, anna 60");
  CHECK(f.listed(f.admin, {}, later) == "anna 62, berta 61, anna 60");
  CHECK(f.listed(f.admin, {f.berta}, later) == "berta 61");
  CHECK(f.listed(core::local_operator(), {}, later) == "anna 62, berta 61, anna 60");
  CHECK(verdict(f.sessions().page({f.berta, 1h}, f.by_anna, later)) == refused(errc::forbidden, refusal::not_permitted));
  CHECK(f.listed(f.admin, {{}, {}, {1, 1}}, later) == "berta 61");
  CHECK(f.page(f.admin, {{}, {}, {1, 1}}, later).total == 3);
  CHECK_FALSE(f.page(f.admin, {}, later).total_is_capped);
  const auto first = f.page(f.admin, {}, later).rows.at(0);
  CHECK(first.id == f.id("a2"));
  CHECK(first.user == f.anna);
  CHECK(first.opened == noon + 2min);
  CHECK(first.remote == "10.0.0.8");
}

TEST_CASE("sessions that have ended are not listed", "[storage][access][sessions]") {
  session_list_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.open(f.digest("a1"), f.anna));
  CHECK(f.listed(f.admin, {}, noon + 59min) == "anna 60");
  CHECK(f.listed(f.admin, {}, noon + 1h).empty());
  // Opened when sessions could last longer.
  CHECK(f.listed(f.admin, {{}, 30min}, noon + 29min) == "anna 60");
  CHECK(f.listed(f.admin, {{}, 30min}, noon + 30min).empty());
  // Another program changes the password, then removes the user.
  f.db->exec("UPDATE xxl_job_user SET password = 'by-java' WHERE username = 'anna'");
  CHECK(f.listed(f.admin).empty());
  CHECK(f.page(f.admin).total == 0);
  require(f.open(f.digest("a2"), f.anna, "by-java"));
  CHECK(f.listed(f.admin) == "anna 60");
  f.db->exec("DELETE FROM xxl_job_user WHERE username = 'anna'");
  CHECK(f.listed(f.admin).empty());
}

TEST_CASE("a session tells its last recorded use, unless it lasts as long as any can", "[storage][access][sessions]") {
  session_list_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.open(f.digest("a1"), f.anna));
  CHECK(f.page(f.admin).rows.at(0).used == noon);
  require(f.sessions().prolong(f.digest("a1"), noon + 90min));
  CHECK(f.page(f.admin).rows.at(0).used == noon + 30min);
  CHECK_FALSE(f.page(f.admin, {{}, 90min}).rows.at(0).used);
}

TEST_CASE("a session is ended by its user or an administrator, by its id", "[storage][access][sessions]") {
  session_list_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto zeros = f.digest("000000000001");
  const auto ones = f.digest("ffffffffffffe");
  const auto next = f.digest("fffffffffffff");
  require(f.open(zeros, f.anna));
  require(f.open(ones, f.anna));
  require(f.open(next, f.berta));
  CHECK(core::number(f.id("fffffffffffff")) == (std::int64_t{1} << 52) - 1);
  const auto not_permitted = refused(errc::forbidden, refusal::not_permitted);
  CHECK(verdict(f.sessions().end(core::session_id_of(next), f.by_anna, noon)) == not_permitted);
  for (const auto other : {core::session_id{}, core::session_id{1}, core::session_id{std::int64_t{1} << 52},
                           core::session_id{std::numeric_limits<std::int64_t>::max()}})
    CHECK(error_of(f.sessions().end(other, f.admin, noon)) == errc::not_found);
  CHECK(f.is_open(zeros));
  require(f.sessions().end(core::session_id_of(zeros), f.by_anna, noon));
  CHECK_FALSE(f.is_open(zeros));
  CHECK(f.is_open(ones));
  CHECK(f.is_open(next));
  require(f.sessions().end(core::session_id_of(next), f.admin, noon));
  CHECK_FALSE(f.is_open(next));
  CHECK(f.is_open(ones));
  CHECK(error_of(f.sessions().end(core::session_id_of(next), f.admin, noon)) == errc::not_found);
}

TEST_CASE("the end of a session by its id is recorded, without its digest", "[storage][access][sessions]") {
  session_list_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.open(f.digest("a1"), f.anna));
  require(f.sessions().end(f.id("a1"), f.admin, noon));
  const auto rows = require(f.store->audits().list({{}, core::audit_object::user}, f.admin));
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0].action == core::audit_action::update);
  CHECK(rows[0].user_name == "admin");
  CHECK(rows[0].object_name == "anna");
  CHECK(rows[0].changes == "sessions: 1 ended, opened from 10.0.0.8");
}
