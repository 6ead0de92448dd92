// Upcoming firings, page by page.

#include "core/forecast/upcoming.hpp"

#include <chrono>
#include <string>

#include "core/editing/edit_tag.hpp"
#include "core/zone/zone.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::job_id;

namespace {

const core::time_point noon = core::from_ms(1'767'268'800'000);

core::job_record every(std::int32_t id, std::string seconds, core::time_point next = noon) {
  core::job_record job;
  job.id = job_id{id};
  job.group = core::group_id{1};
  job.schedule_type = "FIX_RATE";
  job.schedule_conf = std::move(seconds);
  job.misfire = "DO_NOTHING";
  job.running = true;
  job.next = next;
  return job;
}

core::upcoming_page walk(const core::upcoming_search& search, const std::vector<core::job_record>& jobs, bool hurried = false) {
  core::upcoming made{search, 5s, core::zone{}};
  for (const auto& job : jobs)
    made.add(job);
  return std::move(made).page([hurried] { return !hurried; });
}

/// Returns `seconds after noon`:`job` for each firing.
std::string text_of(const core::upcoming_page& page) {
  std::string out;
  for (const auto& each : page.firings)
    out += std::to_string((each.at - noon) / 1s) + ":" + std::to_string(core::number(each.job)) + " ";
  return out;
}

/// Returns all pages, one after the other.
std::string all_pages(core::upcoming_search search, const std::vector<core::job_record>& jobs, bool hurried) {
  std::string out;
  for (int pages = 0; pages < 1000; ++pages) {
    const auto page = walk(search, jobs, hurried);
    CHECK(page.firings.size() <= search.limit);
    out += text_of(page);
    if (!page.next)
      return out;
    search.from = *page.next;
  }
  FAIL("a page came no further");
  return out;
}

} // namespace

TEST_CASE("firings are ordered by instant and job, up to the end exclusively", "[unit]") {
  const std::vector jobs{every(3, "20"), every(1, "10"), every(2, "30", noon + 30s)};
  const auto page = walk({{noon, {}, {}}, noon + 40s, 50}, jobs);
  CHECK(text_of(page) == "0:1 0:3 10:1 20:1 20:3 30:1 30:2 ");
  CHECK_FALSE(page.next);
  CHECK_FALSE(page.truncated);
}

TEST_CASE("pages of any size, and of no time, add up to one page", "[unit]") {
  const std::vector on_time{every(3, "20"), every(1, "10"), every(2, "30"), every(9, "10"), every(4, "7", noon + 1s)};
  auto jobs = on_time;
  core::upcoming_search whole{{noon, {}, {}}, noon + 5min, 500};
  SECTION("from some instant on") {}
  SECTION("from the present on, with jobs that are late or missed some") {
    whole.from.present = noon;
    jobs.push_back(every(5, "60", noon - 2s));
    jobs.push_back(every(6, "60", noon - 2s));
    jobs.push_back(every(7, "60", noon - 1h - 30s));
    jobs.push_back(every(8, "60", noon - 1h - 30s));
    jobs.back().misfire = "FIRE_ONCE_NOW";
  }
  const auto wanted = text_of(walk(whole, jobs));
  auto pages = whole;
  pages.limit = GENERATE(1u, 2u, 3u, 7u, 500u);
  CHECK(all_pages(pages, jobs, GENERATE(true, false)) == wanted);
}

TEST_CASE("a page without time is truncated and says where to continue", "[unit]") {
  const auto page = walk({{noon, {}, {}}, noon + 1h, 50}, {every(1, "10")}, true);
  CHECK(page.truncated);
  REQUIRE(page.next);
  CHECK(page.next->at > noon);
}

TEST_CASE("only running, plannable jobs count, and an overdue job fires by its policy", "[unit]") {
  auto stopped = every(1, "10");
  stopped.running = false;
  auto odd = every(2, "10");
  odd.schedule_conf = "x";
  auto missed = every(3, "60", noon - 1h);
  auto late = every(4, "60", noon - 2s);
  auto made_up = every(5, "60", noon - 1h);
  made_up.misfire = "FIRE_ONCE_NOW";
  const auto page = walk({{noon, {}, noon}, noon + 30s, 50}, {stopped, odd, missed, late, made_up});
  CHECK(text_of(page) == "0:4 0:5 ");
  CHECK(page.bad == std::vector{job_id{2}});
  CHECK(walk({{noon, {}, noon}, noon + 30s, 50}, {}).firings.empty());
}

TEST_CASE("a span that begins later is reached directly", "[unit]") {
  const auto from = noon + 24h * 30;
  auto daily = every(1, "");
  daily.schedule_type = "CRON";
  daily.schedule_conf = "0 0 1 * * ?";
  const auto page = walk({{from, {}, {}}, from + 24h, 50}, {daily, every(2, "1")});
  CHECK(page.firings.size() == 50);
  CHECK(page.firings.front().at == from);
}

TEST_CASE("a job's tag changes with each field that users write, and with no other", "[unit]") {
  const auto job = every(1, "10");
  const auto tag = core::edit_tag(job);
  CHECK(tag.size() == 32);
  auto same = job;
  same.running = false;
  same.next = noon + 1h;
  same.last = noon;
  same.revision = 99;
  same.updated = noon;
  CHECK(core::edit_tag(same) == tag);
  const auto differs = [&](auto change) {
    auto other = job;
    change(other);
    CHECK(core::edit_tag(other) != tag);
  };
  differs([](auto& j) { j.group = core::group_id{2}; });
  differs([](auto& j) { j.name = "x"; });
  differs([](auto& j) { j.author = "x"; });
  differs([](auto& j) { j.alarm_email = "x"; });
  differs([](auto& j) { j.schedule_conf = "11"; });
  differs([](auto& j) { j.timing.jitter_ms = 0; });
  differs([](auto& j) { j.timing.start_at = noon; });
  differs([](auto& j) { j.timing.end_at = noon; });
  differs([](auto& j) { j.timing.interval_ms = 10; });
  differs([](auto& j) { j.timing.time_zone = "UTC"; });
  differs([](auto& j) { j.timeout_s = 1; });
  differs([](auto& j) { j.retry_count = 1; });
  differs([](auto& j) { j.children = "1"; });
  differs([](auto& j) { j.glue_source = "echo"; });
  differs([](auto& j) { j.on_unknown = core::unknown_policy::skip; });
}

TEST_CASE("the tag of a group and of a user changes with each field that users write", "[unit]") {
  const core::group_record group{{core::group_id{1}, "pay", "Pay", core::address_type::manual, {"http://a:1", "http://b:1"}}, {}};
  const auto differs = [](const auto& row, auto change) {
    auto other = row;
    change(other);
    return core::edit_tag(other) != core::edit_tag(row);
  };
  CHECK(differs(group, [](auto& g) { g.group.app_name = "mail"; }));
  CHECK(differs(group, [](auto& g) { g.group.title = "pay"; }));
  CHECK(differs(group, [](auto& g) { g.group.type = core::address_type::automatic; }));
  CHECK(differs(group, [](auto& g) { g.group.addresses = {"http://b:1", "http://a:1"}; }));
  CHECK(differs(group, [](auto& g) { g.group.addresses = {"http://a:1http://b:1"}; }));
  CHECK_FALSE(differs(group, [](auto& g) { g.updated = noon; }));
  auto automatic = group;
  automatic.group.type = core::address_type::automatic;
  CHECK_FALSE(differs(automatic, [](auto& g) { g.group.addresses.clear(); })); // the executors decide about them

  const core::user_card user{core::user_id{4}, "edda", false, {{core::group_id{1}, core::group_right::editor}}};
  CHECK(differs(user, [](auto& u) { u.name = "Edda"; }));
  CHECK(differs(user, [](auto& u) { u.admin = true; }));
  CHECK(differs(user, [](auto& u) { u.rights.clear(); }));
  CHECK(differs(user, [](auto& u) { u.rights[0].first = core::group_id{2}; }));
  CHECK(differs(user, [](auto& u) { u.rights[0].second = core::group_right::viewer; }));
  CHECK(differs(user, [](auto& u) { u.rights.emplace_back(core::group_id{2}, core::group_right::viewer); }));
}

TEST_CASE("upcoming firings of the jobs that are due first end where others may fire", "[unit]") {
  const auto first_of = [](const std::vector<core::job_record>& jobs, std::size_t read, std::size_t limit) {
    const core::upcoming_search search{{noon, {}, noon}, noon + 60s, limit};
    REQUIRE(core::upcoming::needs_first_jobs_only(search));
    core::upcoming made{search, 5s, core::zone{}};
    for (std::size_t at = 0; at < read; ++at)
      made.add(jobs[at]);
    if (read < jobs.size())
      made.end_after(jobs[read - 1]);
    return std::move(made).page([] { return true; });
  };
  // Job 1 fires again before job 4, whose firing is not known.
  const std::vector jobs{every(1, "2", noon + 1s), every(2, "20", noon + 3s), every(3, "20", noon + 4s),
                         every(4, "20", noon + 4s)};
  const auto all = first_of(jobs, 4, 4);
  CHECK(text_of(all) == "1:1 3:1 3:2 4:3 ");
  CHECK_FALSE(all.truncated);
  const auto some = first_of(jobs, 3, 10);
  CHECK(text_of(some) == "1:1 3:1 3:2 4:3 ");
  CHECK(some.truncated);
  CHECK(some.next == core::upcoming_place{noon + 4s, core::job_id{3}, noon});
  const auto full = first_of(jobs, 3, 2);
  CHECK(text_of(full) == "1:1 3:1 ");
  CHECK_FALSE(full.truncated);
  CHECK(full.next == core::upcoming_place{noon + 3s, core::job_id{1}, noon});
  // Jobs that were not read are due after the span.
  const std::vector late{every(1, "40", noon + 1s), every(2, "40", noon + 70s), every(3, "40", noon + 80s)};
  const auto rest = first_of(late, 2, 10);
  CHECK(text_of(rest) == "1:1 41:1 ");
  CHECK_FALSE(rest.next);
  CHECK_FALSE(rest.truncated);
  // Overdue jobs fire at the present, also those that were not read.
  const core::upcoming made{{{noon, {}, noon}, noon + 60s, 10}, 5s, core::zone{}};
  CHECK_FALSE(made.can_end_after(every(1, "40", noon - 2s)));
  CHECK_FALSE(made.can_end_after(every(1, "40", noon)));
  CHECK(made.can_end_after(every(1, "40", noon + 1ms)));
  CHECK_FALSE(core::upcoming::needs_first_jobs_only({{noon, {}, noon}, noon + 60s, core::first_firings_max + 1}));
  CHECK_FALSE(core::upcoming::needs_first_jobs_only({{noon + 1s, {}, noon}, noon + 60s, 10}));
}
