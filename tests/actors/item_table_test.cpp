#include "actors/elastic/item_table.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;

using actors::item_table;
using core::elastic::fence_number;
using core::elastic::item_number;

namespace {

constexpr core::elastic::host_process last_host{core::elastic::host_number{3}, core::elastic::host_incarnation{4}};

/// Returns a table with the items 0 to 2; item 1 has what an idle item remembers.
item_table three_items() {
  item_table out;
  for (const int item : {2, 0, 1})
    (void)out.add(item_number{item});
  auto& state = out.at(item_number{1}).state;
  state.fence = fence_number{7};
  state.host = last_host;
  state.disabled = state.surplus = true;
  return out;
}

std::size_t full_items(const item_table& items) {
  std::size_t out = 0;
  items.for_each_full([&out](const auto&) { ++out; });
  return out;
}

} // namespace

TEST_CASE("an idle item keeps its fence, host and flags in compact form", "[actors][elastic]") {
  auto items = three_items();
  items.compact();
  CHECK(full_items(items) == 0);
  const auto* one = items.find(item_number{1});
  REQUIRE(one != nullptr);
  CHECK(full_items(items) == 1);
  CHECK(one->state.state == core::elastic::item_state::idle);
  CHECK(one->state.fence == fence_number{7});
  CHECK(one->state.host == last_host);
  CHECK(one->state.disabled);
  CHECK(one->state.surplus);
  CHECK(items.at(item_number{0}).state.fence == fence_number{});
}

TEST_CASE("an item with more to remember does not become compact", "[actors][elastic]") {
  auto items = three_items();
  auto& one = items.at(item_number{1});
  SECTION("a run") { one.state.state = core::elastic::item_state::wanted; }
  SECTION("a waiting request") { one.state.queue.emplace_back(); }
  SECTION("a write without an answer") { one.writes = 1; }
  SECTION("a receipt that waits for its writes") { one.after_writes.emplace_back(actors::receipt_part{}); }
  SECTION("a host that refused it") { one.state.avoided = {last_host}; }
  SECTION("refusals") { one.state.refusals = 1; }
  SECTION("a deadline") { one.due = core::elastic::steady_time{}; }
  SECTION("a cancelled run") { one.cancel_run = core::elastic::item_run_id{9}; }
  SECTION("a stored mark") { one.stored_missed = true; }
  items.compact();
  CHECK(full_items(items) == 1);
  CHECK(&items.at(item_number{1}) == &one);
}

TEST_CASE("an item that became idle is compact after its next look-up", "[actors][elastic]") {
  auto items = three_items();
  items.at(item_number{1}).writes = 1;
  items.compact();
  items.at(item_number{1}).writes = 0;
  items.compact();
  CHECK(full_items(items) == 0);
}

TEST_CASE("counts compact and full items by their flag", "[actors][elastic]") {
  auto items = three_items();
  const auto disabled = [&items] { return items.count_if([](item_number, bool is_disabled) { return is_disabled; }); };
  CHECK(disabled() == 1);
  items.compact();
  CHECK(disabled() == 1);
  items.at(item_number{2}).state.disabled = true;
  CHECK(disabled() == 2);
}

TEST_CASE("finds items and hooks in any order until they are erased", "[actors][elastic]") {
  auto items = three_items();
  (void)items.add(item_number{-1});
  CHECK(items.contains(item_number{-1}));
  CHECK(items.find(item_number{3}) == nullptr);
  items.erase(item_number{1});
  items.erase(item_number{8});
  CHECK_FALSE(items.contains(item_number{1}));
  CHECK(items.contains(item_number{2}));
  items.compact();
  CHECK(items.find(item_number{1}) == nullptr);
  items.clear();
  CHECK_FALSE(items.contains(item_number{0}));
}
