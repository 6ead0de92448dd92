#include "core/maintenance/log_purge.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::log_purge;

namespace {

constexpr auto cut_off = core::from_ms(1'700'000'000'000);

/// Runs steps until the purge ends; each row takes `per_row`. Returns the longest step.
std::chrono::microseconds run(log_purge& purge, std::chrono::microseconds per_row) {
  std::chrono::microseconds longest{0};
  while (auto step = purge.next()) {
    core::purge_outcome outcome;
    auto ids = std::min<std::int64_t>(static_cast<std::int64_t>(step->limit),
                                      core::number(step->range.through) - core::number(step->range.after));
    outcome.removed = static_cast<std::size_t>(ids);
    outcome.through = core::log_id{core::number(step->range.after) + ids};
    outcome.took = per_row * ids;
    longest = std::max(longest, outcome.took);
    CHECK(purge.stepped(outcome) >= std::max<std::chrono::microseconds>(outcome.took * 7, log_purge::pause_min));
  }
  return longest;
}

core::log_range range(std::int64_t after, std::int64_t through) { return {core::log_id{after}, core::log_id{through}}; }

} // namespace

TEST_CASE("the age limit is a local midnight", "[unit]") {
  const auto zone = *core::zone::find("Asia/Shanghai");
  CHECK(zone.format(core::purge_before(*zone.parse("2024-03-31 00:00:00"), zone, 30)) == "2024-03-01 00:00:00");
  CHECK(zone.format(core::purge_before(*zone.parse("2024-03-31 23:59:59"), zone, 30)) == "2024-03-01 00:00:00");
  const auto cairo = *core::zone::find("Africa/Cairo");
  // The midnight of that day was skipped.
  CHECK(cairo.format(core::purge_before(*cairo.parse("2026-04-27 10:00:00"), cairo, 3)) == "2026-04-24 01:00:00");
}

TEST_CASE("steps grow and shrink with the time per row", "[unit]") {
  log_purge purge;
  purge.begin(range(0, 100'000), cut_off, core::log_id{100'000});
  CHECK(run(purge, 50us) < 50ms);
  CHECK(purge.removed() == 100'000);
  CHECK_FALSE(purge.is_due(cut_off));
  CHECK(purge.is_due(cut_off + 24h));
  // The database became ten times slower: one step is enough to notice it.
  purge.begin(range(0, 130'000), cut_off + 24h, core::log_id{130'000});
  REQUIRE(purge.next());
  CHECK(purge.next()->range.after == core::log_id{100'000});
  purge.stepped({0, core::log_id{100'001}, 500ms});
  CHECK(run(purge, 500us) < 50ms);
}

TEST_CASE("a failed step is retried with fewer rows", "[unit]") {
  log_purge purge;
  purge.begin(range(0, 1'000), cut_off, core::log_id{1'000});
  auto first = *purge.next();
  purge.failed();
  CHECK(purge.next()->limit < first.limit);
  CHECK(purge.next()->range.after == core::log_id{0});
  for (int i = 0; i < 10; ++i)
    purge.failed();
  CHECK(purge.next()->limit == log_purge::limit_min);
}

TEST_CASE("an empty range is a finished purge", "[unit]") {
  log_purge purge;
  CHECK(purge.is_due(cut_off));
  purge.begin(range(7, 7), cut_off, core::log_id{7});
  CHECK_FALSE(purge.next());
  CHECK_FALSE(purge.is_due(cut_off));
  purge.reset();
  CHECK(purge.is_due(cut_off));
}

TEST_CASE("a purge begins where the last one had examined all rows, not where it ended", "[unit]") {
  log_purge purge;
  purge.begin(range(0, 10'000), cut_off, core::log_id{9'000});
  run(purge, 50us);
  CHECK(purge.low_water() == core::log_id{9'000});
  // The limit is unchanged: no row is examined twice in one purge.
  CHECK_FALSE(purge.is_due(cut_off));
  purge.begin(range(0, 20'000), cut_off + 24h, core::log_id{19'500});
  REQUIRE(purge.next());
  CHECK(purge.next()->range.after == core::log_id{9'000});
  run(purge, 50us);
  CHECK(purge.low_water() == core::log_id{19'500});
  // Never backwards, even after a change of the database's clock.
  purge.begin(range(0, 20'000), cut_off + 48h, core::log_id{3});
  CHECK(purge.next()->range.after == core::log_id{19'500});
}
