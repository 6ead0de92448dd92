#include "protocol/elastic_border.hpp"

#include <chrono>

#include "core/elastic/item_params.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::breach_of;
using protocol::elastic_link_limits;

TEST_CASE("a host introduces a process that can exist, with texts that fit their columns", "[actors][links]") {
  CHECK(breach_of(test::good_hello()).empty());
  auto plain = test::good_hello();
  plain.labels.clear();
  plain.handlers.clear();
  plain.epochs.clear();
  plain.cluster.clear();
  CHECK(breach_of(plain).empty());
  auto bad = test::good_hello();
  SECTION("no process") { bad.process.clear(); }
  SECTION("not a key") { bad.process.back() = 'G'; }
  SECTION("a long folder") { bad.folder += '0'; }
  SECTION("no boot") { bad.boot.clear(); }
  SECTION("pid") { bad.pid = 0; }
  SECTION("ticks") { bad.start_ticks = -1; }
  SECTION("address") { bad.ip = std::string(51, '1'); }
  SECTION("bytes that are not UTF-8") { bad.ip = "\xff"; }
  SECTION("long labels") { bad.labels = std::string(elastic_link_limits::label_bytes_max + 1, 'x'); }
  SECTION("capacity") { bad.capacity = -1; }
  SECTION("endless capacity") { bad.capacity = elastic_link_limits::capacity_max + 1; }
  SECTION("handler without a name") { bad.handlers.emplace_back(); }
  SECTION("long name of a handler") { bad.handlers.emplace_back(256, 'x'); }
  SECTION("listener without a name") { bad.listeners.emplace_back(); }
  SECTION("long name of a once-listener") { bad.once_listeners.emplace_back(256, 'x'); }
  SECTION("many handlers") { bad.handlers.assign(elastic_link_limits::items_max + 1, "x"); }
  SECTION("cluster") { bad.cluster = "one"; }
  SECTION("slot") { bad.epochs.push_back({256, 1}); }
  SECTION("a slot twice") { bad.epochs.push_back(bad.epochs.back()); }
  SECTION("epoch") { bad.epochs.front().epoch = 0; }
  CHECK_FALSE(breach_of(bad).empty());
}

TEST_CASE("a heartbeat counts, and names a process", "[actors][links]") {
  CHECK(breach_of(test::good_beat()).empty());
  auto bad = test::good_beat();
  SECTION("number") { bad.number = 0; }
  SECTION("incarnation") { bad.incarnation = {}; }
  SECTION("free slots") { bad.free_slots = -1; }
  SECTION("tainted") { bad.tainted = -1; }
  SECTION("keeper") { bad.keeper_no = -1; }
  SECTION("before all time") { bad.wall = core::from_ms(-1); }
  SECTION("after all time") { bad.wall = core::time_point::max(); }
  CHECK_FALSE(breach_of(bad).empty());
}

TEST_CASE("events are limited in number, bytes and values", "[actors][links]") {
  using kind = protocol::elastic_event_kind;
  const auto good = test::good_event(7);
  CHECK(breach_of(protocol::elastic_events{1, {good}}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_events{1, {}}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_events{0, {good}}).empty());
  CHECK(breach_of(protocol::elastic_events{1, std::vector(elastic_link_limits::items_max, good)}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_events{1, std::vector(elastic_link_limits::items_max + 1, good)}).empty());
  auto large = good;
  large.text = std::string(elastic_link_limits::text_bytes_max, 'x');
  CHECK(breach_of(protocol::elastic_events{1, std::vector(15, large)}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_events{1, std::vector(16, large)}).empty());
  auto hook = good;
  hook.item = core::elastic::after_hook_item;
  CHECK(breach_of(protocol::elastic_events{1, {hook}}).empty());
  auto cursor = good;
  cursor.kind = kind::cursor;
  cursor.cursor = std::string(elastic_link_limits::cursor_bytes_max, 'x');
  cursor.cursor_number = 1;
  CHECK(breach_of(protocol::elastic_events{1, {cursor}}).empty());
  auto bad = good;
  SECTION("job") { bad.job = {}; }
  SECTION("item") { bad.item = core::elastic::item_number{-3}; }
  SECTION("endless item") { bad.item = core::elastic::item_number{100'000}; }
  SECTION("run") { bad.run = {}; }
  SECTION("fence") { bad.fence = {}; }
  SECTION("kind") { bad.kind = static_cast<kind>(8); }
  SECTION("outcome") { bad.outcome = static_cast<core::elastic::host_outcome>(4); }
  SECTION("reason") { bad.refusal = static_cast<protocol::elastic_refusal>(9); }
  SECTION("reason of no refusal") { bad.refusal = protocol::elastic_refusal::draining; }
  SECTION("refusal without a reason") { bad.kind = kind::refused; }
  SECTION("time") { bad.at = core::time_point::min(); }
  SECTION("long text") { bad.text = std::string(elastic_link_limits::text_bytes_max + 1, 'x'); }
  SECTION("cursor of another event") {
    bad.kind = kind::started;
    bad.cursor = "x";
    bad.cursor_number = 1;
  }
  SECTION("no cursor") { bad.kind = kind::cursor; }
  SECTION("cursor without a number") { bad.cursor = "x"; }
  SECTION("number without a cursor") { bad.cursor_number = 1; }
  SECTION("long cursor") {
    bad.cursor = std::string(elastic_link_limits::cursor_bytes_max + 1, 'x');
    bad.cursor_number = 1;
  }
  SECTION("child") { bad.child_pid = -1; }
  CHECK_FALSE(breach_of(protocol::elastic_events{1, {good, bad}}).empty());
}

TEST_CASE("an inventory answers a question, and may be empty at its end", "[actors][links]") {
  const auto good = test::good_inventory();
  CHECK(breach_of(good).empty());
  auto empty = good;
  empty.runs.clear();
  CHECK(breach_of(empty).empty());
  empty.end = false;
  CHECK_FALSE(breach_of(empty).empty());
  auto bad = good;
  SECTION("question") { bad.question = 0; }
  SECTION("slot") { bad.slot = 256; }
  SECTION("epoch") { bad.epoch = 0; }
  SECTION("run") { bad.runs[0].run = {}; }
  SECTION("phase") { bad.runs[0].phase = static_cast<protocol::elastic_phase>(4); }
  SECTION("number") { bad.runs.assign(elastic_link_limits::items_max + 1, good.runs[0]); }
  CHECK_FALSE(breach_of(bad).empty());
}

TEST_CASE("a welcome names the host and the limits; other verdicts need no more than a text", "[actors][links]") {
  const auto good = test::good_welcome();
  CHECK(breach_of(good).empty());
  auto no = protocol::elastic_welcome{};
  no.verdict = protocol::elastic_verdict::unavailable;
  CHECK(breach_of(no).empty());
  no.reason = std::string(1025, 'x');
  CHECK_FALSE(breach_of(no).empty());
  auto bad = good;
  SECTION("verdict") { bad.verdict = static_cast<protocol::elastic_verdict>(6); }
  SECTION("cluster") { bad.cluster.clear(); }
  SECTION("node") { bad.node.clear(); }
  SECTION("long name") { bad.node = std::string(65, 'x'); }
  SECTION("host") { bad.host.host = {}; }
  SECTION("incarnation") { bad.host.incarnation = {}; }
  SECTION("keeper") { bad.keeper_no = -1; }
  SECTION("a flood of heartbeats") { bad.limits.heartbeat = 0ms; }
  SECTION("a keeper that is lost at once") { bad.limits.keeper_lost_after = 149ms; }
  SECTION("a keeper that is never lost") { bad.limits.keeper_lost_after = core::milliseconds::max(); }
  CHECK_FALSE(breach_of(bad).empty());
  CHECK(breach_of(protocol::elastic_ack{1, 0, false}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_ack{0, 0, false}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_ack{1, -1, false}).empty());
  CHECK(breach_of(protocol::elastic_receipt{1, true}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_receipt{0, true}).empty());
}

TEST_CASE("definitions are limited in number, bytes and values", "[actors][links]") {
  const auto good = test::good_spec();
  CHECK(breach_of(protocol::elastic_specs{{good}}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_specs{}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_specs{std::vector(elastic_link_limits::items_max + 1, good)}).empty());
  auto large = good;
  large.props = std::string(elastic_link_limits::text_bytes_max, 'x');
  large.item_params = std::string(core::elastic::item_params_bytes_max, 'x');
  CHECK(breach_of(protocol::elastic_specs{{large}}).empty());
  CHECK_FALSE(breach_of(protocol::elastic_specs{std::vector(16, large)}).empty());
  auto bad = good;
  SECTION("job") { bad.job = {}; }
  SECTION("version") { bad.version = -1; }
  SECTION("no items") { bad.total = 0; }
  SECTION("endless items") { bad.total = 100'001; }
  SECTION("name") { bad.name.clear(); }
  SECTION("long text") { bad.pool = std::string(elastic_link_limits::text_bytes_max + 1, 'x'); }
  SECTION("long item parameters") { bad.item_params = std::string(core::elastic::item_params_bytes_max + 1, 'x'); }
  CHECK_FALSE(breach_of(protocol::elastic_specs{{good, bad}}).empty());
}

TEST_CASE("grants are limited in number, bytes and values", "[actors][links]") {
  const auto good = test::good_grants(7);
  CHECK(breach_of(good).empty());
  auto many = good;
  many.items.assign(elastic_link_limits::items_max, good.items[0]);
  CHECK(breach_of(many).empty());
  many.items.push_back(good.items[0]);
  CHECK_FALSE(breach_of(many).empty());
  auto large = good;
  large.items[0].cursor = std::string(elastic_link_limits::cursor_bytes_max, 'x');
  large.items.assign(3, large.items[0]);
  CHECK(breach_of(large).empty());
  large.items.push_back(large.items[0]);
  CHECK_FALSE(breach_of(large).empty());
  auto bad = good;
  SECTION("host") { bad.host.host = {}; }
  SECTION("slot") { bad.slot = 256; }
  SECTION("epoch") { bad.epoch = -1; }
  SECTION("job") { bad.job = {}; }
  SECTION("version") { bad.version = -1; }
  SECTION("empty") { bad.items.clear(); }
  SECTION("long parameter") { bad.param = std::string(elastic_link_limits::text_bytes_max + 1, 'x'); }
  SECTION("item") { bad.items[0].item = core::elastic::item_number{-3}; }
  SECTION("run") { bad.items[0].run = {}; }
  SECTION("fence") { bad.items[0].fence = {}; }
  SECTION("source") { bad.items[0].source = static_cast<core::elastic::run_source>(4); }
  SECTION("attempt") { bad.items[0].attempt = 256; }
  SECTION("no lease") { bad.items[0].lease = 0ms; }
  SECTION("endless lease") { bad.items[0].lease = core::milliseconds::max(); }
  SECTION("time") { bad.items[0].fire_at = core::time_point::max(); }
  SECTION("long cursor") { bad.items[0].cursor = std::string(elastic_link_limits::cursor_bytes_max + 1, 'x'); }
  CHECK_FALSE(breach_of(bad).empty());
}

TEST_CASE("orders name runs of one slot, or ask for its inventory", "[actors][links]") {
  const auto good = test::good_orders();
  CHECK(breach_of(good).empty());
  auto question = good;
  question.orders.clear();
  CHECK_FALSE(breach_of(question).empty());
  question.inventory = 1;
  CHECK(breach_of(question).empty());
  auto bad = good;
  SECTION("host") { bad.host.incarnation = {}; }
  SECTION("slot") { bad.slot = 256; }
  SECTION("run") { bad.orders[0].run = {}; }
  SECTION("fence") { bad.orders[0].fence = {}; }
  SECTION("order") { bad.orders[0].order = static_cast<core::elastic::item_order>(5); }
  SECTION("number") { bad.orders.assign(elastic_link_limits::items_max + 1, good.orders[0]); }
  CHECK_FALSE(breach_of(bad).empty());
}
