// What routing and executor links get to see of the registrations.

#include "tests/actors/registry_table_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::registry_tables;

TEST_CASE("the app name header is remembered by address and last beat", "[actors]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a/", true), t0);
  here.beat(beat("pay", "http://b/"), t0);
  auto view = here.table.changed_view();
  CHECK(view->app_header_addresses == std::unordered_set<std::string>{"http://a/"});
  here.beat(beat("pay", "http://b/", true), t0 + 30s);
  here.beat(beat("pay", "http://a/"), t0 + 30s);
  view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->app_header_addresses == std::unordered_set<std::string>{"http://b/"});
}

TEST_CASE("which token an executor showed is remembered where its group has one", "[actors]") {
  using core::token_kind;
  registry here;
  auto guarded = manual_group(1, "pay", {});
  guarded.access_token = "of-pay";
  here.stored.groups = {guarded, manual_group(2, "mail", {})};
  here.read(t0);
  auto shows = [&](std::string app, std::string address, token_kind token) {
    auto one = beat(std::move(app), std::move(address));
    one.token = token;
    here.beat(one, t0);
  };
  shows("pay", "http://a/", token_kind::group);
  shows("pay", "http://b/", token_kind::common);
  shows("mail", "http://c/", token_kind::common);
  auto view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown
        == std::unordered_map<std::string, token_kind>{{"http://a/", token_kind::group}, {"http://b/", token_kind::common}});
  shows("pay", "http://a/", token_kind::group);
  CHECK_FALSE(here.table.changed_view());
  shows("pay", "http://a/", token_kind::previous);
  view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown.at("http://a/") == token_kind::previous);
  here.stored.groups[0].access_token = "another";
  here.read(t0 + 5s);
  view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->groups.at(1).access_token == "another");
}

TEST_CASE("the same view is not published twice", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  CHECK(here.table.changed_view() != nullptr);
  here.read(t0 + 5s);
  CHECK(here.table.changed_view() == nullptr);
  here.stored.groups[0].title = "Another";
  here.read(t0 + 10s);
  CHECK(here.table.changed_view() != nullptr);
}

// Several nodes over one set of rows: whatever happens in whatever order, in the end all agree with the executors that still
// beat, whatever their civil clocks do.
