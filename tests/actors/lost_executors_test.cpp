#include <algorithm>

#include "actors/recovery/known_executors.hpp"
#include "actors/recovery/returned_executors.hpp"
#include "actors/recovery/suspected_executors.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::log_id;
using names = std::vector<std::string>;

namespace {

constexpr actors::suspected_executors::steady suspicion{1h};

std::shared_ptr<const protocol::registry_view> view_of(core::address_type type, names addresses) {
  auto view = std::make_shared<protocol::registry_view>();
  core::group group;
  group.id = core::group_id{1};
  group.type = type;
  group.addresses = std::move(addresses);
  view->groups.emplace(1, std::move(group));
  return view;
}

} // namespace

TEST_CASE("an executor under suspicion is asked after a moment, one request at a time", "[actors]") {
  actors::suspected_executors suspects;
  suspects.add("a", suspicion);
  CHECK(suspects.take_due(suspicion + 499ms).empty());
  CHECK(suspects.take_due(suspicion + 500ms) == names{"a"});
  CHECK(suspects.take_due(suspicion + 1min).empty());
  CHECK(suspects.take_answer("a", true, suspicion + 1min));
  CHECK_FALSE(suspects.contains("a"));
}

TEST_CASE("pauses between the requests to a suspect grow until there is another sign", "[actors]") {
  actors::suspected_executors suspects;
  suspects.add("a", suspicion);
  auto t = suspicion + 500ms;
  for (auto pause : {1s, 2s, 4s, 8s, 15s, 15s}) {
    REQUIRE(suspects.take_due(t) == names{"a"});
    CHECK_FALSE(suspects.take_answer("a", false, t));
    CHECK(suspects.take_due(t + pause - 1ms).empty());
    t += pause;
  }
  suspects.add("a", t);
  CHECK(suspects.take_due(t + 499ms).empty());
  CHECK(suspects.take_due(t + 500ms) == names{"a"});
}

TEST_CASE("a limited number of suspects is asked at once", "[actors]") {
  actors::suspected_executors suspects;
  for (int i = 0; i < 100; ++i)
    suspects.add("a" + std::to_string(i), suspicion);
  const auto asked = suspects.take_due(suspicion + 1s);
  CHECK(asked.size() == actors::suspected_executors::handshakes_max);
  CHECK(suspects.take_due(suspicion + 1s).empty());
  CHECK(suspects.take_answer(asked[0], true, suspicion + 1s));
  CHECK(suspects.take_due(suspicion + 1s).size() == 1);
}

TEST_CASE("a suspect without a sign for long is removed unless it is being asked", "[actors]") {
  actors::suspected_executors suspects;
  suspects.add("asked", suspicion);
  REQUIRE(suspects.take_due(suspicion + 1s) == names{"asked"});
  suspects.add("b", suspicion);
  CHECK(suspects.take_due(suspicion + 12min + 1ms).empty());
  CHECK_FALSE(suspects.contains("b"));
  CHECK(suspects.contains("asked"));
}

TEST_CASE("a silent suspect is named once", "[actors]") {
  actors::suspected_executors suspects;
  suspects.add("a", suspicion);
  suspects.add("b", suspicion + 1s);
  CHECK(suspects.take_unnamed(10, suspicion + 14s).empty());
  CHECK(suspects.take_unnamed(10, suspicion + 15s) == names{"a"});
  suspects.add("a", suspicion + 15s);
  CHECK(suspects.take_unnamed(10, suspicion + 1min) == names{"b"});
}

TEST_CASE("executors that returned are searched for in one search after the other", "[actors]") {
  actors::returned_executors returned;
  CHECK_FALSE(returned.begin());
  for (int i = 0; i < 65; ++i)
    returned.add("a" + std::to_string(i));
  REQUIRE(returned.begin());
  CHECK_FALSE(returned.begin());
  CHECK_FALSE(returned.next());
  returned.begun({log_id{10}, log_id{30}});
  auto section = returned.next();
  REQUIRE(section);
  CHECK(section->addresses.size() == actors::returned_executors::per_search_max);
  CHECK(section->range.after == log_id{10});
  CHECK_FALSE(returned.next());
  returned.found(log_id{30});
  CHECK_FALSE(returned.next());
  CHECK(returned.begin());
}

TEST_CASE("a search that failed returns its executors", "[actors]") {
  actors::returned_executors returned;
  returned.add("a");
  REQUIRE(returned.begin());
  CHECK(returned.failed() == names{"a"});
  CHECK_FALSE(returned.begin());
}

TEST_CASE("an address that left the list is reported once, and its registration is remembered", "[actors]") {
  actors::known_executors executors;
  CHECK(executors.update(view_of(core::address_type::automatic, {"a", "b"})).empty());
  CHECK(executors.update(view_of(core::address_type::manual, {"b", "c"})) == names{"a"});
  CHECK(executors.update(view_of(core::address_type::manual, {"b", "c"})).empty());
  CHECK(executors.listed().contains("c"));
  CHECK(executors.was_registered(core::group_id{1}, "a"));
  CHECK(executors.was_registered(core::group_id{1}, "b"));
  CHECK_FALSE(executors.was_registered(core::group_id{1}, "c"));
  executors.update(view_of(core::address_type::automatic, {}));
  CHECK(executors.was_registered(core::group_id{1}, "d"));
  CHECK_FALSE(executors.was_registered(core::group_id{2}, "d"));
}
