#include "actors/admin/registry_table.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::registry_table;
using names = std::vector<std::string>;

namespace {

constexpr auto t0 = core::from_ms(1'772'452'800'000);

core::group group(std::int32_t id, std::string app) {
  return {core::group_id{id}, std::move(app), "Title", core::address_type::automatic, {}};
}
core::group manual_group(std::int32_t id, std::string app, names addresses) {
  return {core::group_id{id}, std::move(app), "Title", core::address_type::manual, std::move(addresses)};
}

core::registration row(std::string app, std::string address, core::time_point seen, std::string registry_group = "EXECUTOR") {
  return {std::move(registry_group), std::move(app), std::move(address), seen};
}

protocol::registry_beat beat(std::string app, std::string address, bool app_header = false) {
  return {"EXECUTOR", std::move(app), std::move(address), app_header};
}

/// A table beside a store that is a plain value.
struct registry {
  explicit registry(core::time_point start = t0) : table{90s, start} {}

  void read(core::time_point now) { table.take(stored, table.mark(), now); }
  /// Writes as the store does.
  core::registry_batch write(bool renewals, core::time_point now) {
    auto batch = table.begin_write(renewals, now);
    auto remove = [this](auto which) { std::erase_if(stored.registrations, which); };
    for (const auto& gone : batch.removed)
      remove([&](const auto& row) { return row.same_identity(gone); });
    for (const auto& renewed : batch.renewed) {
      remove([&](const auto& row) { return row.same_identity(renewed); });
      stored.registrations.push_back(renewed);
    }
    remove([&](const auto& row) { return row.seen < batch.dead_before; });
    for (const auto& changed : batch.changed_groups)
      for (auto& group : stored.groups)
        if (group.id == changed.id)
          group.addresses = changed.addresses;
    table.written();
    return batch;
  }
  [[nodiscard]] names addresses(std::int32_t id) {
    if (auto next = table.changed_view())
      view = next;
    return view ? view->groups.at(id).addresses : names{"no view"};
  }
  [[nodiscard]] names stored_addresses() const {
    names rows;
    for (const auto& row : stored.registrations)
      rows.push_back(row.address);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  core::registry_state stored{{group(1, "pay")}, {}};
  registry_table table;
  std::shared_ptr<const protocol::registry_view> view;
};

} // namespace

TEST_CASE("nothing is published before the groups were read", "[actors]") {
  registry here;
  here.table.beat(beat("pay", "http://a/"), t0);
  CHECK(here.table.changed_view() == nullptr);
  CHECK_FALSE(here.table.has_news());
  here.read(t0);
  CHECK(here.addresses(1) == names{"http://a/"});
  CHECK(here.table.has_news());
}

TEST_CASE("addresses are distinct and sorted as text, other registry groups are never routed", "[actors]") {
  registry here;
  here.stored.groups = {group(1, "pay"), group(2, "pay"), manual_group(3, "mail", {"http://z/", "http://m/"})};
  here.stored.registrations = {row("pay", "http://b:9/", t0), row("pay", "http://x/", t0, "ADMIN"), row("mail", "http://c/", t0)};
  here.read(t0);
  here.table.beat(beat("pay", "http://b:10/"), t0);
  here.table.beat(beat("pay", "http://b:9/"), t0);
  CHECK(here.addresses(1) == names{"http://b:10/", "http://b:9/"});
  CHECK(here.addresses(2) == names{"http://b:10/", "http://b:9/"});
  CHECK(here.addresses(3) == names{"http://z/", "http://m/"});
  auto batch = here.write(true, t0);
  CHECK(batch.renewed.size() == 2);
  CHECK(batch.changed_groups.size() == 2);
}

TEST_CASE("a list that its column does not hold is used whole and written once, cut", "[actors]") {
  registry here;
  here.read(t0);
  for (int i = 0; i < 3000; ++i)
    here.table.beat(beat("pay", "http://10.0.0.1:" + std::to_string(10'000 + i) + "/"), t0);
  const auto batch = here.write(false, t0);
  CHECK(batch.renewed.size() == 3000);
  REQUIRE(batch.changed_groups.size() == 1);
  CHECK(batch.changed_groups[0].addresses.size() < 3000);
  CHECK(here.addresses(1).size() == 3000);
  CHECK_FALSE(here.table.has_news());
  here.read(t0 + 1s);
  CHECK_FALSE(here.table.has_news());
  CHECK(here.addresses(1).size() == 3000);
}

TEST_CASE("a trailing slash makes another address", "[actors]") {
  registry here;
  here.read(t0);
  here.table.beat(beat("pay", "http://a"), t0);
  here.table.beat(beat("pay", "http://a/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://a"});
  CHECK(here.addresses(1) == names{"http://a/"});
}

TEST_CASE("a renewal is no news; a new address, a removal and a changed list are", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  CHECK(here.table.has_news()); // the stored list lacks it
  here.write(false, t0);
  CHECK(here.stored.groups[0].addresses == names{"http://a/"});
  CHECK(here.addresses(1) == names{"http://a/"});

  here.table.beat(beat("pay", "http://a/"), t0 + 30s);
  CHECK_FALSE(here.table.view_stale());
  CHECK_FALSE(here.table.has_news());
  CHECK(here.table.has_changes(t0 + 30s));
  CHECK(here.table.begin_write(false, t0 + 30s).renewed.empty());
  here.table.written();
  here.write(true, t0 + 30s);
  CHECK(here.stored.registrations[0].seen == t0 + 30s);
  CHECK_FALSE(here.table.has_changes(t0 + 30s));

  here.table.remove({"EXECUTOR", "pay", "http://a/"});
  CHECK(here.addresses(1) == names{});
  CHECK(here.table.has_news());
  here.write(false, t0 + 31s);
  CHECK(here.stored.registrations.empty());
  CHECK(here.stored.groups[0].addresses.empty());
}

TEST_CASE("an address lives for ninety seconds from its last beat", "[actors]") {
  registry here{t0 - 1h};
  here.read(t0);
  here.table.beat(beat("pay", "http://a/"), t0);
  here.write(true, t0);
  here.table.sweep(t0 + 90s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.table.sweep(t0 + 90s + 1ms);
  CHECK(here.addresses(1) == names{});
  CHECK(here.table.has_changes(t0 + 91s));
  auto batch = here.write(true, t0 + 91s);
  CHECK(batch.dead_before == t0 + 1s);
  CHECK(here.stored.registrations.empty());
  CHECK_FALSE(here.table.has_changes(t0 + 92s));
}

TEST_CASE("a peer's beats keep an address alive here, and newest wins", "[actors]") {
  registry here{t0 - 1h};
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  here.stored.registrations[0].seen = t0 + 60s;
  here.read(t0 + 65s);
  here.table.sweep(t0 + 140s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.table.beat(beat("pay", "http://a/"), t0 + 145s);
  here.read(t0 + 146s); // an older row does not take the newer beat away
  here.table.sweep(t0 + 230s);
  CHECK(here.addresses(1) == names{"http://a/"});
}

TEST_CASE("after a start whoever was alive when the table was last written gets ninety seconds", "[actors]") {
  registry here;
  auto off = t0 - 2min;
  here.stored.registrations = {row("pay", "http://a/", off), row("pay", "http://b/", off - 89s),
                               row("pay", "http://dead/", off - 91s)};
  here.read(t0);
  CHECK(here.addresses(1) == names{"http://a/", "http://b/"});
  here.table.beat(beat("pay", "http://a/"), t0 + 20s);
  auto batch = here.write(true, t0 + 89s);
  CHECK(batch.dead_before == core::time_point{});
  here.table.sweep(t0 + 89s);
  CHECK(here.addresses(1) == names{"http://a/", "http://b/"});
  here.table.sweep(t0 + 90s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.write(true, t0 + 90s);
  CHECK(here.stored_addresses() == names{"http://a/"});
}

TEST_CASE("grace is given at the first read only", "[actors]") {
  registry here;
  here.read(t0);
  here.stored.registrations = {row("pay", "http://old/", t0 - 2min)};
  here.read(t0 + 5s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a row that a peer removed is forgotten here", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://b/", t0)};
  here.read(t0);
  here.table.beat(beat("pay", "http://b/"), t0 + 1s);
  here.write(true, t0 + 2s);
  here.stored.registrations.clear();
  here.read(t0 + 5s);
  CHECK(here.addresses(1) == names{});
}

TEST_CASE("a beat since the row was last seen outweighs its absence", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0)};
  here.read(t0);
  here.stored.registrations.clear();
  here.table.beat(beat("pay", "http://a/"), t0 + 4s);
  here.read(t0 + 5s);
  CHECK(here.addresses(1) == names{"http://a/"});
  here.write(true, t0 + 10s);
  CHECK(here.stored_addresses() == names{"http://a/"});
}

TEST_CASE("what happens while a read is under way is newer than its answer", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://gone/", t0)};
  here.read(t0);
  auto mark = here.table.mark();
  auto answer = here.stored;
  answer.registrations = {row("pay", "http://gone/", t0)};
  here.table.beat(beat("pay", "http://a/"), t0 + 1s);
  here.table.beat(beat("pay", "http://new/"), t0 + 1s);
  here.table.remove({"EXECUTOR", "pay", "http://gone/"});
  here.table.take(answer, mark, t0 + 2s);
  CHECK(here.addresses(1) == names{"http://a/", "http://new/"});
}

TEST_CASE("a failed write loses nothing", "[actors]") {
  registry here;
  here.stored.registrations = {row("pay", "http://gone/", t0), row("pay", "http://back/", t0)};
  here.read(t0);
  here.table.beat(beat("pay", "http://new/"), t0 + 1s);
  here.table.remove({"EXECUTOR", "pay", "http://gone/"});
  here.table.remove({"EXECUTOR", "pay", "http://back/"});
  (void)here.table.begin_write(false, t0 + 2s);
  here.table.beat(beat("pay", "http://back/"), t0 + 3s);
  here.table.write_failed();
  CHECK(here.table.has_news());
  auto batch = here.write(false, t0 + 4s);
  CHECK(batch.removed.size() == 1);
  CHECK(here.stored_addresses() == names{"http://back/", "http://new/"});
  CHECK(here.stored.groups[0].addresses == names{"http://back/", "http://new/"});
  CHECK_FALSE(here.table.has_changes(t0 + 5s));
}

TEST_CASE("the app name header is remembered by address and last beat", "[actors]") {
  registry here;
  here.read(t0);
  here.table.beat(beat("pay", "http://a/", true), t0);
  here.table.beat(beat("pay", "http://b/"), t0);
  auto view = here.table.changed_view();
  CHECK(view->app_header_addresses == std::unordered_set<std::string>{"http://a/"});
  here.table.beat(beat("pay", "http://b/", true), t0 + 30s);
  here.table.beat(beat("pay", "http://a/"), t0 + 30s);
  view = here.table.changed_view();
  REQUIRE(view);
  CHECK(view->app_header_addresses == std::unordered_set<std::string>{"http://b/"});
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
// beat.
TEST_CASE("nodes agree once everything is quiet", "[actors]") {
  auto seed = GENERATE(range(1u, 31u));
  CAPTURE(seed);
  std::mt19937 random{seed};
  registry nodes[3];
  auto& store = nodes[0].stored;
  auto on_store = [&](registry& node, auto step) {
    node.stored = store;
    step();
    auto result = node.stored;
    for (auto& each : nodes)
      each.stored = result;
  };
  for (auto& node : nodes)
    on_store(node, [&] { node.read(t0); });
  auto now = t0;
  std::vector<std::optional<core::time_point>> last_beat(6);
  auto address = [](std::size_t i) { return "http://" + std::to_string(i) + "/"; };
  for (int step = 0; step < 400; ++step) {
    now += std::chrono::milliseconds{random() % 3000};
    auto& node = nodes[random() % 3];
    auto executor = random() % last_beat.size();
    switch (random() % 8) {
    case 0: node.table.remove({"EXECUTOR", "pay", address(executor)}), last_beat[executor].reset(); break;
    case 1:
    case 2:
    case 3: node.table.beat(beat("pay", address(executor)), now), last_beat[executor] = now; break;
    case 4: on_store(node, [&] { node.read(now); }); break;
    case 5: on_store(node, [&] { node.write(true, now); }); break;
    case 6: on_store(node, [&] { node.write(false, now); }); break;
    default: node.table.sweep(now);
    }
  }
  // An executor that nobody hears of any more is gone ninety seconds later, one that beats is there.
  for (int round = 0; round < 10; ++round) {
    now += 20s;
    nodes[0].table.beat(beat("pay", address(0)), now);
    for (auto& node : nodes) {
      node.table.sweep(now);
      on_store(node, [&] { node.read(now); });
      on_store(node, [&] { node.write(true, now); });
    }
  }
  for (auto& node : nodes)
    CHECK(node.addresses(1) == names{address(0)});
  CHECK(nodes[0].stored_addresses() == names{address(0)});
  CHECK(store.groups[0].addresses == names{address(0)});
}
