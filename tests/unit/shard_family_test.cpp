#include "core/run/shard_family.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;

namespace {

core::log_row row(std::int64_t id, const std::string& sharding, std::int32_t job = 7) {
  core::log_row made;
  made.id = core::log_id{id};
  made.job = core::job_id{job};
  made.executor_sharding_param = sharding;
  return made;
}

std::vector<std::int64_t> ids(const std::vector<core::log_row>& rows) {
  std::vector<std::int64_t> found;
  for (const auto& each : rows)
    found.push_back(core::number(each.id));
  return found;
}

} // namespace

TEST_CASE("a shard text is an index below a total", "[shards]") {
  CHECK(core::read_shard_text("2/3")->index == 2);
  CHECK(core::read_shard_text("2/3")->total == 3);
  for (const auto* text : {"", "/", "3", "3/3", "-1/3", "1/", "/3", "1/3/5", "a/b", "99999999999/1", "0/0"})
    CHECK_FALSE(core::read_shard_text(text));
}

TEST_CASE("the shards of a broadcast are ordered by index", "[shards]") {
  CHECK(ids(core::shard_family(row(11, "1/3"), {row(12, "2/3"), row(11, "1/3"), row(10, "0/3")})) ==
        std::vector<std::int64_t>{10, 11, 12});
  // One row was cleared.
  CHECK(ids(core::shard_family(row(11, "1/3"), {row(12, "2/3")})) == std::vector<std::int64_t>{11, 12});
  CHECK(ids(core::shard_family(row(11, ""), {row(12, ""), row(11, "")})) == std::vector<std::int64_t>{11});
  CHECK(ids(core::shard_family(row(11, "0/2"), {row(12, "1/2", 8), row(13, "1/3")})) == std::vector<std::int64_t>{11});
}

TEST_CASE("two broadcasts of one instant are distinguished", "[shards]") {
  const std::vector<core::log_row> rows{row(10, "0/2"), row(11, "1/2"), row(12, "0/2"), row(13, "1/2")};
  CHECK(ids(core::shard_family(rows[0], rows)) == std::vector<std::int64_t>{10, 11});
  CHECK(ids(core::shard_family(rows[3], rows)) == std::vector<std::int64_t>{12, 13});
}
