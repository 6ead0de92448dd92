#include "core/cluster/kept_marks.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using core::id_verdict;
using core::kept_marks;
using core::log_id;

TEST_CASE("marks are read back as written", "[unit]") {
  const kept_marks marks{log_id{17}, log_id{1017}, 4};
  CHECK(core::to_text(marks) == "ringmaster-marks 1 17 1017 4\n");
  CHECK(core::parse_marks(core::to_text(marks)) == marks);
  const core::set_back back{core::from_ms(1'767'225'600'000), log_id{12}, log_id{1017}};
  CHECK(core::to_text(back) == "ringmaster-set-back 1 1767225600000 12 1017\n");
  CHECK(core::parse_set_back(core::to_text(back)) == back);
}

TEST_CASE("a text that is not a mark is refused", "[unit]") {
  for (const auto* text : {"", "ringmaster-marks 1", "ringmaster-marks 1 17 1017 4", "ringmaster-marks 1 17 1017\n",
                           "ringmaster-marks 2 17 1017 4\n", "ringmaster-marks 1 17 16 4\n", "ringmaster-marks 1 -1 16 4\n",
                           "ringmaster-marks 1 17 1017 4\nx", "ringmaster-marks 1 99999999999999999999 1 1\n"})
    CHECK_FALSE(core::parse_marks(text));
  for (const auto* text : {"", "ringmaster-set-back 1", "ringmaster-set-back 1 1767225600000 2\n",
                           "ringmaster-set-back 1 1767225600000 2 3", "ringmaster-set-back 1 0 2 3\n",
                           "ringmaster-set-back 2 1767225600000 2 3\n", "ringmaster-set-back 1 1767225600000 2 3\nx",
                           "ringmaster-set-back 1 1767225600000 -2 3\n", "ringmaster-marks 1 17 1017 4\n"})
    CHECK_FALSE(core::parse_set_back(text));
}

TEST_CASE("the ceiling stays ahead of the seen ids according to the load, within bounds", "[unit]") {
  kept_marks marks = core::marks_ahead({}, log_id{5'000'000});
  CHECK(marks == kept_marks{log_id{5'000'000}, log_id{5'001'000}, 0});
  marks = core::marks_ahead(marks, log_id{5'000'500});
  CHECK(marks.ceiling == log_id{5'001'500});
  marks = core::marks_ahead(marks, log_id{5'100'500});
  CHECK(marks.ceiling == log_id{5'300'500});
  marks = core::marks_ahead(marks, log_id{15'100'500});
  CHECK(marks.ceiling == log_id{16'100'500});
  CHECK(core::marks_ahead(marks, log_id{7}) == marks);
  CHECK(core::marks_at_end(marks, log_id{15'100'600}) == kept_marks{log_id{15'100'600}, log_id{15'100'600}, 0});
}

TEST_CASE("the next id of a database shows whether the database is older than it was", "[unit]") {
  const kept_marks marks{log_id{100}, log_id{1100}, 1};
  CHECK(core::judge_next_id(marks, log_id{1101}) == id_verdict::fine);
  CHECK(core::judge_next_id(marks, log_id{1100}) == id_verdict::unsure);
  CHECK(core::judge_next_id(marks, log_id{101}) == id_verdict::unsure);
  CHECK(core::judge_next_id(marks, log_id{100}) == id_verdict::older);
  CHECK(core::judge_next_id({}, log_id{1}) == id_verdict::fine);
}
