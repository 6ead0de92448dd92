#include "actors/executor/callbacks/report_flight.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using actors::report_flight;
using step = report_flight::step;

namespace {

std::vector<core::run_report> reports_of(std::int64_t count) {
  std::vector<core::run_report> out;
  for (std::int64_t run = 1; run <= count; ++run)
    out.push_back({core::log_id{run}, {}, 200, {}});
  return out;
}

std::set<std::int64_t> runs_in(const std::vector<core::run_report>& reports) {
  std::set<std::int64_t> out;
  for (const auto& report : reports)
    out.insert(core::number(report.run));
  return out;
}

/// Admin that refuses each request with one of `bad` in it.
struct picky_admin {
  std::set<std::int64_t> bad;
  std::size_t requests = 0;
  std::set<std::int64_t> taken = {};

  step take_all(report_flight& from) {
    for (auto next = step::go_on;;) {
      const auto runs = runs_in(*from.next());
      ++requests;
      if (std::none_of(runs.begin(), runs.end(), [&](auto run) { return bad.contains(run); })) {
        taken.insert(runs.begin(), runs.end());
        next = from.accepted();
      } else {
        next = from.refused();
      }
      if (next != step::go_on)
        return next;
    }
  }
};

} // namespace

TEST_CASE("report flight: accepted results are reported in full requests", "[actors][executor]") {
  report_flight flight{reports_of(120), 0};
  picky_admin admin{{}};
  CHECK(admin.take_all(flight) == step::done);
  CHECK(admin.requests == 3);
  CHECK(admin.taken.size() == 120);
  CHECK(flight.untold().empty());
  CHECK(flight.size() == 0);
}

TEST_CASE("report flight: an individually refused result is found at any position", "[actors][executor]") {
  for (std::int64_t bad = 1; bad <= 50; ++bad) {
    CAPTURE(bad);
    report_flight flight{reports_of(50), 0};
    picky_admin admin{{bad}};
    CHECK(admin.take_all(flight) == step::done);
    CHECK(runs_in(flight.aside()) == std::set{bad});
    CHECK(admin.taken.size() == 49);
    CHECK(admin.requests <= 9);
    CHECK_FALSE(flight.was_told(core::log_id{bad}));
    CHECK(flight.was_told(core::log_id{bad % 50 + 1}));
  }
}

TEST_CASE("report flight: an admin that accepts nothing is left after a few requests, and nothing is lost",
          "[actors][executor]") {
  report_flight flight{reports_of(50), 0};
  picky_admin admin{runs_in(reports_of(50))};
  CHECK(admin.take_all(flight) == step::give_up);
  CHECK(admin.requests <= 8);
  CHECK(flight.untold().size() == 50);
  report_flight later{flight.untold(), flight.refused_in_row()};
  picky_admin still{admin.bad};
  CHECK(still.take_all(later) == step::give_up);
  CHECK(still.requests <= 7);
}

TEST_CASE("report flight: a single refused result is set aside, a second one after it means that the admin refuses",
          "[actors][executor]") {
  picky_admin admin{{1}};
  report_flight first{reports_of(1), 0};
  CHECK(admin.take_all(first) == step::done);
  CHECK(first.aside().size() == 1);
  report_flight second{reports_of(1), first.refused_in_row()};
  CHECK(admin.take_all(second) == step::give_up);
  report_flight third{reports_of(1), 0};
  admin.bad.clear();
  CHECK(admin.take_all(third) == step::done);
  CHECK(third.refused_in_row() == 0);
}

TEST_CASE("report flight: any individually refused results end alone, all others are reported", "[actors][executor]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<std::int64_t>(random() % 100 + 1);
    picky_admin admin{{}};
    for (auto bad = random() % 20; bad > 0; --bad)
      admin.bad.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)) + 1);
    unsigned refused = 0;
    std::set<std::int64_t> aside;
    for (std::int64_t attempt = 0; attempt < count && aside.empty(); ++attempt) {
      auto reports = reports_of(count);
      std::rotate(reports.begin(), reports.begin() + attempt % count, reports.end());
      report_flight flight{std::move(reports), refused};
      if (admin.take_all(flight) == step::done)
        aside = runs_in(flight.aside());
      CHECK(flight.untold().size() + admin.taken.size() == static_cast<std::size_t>(count));
      if (admin.bad.empty())
        break;
      refused = flight.refused_in_row();
    }
    CAPTURE(count, admin.bad.size());
    CHECK((aside == admin.bad || admin.bad.size() == static_cast<std::size_t>(count)));
    CHECK(admin.taken.size() + admin.bad.size() == static_cast<std::size_t>(count));
  }
}
