// Places for native links, and the shares of the tokens of groups.

#include "tests/actors/raw_executor.hpp"

using namespace ringmaster;
using test::raw_executor;

namespace {

/// Number of links that one group's token may have.
constexpr auto quarter = actors::native_links_state::links_max / 4;

/// Next to `mail-worker`, the groups 11 to 13 are `worker-11` to `worker-13`, with the tokens `token-11` to `token-13`.
struct link_crowd : raw_executor {
  link_crowd() {
    auto changed = std::make_shared<protocol::registry_view>(*view);
    for (const std::int32_t id : {11, 12, 13}) {
      core::group group;
      group.id = core::group_id{id};
      group.app_name = "worker-" + std::to_string(id);
      group.access_token = "token-" + std::to_string(id);
      changed->groups.emplace(id, std::move(group));
    }
    tell(links, protocol::registry_change{changed});
    run();
  }
  /// Connects an executor of its own address.
  void enter(const std::string& app_name, std::size_t number, const std::string& token) {
    hello.app_name = app_name;
    hello.address = "ringmaster://" + app_name + "/" + std::to_string(number);
    try_token(token);
  }
  /// Connects executors until the group has `count` of them.
  void fill(const std::string& app_name, const std::string& token, std::size_t first, std::size_t count) {
    for (auto number = first; number <= count; ++number)
      enter(app_name, number, token);
  }
};

} // namespace

TEST_CASE_METHOD(link_crowd, "the token of one group fills a quarter of the links, those of all groups three quarters",
                 "[actors][links]") {
  const std::string first = "ringmaster://mail-worker/1";
  dial({"mail-worker", first, "mail-token"});
  REQUIRE(is_linked(first));
  const auto former = native(first);
  fill("mail-worker", "mail-token", 2, quarter);
  REQUIRE(welcomes.size() == quarter - 1);
  CHECK(refusals.empty());
  const auto full = "this node has " + std::to_string(quarter) + " native links of this group, the maximum";
  enter("mail-worker", quarter + 1, "mail-token");
  CHECK(refusals == std::vector{full});
  // A new connection with an address that has a link takes its place.
  dial({"mail-worker", first, "mail-token"});
  CHECK(is_linked(first));
  CHECK(native(first) != former);
  enter("mail-worker", quarter + 1, "mail-token");
  CHECK(refusals == std::vector{full, full});

  for (const char* other : {"11", "12"})
    fill(std::string{"worker-"} + other, std::string{"token-"} + other, 1, quarter);
  CHECK(welcomes.size() == 3 * quarter - 1);
  CHECK(refusals.size() == 2);
  enter("worker-13", 1, "token-13");
  CHECK(welcomes.size() == 3 * quarter - 1);
  REQUIRE(refusals.size() == 3);
  CHECK(refusals.back() == "this node has " + std::to_string(3 * quarter) + " native links with tokens of groups, the maximum");
  // The last quarter is for executors with the common token, of any group.
  enter("worker-13", 1, "secret");
  enter("mail-worker", quarter + 1, "secret");
  enter("pay-worker", 1, "secret");
  CHECK(welcomes.size() == 3 * quarter + 2);
  CHECK(refusals.size() == 3);
}

TEST_CASE_METHOD(link_crowd, "a link whose executor said goodbye keeps its place in the share of its group", "[actors][links]") {
  fill("mail-worker", "mail-token", 1, quarter);
  REQUIRE(welcomes.size() == quarter);
  protocol::link_goodbye goodbye;
  goodbye.key = welcomes.front().gate_key;
  tell(welcomes.front().gate, goodbye);
  run();
  enter("mail-worker", quarter + 1, "mail-token");
  CHECK(welcomes.size() == quarter);
  CHECK(refusals == std::vector{"this node has " + std::to_string(quarter) + " native links of this group, the maximum"});
  enter("mail-worker", quarter + 1, "secret");
  CHECK(welcomes.size() == quarter + 1);
}
