#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "core/editing/group_find.hpp"

using namespace ringmaster;

namespace {

/// Returns the ids of the groups that are found.
std::string ids_found(const core::group_find& wanted) {
  std::vector<core::group_record> groups(3);
  const char* const texts[][2] = {{"pay-worker", "Zahlungen"}, {"mail-worker", "News"}, {"pay-batch", "Archive"}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].group.id = core::group_id{static_cast<std::int32_t>(i + 11)};
    groups[i].group.app_name = texts[i][0];
    groups[i].group.title = texts[i][1];
  }
  std::string out;
  for (const auto& each : core::find_groups(std::move(groups), wanted))
    out += (out.empty() ? "" : " ") + std::to_string(core::number(each.group.id));
  return out;
}

} // namespace

TEST_CASE("groups are found by a part of their texts or by their id", "[unit]") {
  CHECK(ids_found({}) == "11 12 13");
  CHECK(ids_found({"PAY"}) == "11 13");
  CHECK(ids_found({"news"}) == "12");
  CHECK(ids_found({"13"}) == "13");
  CHECK(ids_found({"1"}).empty());
  CHECK(ids_found({"%"}).empty());
}

TEST_CASE("groups are sorted in both directions", "[unit]") {
  using enum core::group_order;
  CHECK(ids_found({"", app_name}) == "12 13 11");
  CHECK(ids_found({"", app_name, true}) == "11 13 12");
  CHECK(ids_found({"", title}) == "13 12 11");
  CHECK(ids_found({"worker", id, true}) == "12 11");
}
