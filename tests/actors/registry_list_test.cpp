// The executors that users see: their states, and those that have gone.

#include "tests/actors/registry_table_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using namespace ringmaster::test::registry_tables;

namespace {

using core::executor_state;

const core::principal everything = core::local_operator();

/// Returns `group address state`, one for each executor.
std::string listed(const registry& here, const core::executor_search& search = {}, const core::principal& by = everything) {
  std::string out;
  for (const auto& each : here.table.executors(search, by).rows)
    out += (out.empty() ? "" : ", ") + std::to_string(core::number(each.group)) + ' ' + each.address + ' ' +
           std::string{core::shown_name(each.state)};
  return out;
}

core::executor_totals totals(const registry& here, const core::principal& by) {
  return here.table.totals(here.table.counts(by), by);
}

} // namespace

TEST_CASE("an executor is online, then late, then gone, and online again", "[actors][registry]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  CHECK(listed(here) == "1 http://a/ online");
  here.pass(t0, t0 + 60s);
  CHECK(listed(here) == "1 http://a/ online");
  here.pass(t0 + 60s, t0 + 61s);
  CHECK(listed(here) == "1 http://a/ late");
  here.pass(t0 + 61s, t0 + 91s);
  CHECK(listed(here) == "1 http://a/ gone");
  const auto gone = here.table.executors({}, everything).rows.at(0);
  CHECK(gone.last_beat == t0);
  CHECK(gone.family == core::executor_family::xxl);
  here.beat(beat("pay", "http://a/", true), t0 + 95s);
  CHECK(listed(here) == "1 http://a/ online");
  CHECK(here.table.executors({}, everything).rows.at(0).family == core::executor_family::xxl_3_5);
}

TEST_CASE("an executor that said goodbye is remembered for an hour", "[actors][registry]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://a/"});
  CHECK(listed(here) == "1 http://a/ gone");
  // A third of 90 s counts of each pause.
  for (auto t = t0 + 30s; t <= t0 + 1h; t += 30s)
    here.sweep(t);
  CHECK(listed(here) == "1 http://a/ gone");
  here.sweep(t0 + 1h + 30s);
  CHECK(listed(here).empty());
}

TEST_CASE("those that have gone are remembered up to a limit", "[actors][registry]") {
  registry here;
  here.read(t0);
  for (std::size_t i = 0; i < registry_table::departed_max + 10; ++i) {
    const auto address = "http://10.0.0.1:" + std::to_string(10'000 + i) + "/";
    here.beat(beat("pay", address), t0);
    here.table.remove({"EXECUTOR", "pay", address});
  }
  core::executor_search search;
  search.window.limit = 3;
  const auto page = here.table.executors(search, everything);
  CHECK(page.total == static_cast<std::int64_t>(registry_table::departed_max));
  CHECK(page.rows.size() == 3);
}

TEST_CASE("executors whose heartbeats reach other nodes are listed, too", "[actors][registry]") {
  registry here;
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://dead/", t0 - 10min)};
  here.read(t0);
  CHECK(listed(here) == "1 http://a/ online, 1 http://dead/ gone");
  const auto known = here.table.executors({}, everything).rows;
  CHECK(known.at(0).last_beat == t0);
  CHECK(known.at(0).family == core::executor_family::unknown);
  CHECK(known.at(1).last_beat == t0 - 10min);
}

TEST_CASE("native links are marked", "[actors][registry]") {
  registry here;
  here.read(t0);
  auto over_link = beat("pay", "http://a/");
  over_link.link = true;
  here.beat(over_link, t0);
  here.beat(beat("pay", "http://b/"), t0);
  const auto known = here.table.executors({}, everything).rows;
  CHECK(known.at(0).link);
  CHECK(known.at(0).family == core::executor_family::native);
  CHECK_FALSE(known.at(1).link);
}

TEST_CASE("entered addresses are listed without a heartbeat, registered ones with it", "[actors][registry]") {
  registry here;
  here.stored.groups = {manual_group(3, "mail", {"http://z/", "http://m/"}), group(1, "pay")};
  here.read(t0);
  here.beat(beat("mail", "http://m/"), t0);
  here.beat(beat("mail", "http://other/"), t0);
  here.beat(beat("pay", "http://a/"), t0);
  CHECK(listed(here) == "1 http://a/ online, 3 http://z/ entered, 3 http://m/ online");
  here.table.remove({"EXECUTOR", "mail", "http://m/"});
  CHECK(listed(here) == "1 http://a/ online, 3 http://z/ entered, 3 http://m/ gone");
}

TEST_CASE("executors are filtered by group, state and permission, and cut into pages", "[actors][registry]") {
  registry here;
  here.stored.groups = {group(1, "pay"), group(2, "mail")};
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.beat(beat("pay", "http://b/"), t0);
  here.beat(beat("mail", "http://c/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://b/"});
  CHECK(listed(here, {core::group_id{2}}) == "2 http://c/ online");
  CHECK(listed(here, {{}, executor_state::gone}) == "1 http://b/ gone");
  CHECK(listed(here, {{}, {}, {1, 1}}) == "1 http://b/ gone");
  CHECK(here.table.executors({{}, {}, {1, 1}}, everything).total == 3);
  const core::principal viewer{core::user_id{5}, "tom", false, {{core::group_id{2}, core::group_right::viewer}}, ""};
  CHECK(listed(here, {}, viewer) == "2 http://c/ online");
  CHECK(listed(here, {core::group_id{1}}, viewer).empty());
}

TEST_CASE("executors are counted by group", "[actors][registry]") {
  registry here;
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.beat(beat("pay", "http://b/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://b/"});
  const auto counts = here.table.counts(everything);
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].group == core::group_id{1});
  CHECK(counts[0].online == 1);
  CHECK(counts[0].known == 2);
  core::principal stranger;
  stranger.user = core::user_id{7};
  CHECK(here.table.counts(stranger).empty());
}

TEST_CASE("counts and lists of executors agree", "[actors][registry]") {
  registry here;
  here.stored.groups = {manual_group(3, "mail", {"http://z/", "http://m/"}), group(1, "pay")};
  here.stored.registrations = {row("pay", "http://a/", t0), row("pay", "http://dead/", t0 - 10min)};
  here.read(t0);
  here.beat(beat("mail", "http://m/"), t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.beat(beat("pay", "http://b/"), t0);
  here.table.remove({"EXECUTOR", "pay", "http://b/"});
  here.pass(t0, t0 + 61s); // late
  here.beat(beat("pay", "http://c/"), t0 + 61s);
  CHECK(listed(here) == "1 http://a/ online, 1 http://c/ online, 1 http://b/ gone, 1 http://dead/ gone, 3 http://z/ entered, "
                        "3 http://m/ late");
  const auto counts = here.table.counts(everything);
  REQUIRE(counts.size() == 2);
  CHECK((counts[0].group == core::group_id{1} && counts[0].online == 2 && counts[0].known == 4));
  CHECK((counts[0].late == 0 && counts[0].gone == 2));
  CHECK((counts[1].group == core::group_id{3} && counts[1].online == 0 && counts[1].known == 2));
  CHECK((counts[1].late == 1 && counts[1].gone == 0));
  CHECK(totals(here, everything).online == 2);
}

TEST_CASE("an executor whose app name has no group is counted apart until there is one", "[actors][registry]") {
  registry here;
  here.stored.groups = {group(1, "pay")};
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.beat(beat("stock", "http://b/"), t0);
  here.beat({"OTHER", "stock", "http://c/"}, t0);
  CHECK(totals(here, everything).online == 1);
  CHECK(totals(here, everything).without_group == 1);
  const auto apart = here.table.without_group({0, 10}).rows;
  REQUIRE(apart.size() == 1);
  CHECK((apart[0].app_name == "stock" && apart[0].address == "http://b/" && apart[0].last_beat == t0));
  CHECK(here.table.without_group({0, 0}).rows.empty());
  const core::principal viewer{core::user_id{5}, "tom", false, {{core::group_id{1}, core::group_right::viewer}}, ""};
  CHECK(totals(here, viewer).online == 1);
  CHECK(totals(here, viewer).without_group == 0);
  here.stored.groups.push_back(group(2, "stock"));
  here.read(t0 + 5s);
  CHECK(totals(here, everything).online == 2);
  CHECK(totals(here, everything).without_group == 0);
}

TEST_CASE("an executor of two groups with one app name counts in both, and late ones do not", "[actors][registry]") {
  registry here;
  here.stored.groups = {group(1, "pay"), group(2, "pay")};
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  CHECK(here.table.counts(everything).size() == 2);
  CHECK(totals(here, everything).online == here.table.executors({{}, executor_state::online}, everything).total);
  CHECK(totals(here, everything).online == 2);
  here.pass(t0, t0 + 61s);
  CHECK(totals(here, everything).online == 0);
}

TEST_CASE("executors are found by a part of their address, app name or title", "[actors][registry]") {
  registry here;
  here.stored.groups = {group(1, "pay"), group(2, "mail")};
  here.stored.groups[1].title = "Letters";
  here.read(t0);
  here.beat(beat("pay", "http://a/"), t0);
  here.beat(beat("mail", "http://b/"), t0);
  const auto found = [&here](std::string part) { return listed(here, {{}, {}, {}, std::move(part)}); };
  CHECK(found("TP://A") == "1 http://a/ online");
  CHECK(found("Pay") == "1 http://a/ online");
  CHECK(found("letter") == "2 http://b/ online");
  CHECK(found("http") == "1 http://a/ online, 2 http://b/ online");
  CHECK(found("nothing").empty());
}
