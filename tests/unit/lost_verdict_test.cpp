#include "core/run/lost_verdict.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

TEST_CASE("a run is old after ten minutes, or a minute after its timeout", "[unit]") {
  CHECK(lost_age(0s) == 10min);
  CHECK(lost_age(-5s) == 10min);
  CHECK(lost_age(9min) == 10min);
  CHECK(lost_age(10min) == 11min);
  CHECK(lost_age(std::chrono::seconds{2'147'483'647}) > 24h * 365 * 60);
}

TEST_CASE("an unreachable executor loses its old runs if it was registered and is not any more", "[unit]") {
  lost_evidence gone{.old = true, .once_registered = true};
  CHECK(judge(gone) == lost_verdict::lost);
  auto young = gone;
  young.old = false;
  CHECK(judge(young) == lost_verdict::leave);
  auto listed = gone;
  listed.listed = true;
  CHECK(judge(listed) == lost_verdict::leave);
  auto by_hand = gone;
  by_hand.once_registered = false;
  CHECK(judge(by_hand) == lost_verdict::leave);
}

TEST_CASE("an answer takes precedence over the registry", "[unit]") {
  lost_evidence busy{.old = true, .reached = true, .idle_code = 500, .once_registered = true};
  CHECK(judge(busy) == lost_verdict::leave);
}

TEST_CASE("an idle executor that started the run has time for a late callback", "[unit]") {
  lost_evidence idle{.reached = true, .idle_code = 200, .log = unknown_verdict::known, .listed = true};
  CHECK(judge(idle) == lost_verdict::idle);
  idle.idle_since = 89s;
  CHECK(judge(idle) == lost_verdict::idle);
  idle.idle_since = 90s;
  CHECK(judge(idle) == lost_verdict::lost);
  idle.idle_code = 500;
  CHECK(judge(idle) == lost_verdict::leave);
}

TEST_CASE("two denials of an executor are final, whatever the run's age", "[unit]") {
  lost_evidence denied{.reached = true, .idle_code = 200, .log = unknown_verdict::not_received, .listed = true,
                       .once_registered = true};
  CHECK(judge(denied) == lost_verdict::denied);
  denied.denied_since = 2s;
  CHECK(judge(denied) == lost_verdict::lost);
}

TEST_CASE("a denial at an address that was never registered counts only for an old run", "[unit]") {
  lost_evidence denied{.reached = true, .idle_code = 200, .log = unknown_verdict::not_received, .listed = true,
                       .denied_since = 2s};
  CHECK(judge(denied) == lost_verdict::leave);
  denied.denied_since.reset();
  CHECK(judge(denied) == lost_verdict::leave);
  denied.old = true;
  CHECK(judge(denied) == lost_verdict::denied);
  denied.denied_since = 2s;
  CHECK(judge(denied) == lost_verdict::lost);
}

TEST_CASE("answers that prove nothing change nothing", "[unit]") {
  lost_evidence constant{.old = true, .reached = true, .idle_code = 200, .log = unknown_verdict::cannot_tell,
                         .once_registered = true, .idle_since = 24h, .denied_since = 24h};
  CHECK(judge(constant) == lost_verdict::leave);
}
