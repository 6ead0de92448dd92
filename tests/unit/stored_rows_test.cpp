// Rows of elastic jobs that a coordinator accepts.

#include "core/elastic/stored_rows.hpp"

#include <limits>

#include "tests/support/catch.hpp"

namespace ringmaster::test::stored_rows_test {

using namespace ringmaster::core::elastic;
using namespace std::chrono_literals;
using ringmaster::core::from_ms;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

adopted_job sound_job() {
  adopted_job out;
  out.job.what.total = 2;
  out.job.next = from_ms(ringmaster::core::latest_ms);
  out.items.resize(2);
  out.items[1].item = item_number{1};
  out.fires.resize(1);
  out.requests.resize(1);
  out.cursors.resize(1);
  out.plan.emplace();
  return out;
}

} // namespace

TEST_CASE("rows of an elastic job outside their range are refused", "[unit][elastic]") {
  auto job = sound_job();
  REQUIRE(check(job));
  SECTION("items without number") { job.job.what.total = 2'000'000'000; }
  SECTION("no items") { job.job.what.total = -1; }
  SECTION("an endless time limit") { job.job.what.options.timeout = ringmaster::core::milliseconds{most}; }
  SECTION("an age before the beginning") { job.job.what.options.misfire_max_age = -1ms; }
  SECTION("an instant beyond the years") { job.job.next = from_ms(most); }
  SECTION("a last instant before 1970") { job.job.last = from_ms(-1); }
  SECTION("an unknown status") { job.job.status = job_status{9}; }
  SECTION("an item below the hooks") { job.items[0].item = item_number{-3}; }
  SECTION("a fence without a next one") { job.items[0].fence = fence_number{most}; }
  SECTION("an unknown state of an item") { job.items[0].state = stored_item_state{7}; }
  SECTION("a lease without an end") { job.items[1].lease = ringmaster::core::milliseconds{most}; }
  SECTION("a grant of no time") { job.items[1].granted = from_ms(std::numeric_limits<std::int64_t>::min()); }
  SECTION("an unknown state of a fire") { job.fires[0].state = fire_state{77}; }
  SECTION("a request of no time") { job.requests[0].at = from_ms(most); }
  SECTION("an unknown policy") { job.requests[0].policy = request_policy{9}; }
  SECTION("a long parameter") { job.requests[0].param = std::string(100'000, 'x'); }
  SECTION("a long cursor") { job.cursors[0].value = std::string(cursor_bytes + 1, 'x'); }
  SECTION("a plan without a next one") { job.plan->version = most; }
  CHECK_FALSE(check(job));
}

} // namespace ringmaster::test::stored_rows_test
