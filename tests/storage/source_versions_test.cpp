// Versions of scripts: their list, one of them, and edits of a source that another user has changed.

#include "core/editing/edit_tag.hpp"
#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::errc;
using core::refusal;

namespace {

using fixture = editing<deploy_fixture>;

const core::principal& us = core::local_operator();

} // namespace

TEST_CASE("versions of a source are listed without their texts, and read one by one", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  const auto other = f.add(f.script());
  require(f.editor().save_source(job, "echo \xc3\xa4", "second one", {}, us, noon + 5s));
  const auto bare = require(f.editor().source_history({job, {}, false}, us));
  REQUIRE(bare.versions.size() == 2);
  CHECK(bare.tag == core::source_tag(f.record(job)));
  for (const auto& version : bare.versions)
    CHECK(version.source.empty());
  CHECK(bare.versions[0].bytes == 7);
  CHECK(bare.versions[0].remark == "second one");
  CHECK(bare.versions[0].added == noon + 5s);
  const auto first = require(f.editor().source_history({job, bare.versions[1].id}, us));
  REQUIRE(first.versions.size() == 1);
  CHECK(first.versions[0].source == "echo 1\n");
  CHECK(first.tag == bare.tag);
  // A version of another job is none of this one.
  const auto foreign = require(f.editor().source_history({other}, us)).versions.at(0).id;
  CHECK(error_of(f.editor().source_history({job, foreign}, us)) == errc::not_found);
  CHECK(error_of(f.editor().source_history({job, bare.versions[0].id, false}, f.user(f.mail))) == errc::forbidden);
}

TEST_CASE("a source is stored only over the source that its editor has seen", "[storage][editor]") {
  fixture f{GENERATE(from_range(backends_under_test()))};
  const auto job = f.add(f.script());
  const auto save = [&](std::string_view source, std::optional<std::string_view> seen, std::string_view remark = "a remark") {
    return f.editor().save_source(job, source, remark, seen, us, noon + 5s);
  };
  const auto first = require(f.editor().source_history({job}, us)).tag;
  const auto second = require(save("echo 2", first)).source_tag;
  CHECK(second == require(f.editor().source_history({job}, us)).tag);
  CHECK(second != first);
  const auto rows = f.rows("rm_audit");
  const auto late = save("echo 3", first);
  REQUIRE_FALSE(late);
  CHECK(core::is_edited_meanwhile(late.error()));
  CHECK(error_of(save("echo 3", "")) == errc::conflict);
  CHECK(f.record(job).glue_source == "echo 2");
  CHECK(f.rows("xxl_job_logglue") == "2");
  CHECK(f.rows("rm_audit") == rows);
  // Errors of the draft come first.
  CHECK(why(save(" ", first)) == refusal::source_empty);
  CHECK(why(save("echo 3", first, "abc")) == refusal::remark_length);
  // Edits of the job itself, starts and stops leave the source as it was seen; a save by any program does not.
  auto other = f.draft();
  other.name = "Settle all";
  f.update(job, other);
  require(f.store->jobs().start(job, noon));
  const auto third = require(save("echo 3", second)).source_tag;
  f.db->exec("UPDATE xxl_job_info SET glue_source = 'echo java' WHERE id = " + text_of(job));
  CHECK(error_of(save("echo 4", third)) == errc::conflict);
  require(save("echo 4", {}));
  CHECK(f.record(job).glue_source == "echo 4");
}
