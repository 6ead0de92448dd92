#include "actors/console/elastic_admin.hpp"

#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
namespace elastic = core::elastic;

namespace {

/// elastic_admin over a real store with one group and one job of three items.
struct elastic_administration : test::virtual_time {
  elastic_administration() {
    core::declared_set set;
    set.source = "test";
    set.groups = {{"shards", "Shards", std::nullopt}};
    core::declared_elastic_job declared;
    declared.group = "shards";
    declared.what.name = "sums";
    declared.what.handler = "sum";
    declared.what.total = 3;
    declared.what.options.schedule = core::schedule_type::fixed_rate;
    declared.what.options.schedule_conf = "60";
    declared.what.options.trigger_policy = elastic::request_policy::queue;
    set.elastic_jobs = {declared};
    test::expect(store.deploys().apply(set, false, false, civil()));
    const auto row = test::expect(store.elastic().jobs_after({}, 1)).at(0);
    job = row.id;
    group = row.what.group;
  }

  [[nodiscard]] core::principal user(core::group_right right) const {
    core::principal out{core::user_id{5}, "tom"};
    out.rights = {{group, right}};
    return out;
  }
  template <class T>
  static core::errc code_of(const caf::expected<T>& answer) {
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error()).code;
  }
  elastic::elastic_job_row row() { return test::expect(store.elastic().read_job(job)).job; }

  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double edits{*this, store};
  test::query_worker_double worker{*this, store};
  protocol::wall_clock wall = clock();
  protocol::elastic_admin actor = spawn<actors::elastic_admin_state, protocol::elastic_admin>(
    actors::query_workers{worker.actor, edits.actor}, protocol::elastic_director{}, wall, silent_log());
  elastic::elastic_job_id job{};
  core::group_id group{};
};

} // namespace

TEST_CASE_METHOD(elastic_administration, "a viewer sees elastic jobs, and no other user does", "[actors][elastic]") {
  const auto viewer = user(core::group_right::viewer);
  const auto page = ask<protocol::elastic_page>(actor, protocol::elastic_page_query{{}, viewer});
  REQUIRE(page);
  REQUIRE(page->page.rows.size() == 1);
  CHECK(page->page.rows[0].name == "sums");
  const auto found = ask<protocol::elastic_found>(actor, protocol::elastic_query{job, viewer});
  REQUIRE(found);
  CHECK(found->card.job.what.total == 3);
  const auto items = ask<protocol::elastic_items_found>(actor, protocol::elastic_items_query{job, {}, 2, viewer});
  REQUIRE(items);
  CHECK(items->items.rows.size() == 2);
  CHECK(items->items.total == 3);
  const auto hosts = ask<protocol::elastic_host_list>(actor, protocol::elastic_hosts_query{{}, viewer});
  REQUIRE(hosts);
  CHECK(hosts->rows.empty());
  const core::principal guest{core::user_id{3}, "guest"};
  CHECK(code_of(ask<protocol::elastic_found>(actor, protocol::elastic_query{job, guest})) == core::errc::forbidden);
  CHECK(code_of(ask<protocol::elastic_plan_preview>(actor, protocol::elastic_plan_query{job, "", guest}))
        == core::errc::forbidden);
  CHECK(code_of(ask<protocol::elastic_found>(actor, protocol::elastic_query{elastic::elastic_job_id{99}, viewer}))
        == core::errc::not_found);
}

TEST_CASE_METHOD(elastic_administration, "an operator disables and enables an elastic job and its items", "[actors][elastic]") {
  const auto tom = user(core::group_right::operate);
  const auto off = elastic::job_status::off;
  CHECK(code_of(ask<protocol::elastic_edited>(
          actor, protocol::set_elastic_status{job, off, user(core::group_right::viewer)}))
        == core::errc::forbidden);
  const auto disabled = ask<protocol::elastic_edited>(actor, protocol::set_elastic_status{job, off, tom});
  REQUIRE(disabled);
  CHECK_FALSE(disabled->done.next);
  CHECK(row().status == off);
  const auto enabled = ask<protocol::elastic_edited>(actor, protocol::set_elastic_status{job, elastic::job_status::on, tom});
  REQUIRE(enabled);
  CHECK(enabled->done.next);
  CHECK(enabled->done.revision > disabled->done.revision);
  REQUIRE(ask<protocol::elastic_edited>(actor, protocol::set_elastic_item{job, elastic::item_number{1}, true, tom}));
  CHECK(test::expect(store.elastic().read_job(job)).items.at(1).disabled);
  CHECK(code_of(ask<protocol::elastic_edited>(actor, protocol::set_elastic_item{job, elastic::item_number{3}, true, tom}))
        == core::errc::not_found);
  SECTION("not while the clock is in doubt") {
    wall.set_verdict(protocol::clock_verdict::distrusted);
    CHECK(code_of(ask<protocol::elastic_edited>(actor, protocol::set_elastic_status{job, elastic::job_status::on, tom}))
          == core::errc::unavailable);
    REQUIRE(ask<protocol::elastic_edited>(actor, protocol::set_elastic_status{job, off, tom}));
  }
}

TEST_CASE_METHOD(elastic_administration, "a request has the policy of its job, and is made once for a token",
                 "[actors][elastic]") {
  const auto tom = user(core::group_right::operate);
  const protocol::trigger_elastic order{job, std::nullopt, std::nullopt, "p", 77, tom};
  const auto first = ask<protocol::elastic_triggered>(actor, order);
  REQUIRE(first);
  const auto again = ask<protocol::elastic_triggered>(actor, order);
  REQUIRE(again);
  CHECK(again->request == first->request);
  const auto other = ask<protocol::elastic_triggered>(
    actor, protocol::trigger_elastic{job, elastic::item_number{2}, elastic::request_policy::coalesce, std::nullopt, 0, tom});
  REQUIRE(other);
  const auto requests = test::expect(store.elastic().read_job(job)).requests;
  REQUIRE(requests.size() == 2);
  for (const auto& each : requests) {
    CHECK(core::number(each.id) > 0);
    CHECK(each.policy == (each.id == first->request ? elastic::request_policy::queue : elastic::request_policy::coalesce));
  }
  CHECK(code_of(ask<protocol::elastic_triggered>(
          actor, protocol::trigger_elastic{job, {}, {}, {}, 0, user(core::group_right::viewer)}))
        == core::errc::forbidden);
}

TEST_CASE_METHOD(elastic_administration, "the plan of an elastic job is shown from the stored hosts", "[actors][elastic]") {
  const auto node = test::expect(store.cluster().enter("a", "a:1"));
  const auto mark = test::expect(store.elastic().mark("0123456789abcdef0123456789abcdef"));
  for (const std::string id : {"h1", "h2"})
    test::expect(store.elastic().enter_host(
      node, mark.cluster_id, {id, "shards", "process-" + id, "folder-" + id, "boot", 1, 2, 3, "10.0.0.1", "", 4}));
  const auto viewer = user(core::group_right::viewer);
  const auto both = ask<protocol::elastic_plan_preview>(actor, protocol::elastic_plan_query{job, "", viewer});
  REQUIRE(both);
  CHECK(both->shares.size() == 2);
  const auto one = ask<protocol::elastic_plan_preview>(actor, protocol::elastic_plan_query{job, "h1", viewer});
  REQUIRE(one);
  REQUIRE(one->shares.size() == 1);
  CHECK(one->shares[0].host == "h2");
  CHECK(one->shares[0].items == std::vector<elastic::item_range>{{0, 2}});
  CHECK(code_of(ask<protocol::elastic_plan_preview>(actor, protocol::elastic_plan_query{job, "h3", viewer}))
        == core::errc::not_found);
}

TEST_CASE_METHOD(elastic_administration, "a viewer reads the history of an elastic job", "[actors][elastic]") {
  elastic::elastic_history_search search;
  search.job = job;
  const auto page = ask<protocol::elastic_history_page>(
    actor, protocol::elastic_history_query{search, user(core::group_right::viewer)});
  REQUIRE(page);
  CHECK(page->history.rows.empty());
  CHECK_FALSE(page->history.next);
  CHECK(code_of(ask<protocol::elastic_history_page>(actor, protocol::elastic_history_query{search, core::principal{}}))
        == core::errc::forbidden);
}
