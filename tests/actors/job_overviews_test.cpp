// job_admin: the search over all kinds of objects, and the timeline of a job.

#include "tests/actors/job_admin_fixture.hpp"

using namespace ringmaster;
using test::job_administration;
using test::nightly;
using namespace std::chrono_literals;

namespace {

struct with_nightly : job_administration {
  with_nightly() {
    REQUIRE(apply(nightly()));
    const auto found = store.jobs().find({std::nullopt, "pay-worker", "settle"});
    REQUIRE(found);
    job = found->spec->id;
    group = found->spec->group;
  }
  [[nodiscard]] core::principal viewer() const {
    return {core::user_id{5}, "vera", false, {{group, core::group_right::viewer}}, "10.0.0.9"};
  }
  auto find(const std::string& text, const core::principal& by) {
    return ask<protocol::objects_found>(actor, protocol::object_query{{text}, by});
  }
  auto draw(const core::principal& by) {
    core::timeline_search search;
    search.job = job;
    search.from = civil() - 24h;
    search.until = civil() + 72h;
    return ask<protocol::timeline_found>(actor, protocol::timeline_query{search, by});
  }
  core::job_id job{};
  core::group_id group{};
};

const core::principal nobody_known{core::user_id{6}, "tim", false, {}, "10.0.0.9"};

} // namespace

TEST_CASE_METHOD(with_nightly, "a search reads on the worker for pages, and answers what the user may see", "[actors]") {
  const auto edited = *edits.tasks;
  const auto found = find("settle", viewer());
  REQUIRE(found);
  REQUIRE(found->objects.jobs.size() == 1);
  CHECK(found->objects.jobs[0].id == job);
  CHECK(found->objects.jobs[0].key == "settle");
  CHECK_FALSE(found->objects.truncated);
  const auto none = find("settle", nobody_known);
  REQUIRE(none);
  CHECK(none->objects.jobs.empty());
  CHECK(*edits.tasks == edited);
}

TEST_CASE_METHOD(with_nightly, "a timeline has the next instants of a job and the edit that made it", "[actors]") {
  const auto edited = *edits.tasks;
  const auto drawn = draw(viewer());
  REQUIRE(drawn);
  REQUIRE_FALSE(drawn->timeline.instants.empty());
  for (const auto& each : drawn->timeline.instants) {
    CHECK(each.outcome == core::instant_outcome::future);
    CHECK(each.at >= civil());
  }
  REQUIRE(drawn->timeline.edits.size() == 1);
  CHECK(drawn->timeline.edits[0].action == core::audit_action::apply);
  CHECK(drawn->timeline.runs.empty());
  CHECK(*edits.tasks == edited);
  const auto refused = draw(nobody_known);
  REQUIRE_FALSE(refused);
  CHECK(protocol::to_core(refused.error()).code == core::errc::forbidden);
}

TEST_CASE_METHOD(with_nightly, "a third search at once is refused, and none is counted after its end", "[actors]") {
  const auto search = [&] { return later<protocol::objects_found>(actor, protocol::object_query{{"settle"}, viewer()}); };
  const auto begun = {search(), search(), search()};
  run();
  std::size_t refused = 0;
  for (const auto& each : begun) {
    REQUIRE(*each);
    if (**each)
      continue;
    ++refused;
    const auto why = protocol::to_core((**each).error());
    CHECK(why.code == core::errc::unavailable);
    CHECK(why.subject == "search");
  }
  CHECK(refused == 1);
  CHECK(find("settle", viewer()));
}
