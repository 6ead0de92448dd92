// Concurrent edits of the same users on two connections. Each pair begins at the same time; the result must be that of one of the
// two orders.

#include <barrier>
#include <thread>

#include "core/editing/edit_tag.hpp"
#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;

namespace {

constexpr int rounds = 12;

struct access_race : access_fixture {
  explicit access_race(const test_backend& backend) : access_fixture{backend}, other{db->open()} {
    require(other->ping());
  }

  template <class Here, class There>
  void at_once(Here here, There there) {
    std::barrier start{2};
    std::thread second{[&] {
      start.arrive_and_wait();
      there(*other);
    }};
    start.arrive_and_wait();
    here(*store);
    second.join();
  }

  std::unique_ptr<storage::store> other;
};

} // namespace

TEST_CASE("of two administrators who add the same name at once, one succeeds", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  for (int round = 0; round < rounds; ++round) {
    const auto name = "user" + std::to_string(round);
    core::result<core::user_id> a, b;
    f.at_once([&](auto& store) { a = store.users().add(f.draft(name), f.admin, noon); },
              [&](auto& store) { b = store.users().add(f.draft("USER" + std::to_string(round)), f.admin, noon); });
    CHECK((a.has_value() ? 1 : 0) + (b.has_value() ? 1 : 0) == 1);
    CHECK((a ? b.error() : a.error()).why == core::refusal::user_repeated);
  }
  CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_user") == std::to_string(rounds + 1));
}

TEST_CASE("of two nodes that start on an empty database at once, one adds the administrator", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  for (int round = 0; round < rounds; ++round) {
    f.db->exec("DELETE FROM xxl_job_user");
    core::result<bool> a, b;
    f.at_once([&](auto& store) { a = store.users().add_first("admin", "hash-1", noon); },
              [&](auto& store) { b = store.users().add_first("admin", "hash-2", noon); });
    CHECK(require(a) != require(b));
    CHECK(require(f.users().find("admin")).password_hash == (*a ? "hash-1" : "hash-2"));
  }
}

TEST_CASE("a session that opens while the password changes does not outlive the old password", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  const auto by = f.who("anna");
  for (int round = 0; round < rounds; ++round) {
    const auto old = require(f.users().read(anna)).password_hash;
    const auto digest = "d" + std::to_string(round);
    core::result<void> changed, opened;
    f.at_once([&](auto& store) { changed = store.users().set_password(anna, old, "hash-" + digest, false, by, noon); },
              [&](auto& store) {
                opened = store.sessions().open({digest, anna, noon, noon + 1h, ""}, old, by, noon);
              });
    require(changed);
    if (!opened)
      CHECK(opened.error().code == errc::conflict);
    CHECK_FALSE(f.is_open(digest));
    CHECK(f.rows_of_sessions().empty());
  }
}

TEST_CASE("a session that opens while its user is removed leaves no row", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  for (int round = 0; round < rounds; ++round) {
    const auto anna = f.add("anna");
    core::result<void> removed, opened;
    f.at_once([&](auto& store) { removed = store.users().remove(anna, {}, f.admin, noon); },
              [&](auto& store) {
                opened = store.sessions().open({"d", anna, noon, noon + 1h, ""}, "hash-b", f.admin, noon);
              });
    require(removed);
    if (!opened)
      CHECK(opened.error().code == errc::not_found);
    CHECK(f.rows_of_sessions().empty());
  }
}

TEST_CASE("of two editors who saw the same user, one changes it", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  const auto anna = f.add("anna");
  for (int round = 0; round < rounds; ++round) {
    const auto seen = core::edit_tag(require(f.users().read(anna)).card);
    core::user_draft here, there;
    here.rights = {{pay, round % 2 == 0 ? core::group_right::viewer : core::group_right::editor}};
    there.admin = true;
    core::result<void> a, b;
    f.at_once([&](auto& store) { a = store.users().update(anna, here, seen, f.admin, noon); },
              [&](auto& store) { b = store.users().update(anna, there, seen, f.admin, noon); });
    REQUIRE(a.has_value() != b.has_value());
    CHECK(core::is_edited_meanwhile(a ? b.error() : a.error()));
    require(f.users().update(anna, f.draft(""), {}, f.admin, noon));
  }
}

TEST_CASE("of two administrators who revoke each other's permissions at once, one remains", "[storage][access]") {
  access_race f{GENERATE(from_range(backends_under_test()))};
  for (int round = 0; round < rounds; ++round) {
    auto draft = f.draft("chief");
    draft.admin = true;
    require(f.users().add(draft, core::local_operator(), noon));
    const auto chief = f.who("chief"), admin = f.who("admin");
    core::result<void> a, b;
    f.at_once([&](auto& store) { a = store.users().update(chief.user, core::user_draft{}, {}, admin, noon); },
              [&](auto& store) { b = store.users().update(admin.user, core::user_draft{}, {}, chief, noon); });
    CHECK(a.has_value() != b.has_value());
    CHECK(f.db->value("SELECT COUNT(*) FROM xxl_job_user WHERE role = 1") == "1");
    core::user_draft again;
    again.admin = true;
    require(f.users().update(admin.user, again, {}, core::local_operator(), noon));
    require(f.users().remove(chief.user, {}, core::local_operator(), noon));
  }
}
