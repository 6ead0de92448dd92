// Rules about edits of jobs.

#include "core/rules/job_draft_rules.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("an answer contains its first row, regardless of its length", "[unit]") {
  core::page_budget budget;
  CHECK(budget.takes(core::page_text_bytes + 1));
  CHECK_FALSE(budget.takes(0));
  core::page_budget exact;
  CHECK(exact.takes(core::page_text_bytes - 1));
  CHECK(exact.takes(1));
  CHECK_FALSE(exact.takes(1));
}
