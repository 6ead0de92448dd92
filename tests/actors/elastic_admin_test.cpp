#include "actors/console/elastic_admin.hpp"

#include <sstream>

#include <spdlog/sinks/ostream_sink.h>

#include "core/editing/edit_tag.hpp"

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

  /// Returns how many lines of the log have this text.
  [[nodiscard]] std::size_t lines_with(std::string_view part) const {
    const auto text = said.str();
    std::size_t out = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++out;
    return out;
  }

  std::ostringstream said;
  test::memory_database database;
  test::faulty_store store{database.open()};
  test::query_worker_double edits{*this, store};
  test::query_worker_double worker{*this, store};
  protocol::wall_clock wall = clock();
  protocol::elastic_admin actor = spawn<actors::elastic_admin_state, protocol::elastic_admin>(
    actors::query_workers{worker.actor, edits.actor}, protocol::elastic_director{}, wall,
    std::make_shared<spdlog::logger>("elastic", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
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

TEST_CASE_METHOD(elastic_administration, "an edit that changes nothing is not logged", "[actors][elastic]") {
  const auto tom = user(core::group_right::operate);
  const protocol::set_elastic_status off{job, elastic::job_status::off, tom};
  const protocol::set_elastic_item second{job, elastic::item_number{1}, true, tom};
  for (int i = 0; i < 2; ++i) {
    REQUIRE(ask<protocol::elastic_edited>(actor, off));
    CHECK(lines_with(" disabled manually") == 1);
  }
  for (int i = 0; i < 2; ++i) {
    REQUIRE(ask<protocol::elastic_edited>(actor, second));
    CHECK(lines_with(" has an item disabled manually") == 1);
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
  auto changed = order;
  changed.item = elastic::item_number{1};
  CHECK(code_of(ask<protocol::elastic_triggered>(actor, changed)) == core::errc::conflict);
  CHECK(lines_with(" triggered manually") == 1);
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

namespace {

/// An elastic_admin whose rules refuse an own pool, and that writes the name of a job as its table.
struct elastic_editing : elastic_administration {
  static actors::declared_files files() {
    actors::declared_files out;
    out.check_elastic = [](const core::declared_elastic_job& job) -> core::result<void> {
      if (job.what.options.pool.empty())
        return {};
      return core::refuse(core::errc::invalid_argument, core::refusal::option_unsupported, "pool: not supported", "pool");
    };
    out.declare_elastic = [](storage::store&, const elastic::elastic_job_row& row, core::time_point) {
      return core::result<std::string>{row.what.name};
    };
    return out;
  }

  [[nodiscard]] elastic::elastic_draft draft(const std::string& name) const {
    elastic::elastic_draft out;
    out.what.group = group;
    out.what.name = name;
    out.what.handler = "sum";
    out.what.total = 2;
    out.what.options.schedule = core::schedule_type::cron;
    out.what.options.schedule_conf = "0 0 1 * * ?";
    return out;
  }
  elastic::elastic_job_id added(const std::string& name) {
    const auto done = ask<protocol::elastic_edited>(editing, protocol::add_elastic{draft(name), true, editor});
    REQUIRE(done);
    return done->done.id;
  }
  elastic::elastic_job_row row_of(elastic::elastic_job_id id) { return test::expect(store.elastic().read_job(id)).job; }
  template <class Order>
  core::error refusal_of(Order order) {
    const auto answer = ask<protocol::elastic_edited>(editing, std::move(order));
    REQUIRE_FALSE(answer);
    return protocol::to_core(answer.error());
  }

  core::principal editor = user(core::group_right::editor);
  protocol::elastic_admin editing = spawn<actors::elastic_admin_state, protocol::elastic_admin>(
    actors::query_workers{worker.actor, edits.actor}, protocol::elastic_director{}, wall, silent_log(), files());
};

} // namespace

TEST_CASE_METHOD(elastic_editing, "an editor adds an elastic job, and each refusal names its member", "[actors][elastic]") {
  const auto id = added("totals");
  CHECK(row_of(id).status == elastic::job_status::on);
  CHECK(row_of(id).next);
  CHECK_FALSE(row_of(id).source);
  const auto off = ask<protocol::elastic_edited>(editing, protocol::add_elastic{draft("off"), false, editor});
  REQUIRE(off);
  CHECK(row_of(off->done.id).status == elastic::job_status::off);
  CHECK_FALSE(row_of(off->done.id).next);
  const auto refused = [&](auto change) {
    auto wrong = draft("wrong");
    change(wrong);
    return refusal_of(protocol::add_elastic{wrong, true, editor});
  };
  CHECK(refused([](auto& of) { of.what.name = "totals"; }).why == core::refusal::elastic_name_repeated);
  CHECK(refused([](auto& of) { of.what.options.schedule_conf = "0 0 x"; }).why == core::refusal::cron_illegal);
  CHECK(refused([](auto& of) { of.what.options.pool = "MINE"; }).why == core::refusal::option_unsupported);
  CHECK(refused([](auto& of) { of.what.options.item_params = "0"; }).code == core::errc::invalid_argument);
  CHECK(refused([](auto& of) { of.what.group = core::group_id{99}; }).code == core::errc::forbidden);
  CHECK(refused([](auto& of) { of.what.options.timing.end_at = core::from_ms(1); }).why
        == core::refusal::schedule_type_illegal);
  CHECK(refused([](auto& of) { of.props.emplace().emplace("a", std::nullopt); }).context == "props.a: has no value");
  CHECK(refusal_of(protocol::add_elastic{draft("x"), true, user(core::group_right::operate)}).code == core::errc::forbidden);
  wall.set_verdict(protocol::clock_verdict::distrusted);
  CHECK(refusal_of(protocol::add_elastic{draft("x"), true, editor}).code == core::errc::unavailable);
}

TEST_CASE_METHOD(elastic_editing, "an editor replaces an elastic job as it was read", "[actors][elastic]") {
  const auto id = added("totals");
  auto changed = draft("totals");
  changed.what.kind = "http";
  changed.what.handler.clear();
  changed.what.total = 5;
  changed.props.emplace().emplace("http.uri", "http://a/");
  const auto done = ask<protocol::elastic_edited>(editing, protocol::update_elastic{id, 1, changed, editor});
  REQUIRE(done);
  CHECK(done->done.version == 2);
  CHECK(row_of(id).what.total == 5);
  CHECK(row_of(id).what.handler == "HTTP");
  CHECK(row_of(id).what.props == R"({"http.uri":"http://a/"})");
  changed.what.total = 4;
  CHECK(core::is_edited_meanwhile(refusal_of(protocol::update_elastic{id, 1, changed, editor})));
  SECTION("a property without a value keeps its stored one") {
    changed.props.emplace().emplace("http.uri", std::nullopt);
    changed.props->emplace("http.method", "PUT");
    REQUIRE(ask<protocol::elastic_edited>(editing, protocol::update_elastic{id, std::nullopt, changed, editor}));
    CHECK(row_of(id).what.props == R"({"http.method":"PUT","http.uri":"http://a/"})");
  }
  SECTION("without properties the stored ones stay") {
    changed.props.reset();
    REQUIRE(ask<protocol::elastic_edited>(editing, protocol::update_elastic{id, 2, changed, editor}));
    CHECK(row_of(id).what.props == R"({"http.uri":"http://a/"})");
  }
  SECTION("a value of a property is checked") {
    changed.props.emplace().emplace("http.uri", "ftp://a/");
    CHECK(refusal_of(protocol::update_elastic{id, 2, changed, editor}).context.starts_with("props: "));
  }
  SECTION("not in a group without the right") {
    changed.what.group = core::group_id{99};
    CHECK(refusal_of(protocol::update_elastic{id, 2, changed, editor}).code == core::errc::forbidden);
    changed.what.group = group;
    CHECK(refusal_of(protocol::update_elastic{id, 2, changed, core::principal{}}).code == core::errc::forbidden);
  }
}

TEST_CASE_METHOD(elastic_editing, "a declared elastic job is changed in its file", "[actors][elastic]") {
  auto same = draft("sums");
  const auto refused = refusal_of(protocol::update_elastic{job, std::nullopt, same, editor});
  CHECK(refused.code == core::errc::conflict);
  CHECK(refused.context.find("is declared by the source test") != std::string::npos);
  CHECK(refusal_of(protocol::remove_elastic{job, std::nullopt, editor}).code == core::errc::conflict);
  const auto file = ask<protocol::exported_file>(
    editing, protocol::elastic_declaration_query{job, user(core::group_right::viewer)});
  REQUIRE(file);
  CHECK(file->text == "sums");
  CHECK(code_of(ask<protocol::exported_file>(editing, protocol::elastic_declaration_query{job, core::principal{}}))
        == core::errc::forbidden);
  CHECK(code_of(ask<protocol::exported_file>(actor, protocol::elastic_declaration_query{job, editor}))
        == core::errc::unsupported);
}

TEST_CASE_METHOD(elastic_editing, "an editor removes an elastic job, and the audit log has what it was", "[actors][elastic]") {
  const auto id = added("totals");
  CHECK(core::is_edited_meanwhile(refusal_of(protocol::remove_elastic{id, 7, editor})));
  CHECK(refusal_of(protocol::remove_elastic{id, 1, user(core::group_right::operate)}).code == core::errc::forbidden);
  REQUIRE(ask<protocol::elastic_edited>(editing, protocol::remove_elastic{id, std::nullopt, editor}));
  CHECK(refusal_of(protocol::remove_elastic{id, 1, editor}).code == core::errc::not_found);
}

TEST_CASE_METHOD(elastic_editing, "a definition is planned before it is stored", "[actors][elastic]") {
  const auto node = test::expect(store.cluster().enter("a", "a:1"));
  const auto mark = test::expect(store.elastic().mark("0123456789abcdef0123456789abcdef"));
  test::expect(store.elastic().enter_host(
    node, mark.cluster_id, {"h1", "shards", "process-1", "folder-1", "boot", 1, 2, 3, "10.0.0.1", "", 4}));
  const auto viewer = user(core::group_right::viewer);
  const auto shares = [&](std::optional<elastic::elastic_job_id> of, std::int32_t total) {
    auto what = draft("new").what;
    what.total = total;
    const auto found = ask<protocol::elastic_plan_preview>(editing, protocol::elastic_draft_query{of, what, viewer});
    REQUIRE(found);
    REQUIRE(found->shares.size() == 1);
    return found->shares[0].items;
  };
  CHECK(shares(std::nullopt, 2) == std::vector<elastic::item_range>{{0, 1}});
  CHECK(shares(job, 5) == std::vector<elastic::item_range>{{0, 4}});
  CHECK(row().what.total == 3);
  auto what = draft("new").what;
  what.group = core::group_id{99};
  CHECK(code_of(ask<protocol::elastic_plan_preview>(editing, protocol::elastic_draft_query{std::nullopt, what, viewer}))
        == core::errc::forbidden);
}
