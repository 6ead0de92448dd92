#include "storage/rows/job_option_row.hpp"

#include <string>

#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("statements name the options in the order of their table", "[storage]") {
  std::string expected, marks;
  for (const auto& field : core::job_option_fields()) {
    expected.append(expected.empty() ? "" : ", ").append(field.name);
    marks.append(marks.empty() ? "?" : ", ?");
  }
  CHECK(expected == RINGMASTER_OPTION_NAMES);
  CHECK(marks == RINGMASTER_OPTION_MARKS);
}
