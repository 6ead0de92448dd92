#include "core/editing/declared.hpp"

#include <functional>
#include <set>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

declared_job settle() {
  declared_job job;
  job.group = "pay-worker";
  job.key = "settle";
  job.name = "Settle the day";
  job.schedule = schedule_type::cron;
  job.schedule_conf = "0 0 1 * * ?";
  job.handler = "settle";
  return job;
}

} // namespace

TEST_CASE("declared: the hash of a job is stable and ignores its place", "[core]") {
  auto job = settle();
  const auto hash = content_hash(job);
  // Stored in databases: another value would undo every manual stop at the next deployment.
  CHECK(hash == "6ec14cd6204d3f1f8341f76bbab75360");
  job.where = "jobs.d/pay.toml:7";
  CHECK(content_hash(job) == hash);
}

TEST_CASE("declared: every field of a job changes its hash", "[core]") {
  const std::vector<std::function<void(declared_job&)>> edits{
      [](auto& j) { j.group = "x"; },         [](auto& j) { j.key = "x"; },
      [](auto& j) { j.name = "x"; },          [](auto& j) { j.author = "x"; },
      [](auto& j) { j.alarm_email = "x"; },   [](auto& j) { j.schedule = schedule_type::none; },
      [](auto& j) { j.schedule_conf = "x"; }, [](auto& j) { j.misfire = misfire_policy::fire_once_now; },
      [](auto& j) { j.route = route_strategy::round; }, [](auto& j) { j.block = block_strategy::cover_early; },
      [](auto& j) { j.on_unknown = unknown_policy::skip; }, [](auto& j) { j.timeout_s = 1; },
      [](auto& j) { j.keep_logs = true; },   [](auto& j) { j.alarm_on = {true, false}; },
      [](auto& j) { j.description = "x"; },
      [](auto& j) { j.retry_count = 1; },     [](auto& j) { j.handler = "x"; },
      [](auto& j) { j.params = "x"; },        [](auto& j) { j.glue_type = "x"; },
      [](auto& j) { j.enabled = false; },     [](auto& j) { j.children = {{"", "x"}}; },
      [](auto& j) { j.children = {{"x", ""}}; }, [](auto& j) { j.children = {{"", "x"}, {"", "y"}}; },
      // Equal letters on either side of a field's end.
      [](auto& j) { j.group = "pay-workers"; j.key = "ettle"; },
  };
  std::set<std::string> seen{content_hash(settle())};
  for (const auto& edit : edits) {
    auto job = settle();
    edit(job);
    CHECK(seen.insert(content_hash(job)).second);
    CHECK(content_hash(job).size() == 32);
  }
}
