// The view of the registrations that routing and executor links get.

#include <map>
#include <set>

#include "tests/actors/registry_table_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::registry_tables;

using header_facts = std::set<protocol::app_address>;
using shown_token_map = std::map<protocol::app_address, core::token_kind>;

TEST_CASE("the app name header is remembered by app, address and last beat", "[actors]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a/", true), t0);
  here.beat(beat("pay", "http://b/"), t0);
  here.beat(beat("mail", "http://b/", true), t0);
  auto view = here.table.changed_view();
  CHECK(view->with_app_header == header_facts{{"pay", "http://a/"}, {"mail", "http://b/"}});
  here.beat(beat("pay", "http://b/", true), t0 + 30s);
  here.beat(beat("pay", "http://a/"), t0 + 30s);
  view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->with_app_header == header_facts{{"pay", "http://b/"}, {"mail", "http://b/"}});
}

namespace {

/// The group `pay` has its own token, `mail` none.
struct guarded_registry : registry {
  guarded_registry() {
    auto guarded = group(1, "pay");
    guarded.access_token = "of-pay";
    stored.groups = {guarded, group(2, "mail")};
    read(t0);
  }
  bool shows(std::string app, std::string address, core::token_kind token, core::time_point t = t0) {
    auto one = test::registry_tables::beat(std::move(app), std::move(address));
    one.token = token;
    return registry::beat(one, t);
  }
};

} // namespace

TEST_CASE_METHOD(guarded_registry, "the token that an executor showed is remembered if its group has one", "[actors]") {
  using core::token_kind;
  shows("pay", "http://a/", token_kind::group);
  shows("pay", "http://b/", token_kind::common);
  shows("mail", "http://c/", token_kind::common);
  auto view = table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown == shown_token_map{{{"pay", "http://b/"}, token_kind::common}});
  CHECK(view->without_common_token == std::unordered_set<std::string>{"a|80"});
  shows("pay", "http://a/", token_kind::group);
  CHECK_FALSE(table.changed_view());
  shows("pay", "http://a/", token_kind::previous);
  view = table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown.at({"pay", "http://a/"}) == token_kind::previous);
  shows("pay", "http://b/", token_kind::group);
  view = table.changed_view();
  REQUIRE(view);
  CHECK_FALSE(view->tokens_shown.contains({"pay", "http://b/"}));
  stored.groups[0].access_token = "another";
  read(t0 + 5s);
  view = table.changed_view();
  REQUIRE(view);
  CHECK(view->groups.at(1).access_token == "another");
}

TEST_CASE_METHOD(guarded_registry, "the token that an executor showed to one node is known to the others and after a restart",
                 "[actors]") {
  using core::token_kind;
  shows("pay", "http://a/", token_kind::common);
  shows("pay", "http://b/", token_kind::group);
  shows("mail", "http://c/", token_kind::common);
  CHECK(table.has_update());
  write(false);
  CHECK_FALSE(table.has_update());
  registry other;
  other.stored = stored;
  other.read(t0);
  auto view = other.table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown == shown_token_map{{{"pay", "http://a/"}, token_kind::common}});
  // The executor has its group's token now, and shows it here.
  shows("pay", "http://a/", token_kind::group, t0 + 30s);
  CHECK(table.has_update());
  write(false);
  other.stored = stored;
  other.read(t0 + 30s);
  view = other.table.changed_view();
  REQUIRE(view);
  CHECK(view->tokens_shown.empty());
  // A token whose registration is gone is forgotten.
  stored.left_tokens = {row("pay", "http://gone/", t0)};
  stored.left_tokens[0].shown = token_kind::common;
  read(t0 + 35s);
  const auto batch = write(true);
  REQUIRE(batch.tokens.size() == 1);
  CHECK(batch.tokens[0].address == "http://gone/");
  CHECK_FALSE(batch.tokens[0].shown);
}

TEST_CASE("a registration from before its group had a token counts as made with the common one", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  here.beat(beat("pay", "http://b/"), t0);
  here.stored.groups[0].access_token = "of-pay";
  here.stored.registrations.push_back(row("pay", "http://c/", t0 + 5s));
  here.read(t0 + 5s);
  auto view = here.table.changed_view();
  REQUIRE(view);
  using core::token_kind;
  CHECK(view->tokens_shown
        == shown_token_map{{{"pay", "http://a/"}, token_kind::common}, {{"pay", "http://b/"}, token_kind::common}});
  here.read(t0 + 10s);
  CHECK_FALSE(here.table.changed_view());
}

TEST_CASE_METHOD(guarded_registry, "a group's token gets no address that another group has", "[actors]") {
  using core::token_kind;
  shows("mail", "http://10.0.0.7:9999/", token_kind::common);
  for (const auto* spelling : {"http://10.0.0.7:9999/", "http://10.0.0.7:9999", "HTTP://10.0.0.7:9999//", "http://10.7:09999/",
                               "http://[::ffff:10.0.0.7]:9999/", "http://0x0a000007:9999/"}) {
    CAPTURE(spelling);
    CHECK(table.rival_of("pay", spelling) == "mail");
  }
  CHECK(table.rival_of("pay", "http://10.0.0.7:9998/").empty());
  CHECK(table.rival_of("mail", "http://10.0.0.7:9999/").empty());
  stored.groups.push_back(manual_group(3, "print", {"https://printer"}));
  read(t0 + 5s);
  CHECK(table.rival_of("pay", "https://PRINTER.:443/") == "print");
}

TEST_CASE_METHOD(guarded_registry, "a group's token fills a quarter of the table", "[actors]") {
  using core::token_kind;
  const auto address = [](std::size_t number) { return "http://worker-" + std::to_string(number) + "/"; };
  for (std::size_t i = 0; i < registry_table::group_registrations_max; ++i)
    REQUIRE(shows("pay", address(i), token_kind::group));
  CHECK_FALSE(shows("pay", address(registry_table::registrations_max), token_kind::group));
  CHECK(shows("pay", address(0), token_kind::group));
  CHECK(shows("mail", "http://mail/", token_kind::common));
  CHECK(shows("pay", "http://pay/", token_kind::common));
}

TEST_CASE_METHOD(guarded_registry, "if two groups claim an address, the common token wins, otherwise the first row", "[actors]") {
  using core::token_kind;
  stored.groups[1].access_token = "of-mail";
  read(t0);
  const std::string place = "http://10.0.0.7:9999/";
  SECTION("the first row, on every node") {
    stored.registrations = {row("mail", place, t0), row("pay", place + "/", t0)};
    shows("pay", place + "/", token_kind::group); // received here before the other node's row was read
    read(t0 + 5s);
    CHECK(addresses(1).empty());
    CHECK(addresses(2) == names{place});
    REQUIRE(table.take_displaced().size() == 1);
    // So a link from there is not cut by the later claim.
    CHECK(table.rival_of("mail", place).empty());
    CHECK(table.rival_of("pay", place + "/") == "mail");
  }
  SECTION("the common token takes the address back") {
    shows("pay", place, token_kind::group);
    CHECK(addresses(1) == names{place});
    CHECK(table.rival_of("mail", place) == "pay");
    shows("mail", place, token_kind::common);
    CHECK(addresses(1).empty());
    CHECK(addresses(2) == names{place});
    const auto displaced = table.take_displaced();
    REQUIRE(displaced.size() == 1);
    CHECK(displaced[0].first.first == "pay");
    CHECK(displaced[0].second == "mail");
    table.remove({"EXECUTOR", "mail", place});
    CHECK(addresses(1) == names{place});
  }
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

// Several nodes over one set of rows: after any events in any order, all nodes finally agree with the executors that still beat,
// whatever their civil clocks do.
