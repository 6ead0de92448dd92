// job_coordination: requests that owe items a run until each has begun.

#include "tests/actors/job_coordination_fixture.hpp"

namespace ringmaster::test::job_requests_test {

namespace {

using namespace std::chrono_literals;

using item_numbers = std::vector<elastic::item_number>;

item_numbers numbers(std::initializer_list<std::int32_t> items) {
  item_numbers out;
  for (const auto item : items)
    out.push_back(elastic::item_number{item});
  return out;
}

void trigger(coordinated_job& world, elastic::request_policy policy = elastic::request_policy::queue) {
  world.request(9, "today", policy);
}

std::vector<elastic::request_end> ends(const coordinated_job& world) {
  std::vector<elastic::request_end> out;
  for (const auto& op : world.ops)
    if (const auto* end = std::get_if<elastic::request_end>(&op))
      out.push_back(*end);
  return out;
}

} // namespace

TEST_CASE("a request of all items owes a run to those that are busy", "[actors][elastic]") {
  coordinated_job world{3};
  world.begin("A");
  world.advance(10s);
  world.finished(0);
  trigger(world);
  const auto fire = world.fires().back();
  CHECK(fire.items.size() == 1);
  CHECK(fire.owed == numbers({1, 2}));
  world.finished(1);
  CHECK(world.latest(1).param == "today");
  CHECK(world.runs() == "0@AN, 1@AN, 2@AN, 0@AR, 1@AR");
  CHECK(ends(world).empty());
}

TEST_CASE("a request that starts no run now has a fire with its parameter", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(10s);
  trigger(world);
  const auto fire = world.fires().back();
  CHECK(fire.items.empty());
  CHECK(fire.owed == numbers({0, 1}));
  REQUIRE(fire.fires.size() == 1);
  CHECK(fire.fires.front().param == "today");
  CHECK(fire.fires.front().expected == 0);
}

TEST_CASE("a request whose items are all busy ends if it must not wait", "[actors][elastic]") {
  coordinated_job world{2};
  world.begin("A");
  world.advance(10s);
  const auto before = world.fires().size();
  trigger(world, elastic::request_policy::discard);
  CHECK(world.fires().size() == before);
  REQUIRE(ends(world).size() == 1);
  CHECK(ends(world).front().items.empty());
}

TEST_CASE("a large request owes the items whose grants follow", "[actors][elastic]") {
  coordinated_job world{300};
  world.begin("A", 1000);
  trigger(world);
  REQUIRE(world.fires().size() == 1);
  CHECK(world.fires().front().items.size() == 250);
  CHECK(world.fires().front().owed.size() == 50);
  CHECK(world.fires().front().owed.front() == elastic::item_number{250});
  CHECK(world.granted.size() == 300);
}

TEST_CASE("a request no longer owes runs to items that cannot start one", "[actors][elastic]") {
  coordinated_job world{3};
  world.begin("A");
  world.advance(10s);
  trigger(world);
  world.stored.job.status = elastic::job_status::off;
  world.change();
  const auto over = ends(world);
  REQUIRE(over.size() == 1);
  CHECK(over.front().request == elastic::request_id{9});
  CHECK(over.front().items == numbers({0, 1, 2}));
}

TEST_CASE("the next coordinator starts what a request still owes", "[actors][elastic]") {
  coordinated_job world{4};
  elastic::request_row row{elastic::request_id{9}, world.stored.job.id};
  row.param = "today";
  row.at = coordinated_job::start;
  // Item 0 has had its run, item 3 is disabled since, item 7 was removed, and no request runs a hook.
  row.owed = numbers({-1, 1, 2, 3, 7});
  auto hook = coordinated_job::idle_row(-1);
  world.stored.items.insert(world.stored.items.begin(), hook);
  world.stored.items[4].disabled = true;
  world.stored.requests = {row};
  world.begin("A");
  CHECK(world.runs() == "1@AR, 2@AR");
  CHECK(world.latest(1).param == "today");
  CHECK(world.fires().empty());
  item_numbers over;
  for (const auto& each : ends(world))
    over.insert(over.end(), each.items.begin(), each.items.end());
  std::sort(over.begin(), over.end());
  CHECK(over == numbers({-1, 3, 7}));
  // A second reading starts nothing.
  world.change();
  CHECK(world.granted.size() == 2);
}

} // namespace ringmaster::test::job_requests_test
