// Cursors, streams and requests with all actors of a node, over a real store.

#include "tests/actors/elastic_jobs_fixture.hpp"

namespace ringmaster::test::elastic_streams_test {

namespace {

using namespace std::chrono_literals;

struct node_world : elastic_jobs_world {
  /// The node ends and begins again.
  void begin_again() {
    tell(director, protocol::incarnation_change{});
    tell(hosts, protocol::incarnation_change{});
    tell(writer, protocol::incarnation_change{});
    run();
    live(expect(direct->cluster().enter("a", "one:1")));
    for (const auto& [name, host] : all)
      host_links(name);
    pass(1s);
  }
  elastic::adopted_job stored() { return expect(ej().read_job(job)); }
};

} // namespace

TEST_CASE_METHOD(node_world, "a stored cursor outlives the node", "[actors][elastic]") {
  begin(1, "A");
  pass(11s);
  REQUIRE(grants('A') == 1);
  CHECK_FALSE(all['A'].granted.back().cursor);
  save_cursor(0, "p1");
  save_cursor(0, "p2");
  pass(100ms);
  REQUIRE(stored().cursors.size() == 1);
  CHECK(stored().cursors.front().value == "p2");
  CHECK(stored().cursors.front().fence == all['A'].granted.back().fence);
  begin_again();
  finish(0);
  pass(11s);
  REQUIRE(grants('A') == 2);
  CHECK(all['A'].granted.back().cursor == "p2");
}

TEST_CASE_METHOD(node_world, "a stream moves to a host that comes, with its cursor and without a fire", "[actors][elastic]") {
  edit.what.kind = "dataflow";
  edit.what.options.streaming = true;
  begin(1, "A");
  pass(11s);
  REQUIRE(grants('A') == 1);
  save_cursor(0, "p1");
  host_up('B');
  pass(1500ms);
  const auto& orders = all['A'].orders;
  CHECK(std::count_if(orders.begin(), orders.end(), [](const auto& each) { return each.order == elastic::item_order::drain; }) ==
        1);
  CHECK(grants('B') == 0);
  finish(0, elastic::host_outcome::yielded);
  pass(100ms);
  REQUIRE(grants('B') == 1);
  CHECK(all['B'].granted.back().cursor == "p1");
  CHECK(all['B'].granted.back().attempt == 1);
  CHECK(all['A'].runs.empty());
}

TEST_CASE_METHOD(node_world, "a request is finished after its node has begun again, and starts no item twice",
                 "[actors][elastic]") {
  begin(3, "A");
  pass(11s);
  REQUIRE(grants('A') == 3);
  finish(0);
  pass(100ms);
  elastic::request_row request{elastic::request_id{77}, job};
  request.policy = elastic::request_policy::queue;
  request.param = "today";
  request.at = civil();
  expect(ej().add_request(request, civil(), core::local_operator()));
  pass(1s);
  REQUIRE(grants('A') == 4); // item 0; the others wait
  REQUIRE(stored().requests.size() == 1);
  CHECK(stored().requests.front().owed == std::vector{elastic::item_number{1}, elastic::item_number{2}});
  finish(1);
  pass(100ms);
  REQUIRE(grants('A') == 5);
  CHECK(stored().requests.front().owed == std::vector{elastic::item_number{2}});
  begin_again();
  CHECK(grants('A') == 5);
  finish(2);
  pass(500ms);
  REQUIRE(grants('A') == 6);
  CHECK(all['A'].granted.back().item == elastic::item_number{2});
  CHECK(all['A'].granted.back().source == elastic::run_source::manual);
  CHECK(all['A'].runs.back().param == "today");
  CHECK(stored().requests.empty());
  for (int item = 0; item < 3; ++item)
    finish(item);
  pass(500ms);
  CHECK(grants('A') == 6);
  CHECK(open_rows() == 0);
}

} // namespace ringmaster::test::elastic_streams_test
