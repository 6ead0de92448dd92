#include "core/run/child_report.hpp"

#include "core/run/trigger_text.hpp"
#include "core/text/plain_text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("the children in a parent's result are read in all languages and forms", "[unit]") {
  const auto written = GENERATE(core::language::en, core::language::zh_cn, core::language::zh_tc);
  const auto tail = GENERATE(core::trigger_tail::answer, core::trigger_tail::remark);
  const std::vector<core::child_start> children{{"7", true}, {"x", false}};
  const auto plain = core::plain_text("two files" + core::child_text(children, written, tail));
  const auto report = core::read_children(plain);
  CHECK(report.words == "two files");
  CHECK(report.children == std::vector<core::reported_child>{{"7", true}, {"x", false}});
}

TEST_CASE("a result without children is unchanged", "[unit]") {
  for (const auto* text : {"", "done", "1/1 [Job ID=7], Trigger success", ">>>>>>>>>>>\nx"}) {
    const auto report = core::read_children(text);
    CHECK(report.words == text);
    CHECK(report.children.empty());
  }
  CHECK(core::read_children(">>>>>>>>>>>Trigger child job<<<<<<<<<<< ").words.empty());
}
