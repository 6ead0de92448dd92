#include "actors/console/group_admin.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
using test::store_fault;

namespace {

struct group_fixture : test::virtual_time {
  static core::group_draft draft(const std::string& app_name) { return {app_name, "A title", 1, "http://10.0.0.1:9999"}; }
  core::group_id add(const std::string& app_name) {
    return ask<protocol::saved_group>(actor, protocol::save_group{{}, draft(app_name), us})->id;
  }
  template <class T>
  static core::error error_of(const caf::expected<T>& answer) {
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error());
  }

  const core::principal& us = core::local_operator();
  const core::principal guest{core::user_id{3}, "guest"};
  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double edits{*this, store};
  test::query_worker_double worker{*this, store};
  test::registry_monitor_double registry{*this};
  protocol::group_admin actor = spawn<actors::group_admin_state, protocol::group_admin>(
    actors::query_workers{worker.actor, edits.actor}, registry.actor, clock(), silent_log());
};

} // namespace

TEST_CASE_METHOD(group_fixture, "groups are added, changed, listed and removed, and the router reads them again", "[actors]") {
  const auto pay = add("pay-worker");
  const auto mail = add("mail-worker");
  CHECK(*registry.hints == 2);
  REQUIRE(ask<protocol::saved_group>(actor, protocol::save_group{pay, draft("pay-workers"), us}));
  CHECK(*registry.hints == 3);
  auto page = ask<protocol::group_page>(actor, protocol::group_page_query{{}, us});
  REQUIRE(page);
  REQUIRE(page->page.total == 2);
  CHECK(page->page.rows.at(0).group.id == mail);
  auto one = ask<protocol::group_page>(actor, protocol::group_query{pay, us});
  REQUIRE(one);
  REQUIRE(one->page.rows.size() == 1);
  CHECK(one->page.rows[0].group.app_name == "pay-workers");
  const core::principal tom{core::user_id{5}, "tom", false, {{mail, core::group_right::viewer}}};
  auto visible = ask<protocol::group_page>(actor, protocol::visible_groups_query{tom});
  REQUIRE(visible);
  CHECK(visible->page.total == 1);
  CHECK(*registry.hints == 3);
  REQUIRE_FALSE(ask_done(actor, protocol::remove_group{pay, us}));
  CHECK(*registry.hints == 4);
  // An edit that waits delays no list.
  CHECK(*edits.tasks == 4);
  CHECK(*worker.tasks == 3);
  CHECK(error_of(ask<protocol::group_page>(actor, protocol::group_query{pay, us})).why == core::refusal::group_illegal);
}

TEST_CASE_METHOD(group_fixture, "a refused edit notifies no actor, an edit in doubt does", "[actors]") {
  const auto pay = add("pay-worker");
  *registry.hints = 0;
  CHECK(error_of(ask<protocol::saved_group>(actor, protocol::save_group{{}, draft("pay-worker"), us})).why
        == core::refusal::app_name_repeated);
  CHECK(protocol::to_core(ask_done(actor, protocol::remove_group{pay, us})).why == core::refusal::last_group);
  CHECK(protocol::to_core(ask_done(actor, protocol::remove_group{pay, guest})).code == core::errc::forbidden);
  CHECK(error_of(ask<protocol::group_page>(actor, protocol::group_page_query{{}, guest})).code == core::errc::forbidden);
  CHECK(*registry.hints == 0);
  store.once("add_group", store_fault::answer_lost);
  CHECK(error_of(ask<protocol::saved_group>(actor, protocol::save_group{{}, draft("mail-worker"), us})).code
        == core::errc::unavailable);
  CHECK(*registry.hints == 1);
}
