// Elastic jobs that users enter: secrets in their properties.

#include "actors/console/elastic_drafts.hpp"

#include "core/elastic/props.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_database.hpp"

using namespace ringmaster;
namespace elastic = core::elastic;

namespace {

constexpr std::string_view mail_props = R"({"custom.key":"k1","email.password":"geheim","email.to":"a@b.example"})";

/// Edits over a real store with one group.
struct elastic_drafting {
  elastic_drafting() {
    core::declared_set set;
    set.source = "test";
    set.groups = {{"shards", "Shards", std::nullopt}};
    core::declared_elastic_job other;
    other.group = "shards";
    other.what.name = "other";
    other.what.handler = "sum";
    other.what.total = 1;
    other.what.options.schedule = core::schedule_type::none;
    set.elastic_jobs = {other};
    test::expect(store->deploys().apply(set, false, false, core::from_ms(1000)));
    group = test::expect(store->elastic().jobs_after({}, 1)).at(0).what.group;
    // The text shows which values a writer of files gets.
    files.declare_elastic = [](storage::store&, const elastic::elastic_job_row& job, core::time_point) {
      return core::result<std::string>{job.what.props};
    };
  }

  [[nodiscard]] elastic::elastic_draft draft(std::string name, std::optional<elastic::entered_props> props) const {
    elastic::elastic_draft out;
    out.what.group = group;
    out.what.name = std::move(name);
    out.what.handler = "sum";
    out.what.total = 2;
    out.what.options.schedule = core::schedule_type::none;
    out.what.options.error_handler = "EMAIL";
    out.props = std::move(props);
    return out;
  }
  [[nodiscard]] core::principal editor() const {
    core::principal out{core::user_id{5}, "tom"};
    out.rights = {{group, core::group_right::editor}};
    return out;
  }
  core::result<elastic::elastic_edit_done> add(const elastic::elastic_draft& what) {
    return actors::add_elastic_job(*store, {what, true, editor()}, files, core::from_ms(2000));
  }
  core::result<elastic::elastic_edit_done> change(elastic::elastic_job_id job, const elastic::elastic_draft& what) {
    return actors::update_elastic_job(*store, {job, std::nullopt, what, editor()}, files, core::from_ms(3000));
  }
  elastic::elastic_job_id added() {
    return test::expect(
             add(draft("sums",
                       elastic::entered_props{{"custom.key", "k1"}, {"email.password", "geheim"}, {"email.to", "a@b.example"}})))
      .id;
  }
  std::string stored(elastic::elastic_job_id job) { return test::expect(store->elastic().read_job(job)).job.what.props; }
  core::result<std::string> declared(elastic::elastic_job_id job, const core::principal& by) {
    return actors::declare_elastic_job(*store, {job, by}, files, core::from_ms(4000));
  }

  test::memory_database database;
  std::unique_ptr<storage::store> store = database.open();
  actors::declared_files files;
  core::group_id group{};
};

template <class T>
std::string why_refused(const core::result<T>& outcome) {
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == core::errc::invalid_argument);
  return outcome.error().context;
}

} // namespace

TEST_CASE_METHOD(elastic_drafting, "an edit of an elastic job keeps secrets that it does not name", "[actors][elastic]") {
  const auto job = added();
  CHECK(stored(job) == mail_props);
  SECTION("without properties") {
    auto other = draft("sums", std::nullopt);
    other.what.total = 3;
    REQUIRE(change(job, other));
    CHECK(stored(job) == mail_props);
  }
  SECTION("without values, and with stars") {
    REQUIRE(
      change(job, draft("sums", elastic::entered_props{
                                  {"custom.key", "******"}, {"email.password", std::nullopt}, {"email.to", "c@d.example"}})));
    CHECK(stored(job) == R"({"custom.key":"k1","email.password":"geheim","email.to":"c@d.example"})");
  }
  SECTION("a new value replaces the stored one, and a missing name removes it") {
    REQUIRE(change(job, draft("sums", elastic::entered_props{{"email.password", "neu"}, {"email.to", "a@b.example"}})));
    CHECK(stored(job) == R"({"email.password":"neu","email.to":"a@b.example"})");
  }
}

TEST_CASE_METHOD(elastic_drafting, "stars are refused by name where no value is stored", "[actors][elastic]") {
  const auto masked = elastic::entered_props{{"email.password", "******"}, {"email.to", "a@b.example"}};
  CHECK(why_refused(add(draft("copy", masked))) ==
        "props: email.password: ****** stands for a value that is not shown: enter the value");
  const auto job = added();
  const auto more = elastic::entered_props{{"dingtalk.secret", "******"}, {"email.to", "a@b.example"}};
  CHECK(why_refused(change(job, draft("sums", more))).starts_with("props: dingtalk.secret: ******"));
  const auto unset = elastic::entered_props{{"dingtalk.secret", std::nullopt}, {"email.to", "a@b.example"}};
  CHECK(why_refused(change(job, draft("sums", unset))) == "props.dingtalk.secret: has no value");
  CHECK(stored(job) == mail_props);
}

TEST_CASE_METHOD(elastic_drafting, "only administrators get secrets in the declaration of an elastic job", "[actors][elastic]") {
  const auto job = added();
  CHECK(declared(job, editor()) == R"({"custom.key":"******","email.password":"******","email.to":"a@b.example"})");
  core::principal admin{core::user_id{1}, "admin", true};
  CHECK(declared(job, admin) == std::string{mail_props});
}

TEST_CASE_METHOD(elastic_drafting, "the audit log has no property of an elastic job", "[actors][elastic]") {
  const auto job = added();
  REQUIRE(change(job, draft("sums", elastic::entered_props{{"email.password", "neu"}, {"email.to", "a@b.example"}})));
  const auto rows = test::expect(store->audits().list({}, core::local_operator()));
  std::string all;
  for (const auto& row : rows)
    all += row.changes + row.field_values.value_or("");
  CHECK(all.find("props changed") != std::string::npos);
  for (const std::string secret : {"geheim", "neu", "k1", "a@b.example"})
    CHECK(all.find(secret) == std::string::npos);
}
