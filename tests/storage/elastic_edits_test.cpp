// Definitions of elastic jobs and what operators set: E11, E12, E13.

#include <set>

#include "core/editing/edit_tag.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

const core::principal& root() { return core::local_operator(); }

core::principal operator_of(std::int32_t group, core::group_right right) {
  core::principal out;
  out.name = "u";
  out.rights = {{core::group_id{group}, right}};
  return out;
}

} // namespace

TEST_CASE("each option of an elastic job has a column that keeps it", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  std::set<std::string_view> names, columns;
  for (const auto& field : elastic::elastic_fields) {
    CHECK(names.insert(field.name).second);
    CHECK(columns.insert(field.column).second);
  }
  auto edit = elastic_fixture::definition("all", 2);
  edit.what.name_space = "名";
  edit.what.kind = "dataflow";
  edit.what.handler = "flow";
  edit.what.props = R"({"webhook.url":"http://h/a"})";
  auto& options = edit.what.options;
  options.schedule = core::schedule_type::cron;
  options.schedule_conf = "0 0 12 * * ?";
  options.timing.time_zone = "Asia/Shanghai";
  options.timing.start_at = noon;
  options.timing.end_at = noon + 24h * 365;
  options.timing.jitter_ms = 5;
  options.item_params = "0=甲,1=b";
  options.param = "p";
  options.strategy = "STICKY";
  options.order = elastic::host_order::asc_natural;
  options.label = "ssd";
  options.is_static = true;
  options.static_fallback = elastic::static_fallback::borrow;
  options.max_time_diff = 1s;
  options.failover = true;
  options.failover_max = 9;
  options.misfire = false;
  options.misfire_max_age = 2s;
  options.timeout = 3s;
  options.cancel_grace = 4s;
  options.fence_mode = elastic::fence_mode::orphan;
  options.trigger_policy = elastic::request_policy::coalesce;
  options.streaming = true;
  options.pool = "CPU";
  options.error_handler = "THROW";
  options.listeners = "l";
  options.once_listeners = "o";
  options.started_timeout = 5s;
  options.completed_timeout = 6s;
  options.alarm_email = "a@b";
  options.description = "d";
  for (const auto& field : elastic::elastic_fields)
    if (field.name != "interval_ms") {
      INFO(field.name);
      CHECK(field.get(options) != field.default_value());
    }
  edit.source = "file";
  edit.content_hash = "h1";
  const auto added = require(f.ej().put(edit, noon, root()));
  const auto stored = require(f.ej().read_job(added.id)).job;
  CHECK(stored.what == edit.what);
  CHECK(stored.source == "file");
  CHECK(stored.version == 1);
  CHECK(stored.status == elastic::job_status::on);
  CHECK(stored.next == added.next);
  CHECK(stored.revision == added.revision);
  // Repeats the edit.
  const auto again = require(f.ej().put(edit, noon, root()));
  CHECK(again.id == added.id);
  CHECK(again.revision == 0);
  const auto plain = require(f.ej().read_job(f.job)).job;
  CHECK(plain.what == elastic_fixture::definition("sums").what);
}

TEST_CASE("an edit needs the version as read, and keeps type and handler", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto edit = elastic_fixture::definition("sums", 5);
  edit.id = f.job;
  edit.version = 1;
  const auto before = require(f.ej().last_revision());
  const auto changed = require(f.ej().put(edit, noon, root()));
  CHECK(changed.version == 2);
  CHECK(changed.revision > before);
  CHECK(require(f.ej().put(edit, noon, root())).revision == 0);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item WHERE flags = 0") == "5");
  edit.what.total = 2;
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::conflict);
  edit.version = 2;
  edit.what.handler = "other";
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::conflict);
  edit.replace_class = true;
  CHECK(require(f.ej().put(edit, noon, root())).version == 3);
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item WHERE flags = 2") == "3");
  edit.version = 3;
  edit.what.options.schedule_conf = "-1";
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::invalid_argument);
  edit = elastic_fixture::definition("sums");
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::conflict);
  edit.what.name = "third";
  edit.what.group = core::group_id{8};
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::invalid_argument);
  edit.id = elastic::elastic_job_id{99};
  edit.what.group = core::group_id{7};
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::not_found);
  CHECK(error_of(f.ej().put(edit, noon, operator_of(7, core::group_right::operate))) == core::errc::forbidden);
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE object = 'elastic_job'") == "3");
}

TEST_CASE("a declared elastic job is edited by its file alone", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto edit = elastic_fixture::definition("declared", 2);
  edit.source = "deploy";
  edit.content_hash = "h1";
  const auto added = require(f.ej().put(edit, noon, root()));
  edit.id = added.id;
  edit.version = 1;
  edit.what.total = 3;
  const auto refused = f.ej().put(edit, noon, root());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == core::errc::conflict);
  CHECK(refused.error().context.find("is declared by the source deploy") != std::string::npos);
  CHECK(error_of(f.ej().remove(added.id, 1, noon, root())) == core::errc::conflict);
  CHECK(require(f.ej().read_job(added.id)).job.what.total == 2);
}

TEST_CASE("an edit of a stale version is an edit in between, and one that never fires is refused", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  auto edit = elastic_fixture::definition("sums", 5);
  edit.id = f.job;
  edit.version = 7;
  const auto stale = f.ej().put(edit, noon, root());
  REQUIRE_FALSE(stale);
  CHECK(core::is_edited_meanwhile(stale.error()));
  const auto gone = f.ej().remove(f.job, 7, noon, root());
  REQUIRE_FALSE(gone);
  CHECK(core::is_edited_meanwhile(gone.error()));
  edit.version = 1;
  edit.what.options.timing.end_at = noon - 1h;
  CHECK(error_of(f.ej().put(edit, noon, root())) == core::errc::invalid_argument);
  auto fresh = elastic_fixture::definition("over");
  fresh.what.options.timing.end_at = noon - 1h;
  CHECK(error_of(f.ej().put(fresh, noon, root())) == core::errc::invalid_argument);
  fresh.status = elastic::job_status::off;
  CHECK_FALSE(require(f.ej().put(fresh, noon, root())).next);
  // The removal says what the job was.
  require(f.ej().remove(f.job, 1, noon, root()));
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE object = 'elastic_job' AND action = 'remove' AND changes LIKE '%total%'")
        == "1");
}

TEST_CASE("nodes learn of edits and removals by revisions", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto second = f.add("second");
  const auto seen = require(f.ej().last_revision());
  CHECK(require(f.ej().edits_since(seen, elastic::elastic_job_id{}, 10)).size() == 1);
  CHECK(require(f.ej().edits_since(seen, second.id, 10)).empty());
  CHECK(error_of(f.ej().remove(second.id, 2, noon, root())) == core::errc::conflict);
  CHECK(error_of(f.ej().remove(second.id, 1, noon, operator_of(7, core::group_right::operate))) == core::errc::forbidden);
  require(f.ej().remove(second.id, 1, noon, root()));
  const auto notes = require(f.ej().edits_since(seen, second.id, 10));
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].id == second.id);
  CHECK_FALSE(notes[0].job);
  CHECK(error_of(f.ej().read_job(second.id)) == core::errc::not_found);
  CHECK(error_of(f.ej().remove(second.id, 1, noon, root())) == core::errc::not_found);
  SECTION("not while an item runs") {
    f.open(0);
    CHECK(error_of(f.ej().remove(f.job, 1, noon, root())) == core::errc::conflict);
    CHECK(f.db->value("SELECT COUNT(*) FROM ej_item") == "3");
  }
}

TEST_CASE("operators set states that coordinators keep", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto may = operator_of(7, core::group_right::operate);
  CHECK(error_of(f.ej().set_status(f.job, elastic::job_status::off, noon, operator_of(7, core::group_right::viewer)))
        == core::errc::forbidden);
  const auto off = require(f.ej().set_status(f.job, elastic::job_status::off, noon, may));
  CHECK(off.revision > 0);
  CHECK_FALSE(off.next);
  CHECK(require(f.ej().set_status(f.job, elastic::job_status::off, noon, may)).revision == 0);
  const auto on = require(f.ej().set_status(f.job, elastic::job_status::on, noon + 1h, may));
  CHECK(on.next == noon + 1h + 1min);
  const elastic::item_number one{1};
  CHECK(require(f.ej().set_item_disabled(f.job, one, true, noon, may)).revision > 0);
  CHECK(require(f.ej().set_item_disabled(f.job, one, true, noon, may)).revision == 0);
  CHECK(f.item(1).disabled);
  const auto run = f.open(0);
  require(f.ej().set_item_disabled(f.job, elastic::item_number{0}, true, noon, may));
  f.write_item(0, elastic::action::write_end{run, elastic::fence_number{1}, elastic::item_run_end::finished, {}});
  CHECK(f.item(0).disabled);
  CHECK(require(f.ej().set_item_disabled(f.job, one, false, noon, may)).revision > 0);
  CHECK_FALSE(f.item(1).disabled);
  CHECK(error_of(f.ej().set_item_disabled(f.job, elastic::item_number{3}, true, noon, may)) == core::errc::not_found);
  CHECK(error_of(f.ej().set_status(elastic::elastic_job_id{99}, elastic::job_status::on, noon, may)) == core::errc::not_found);
}

TEST_CASE("a server is disabled for a job by id or IP address of a host", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto may = operator_of(7, core::group_right::operate);
  CHECK(require(f.ej().set_server_disabled(f.job, "10.0.0.1", true, noon, may)).revision > 0);
  CHECK(require(f.ej().set_server_disabled(f.job, "10.0.0.1", true, noon, may)).revision == 0);
  CHECK(error_of(f.ej().set_server_disabled(f.job, "h1", true, noon, operator_of(7, core::group_right::viewer)))
        == core::errc::forbidden);
  CHECK(require(f.ej().set_server_disabled(f.job, "h1", true, noon, may)).revision > 0);
  CHECK(require(f.ej().read_job(f.job)).disabled_servers == std::vector<std::string>{"10.0.0.1", "h1"});
  CHECK(require(f.ej().read_job(f.add("second").id)).disabled_servers.empty());
  CHECK(require(f.ej().set_server_disabled(f.job, "10.0.0.1", false, noon, may)).revision > 0);
  CHECK(require(f.ej().set_server_disabled(f.job, "10.0.0.1", false, noon, may)).revision == 0);
  CHECK(require(f.ej().read_job(f.job)).disabled_servers == std::vector<std::string>{"h1"});
  for (const bool disabled : {true, false}) {
    CHECK(error_of(f.ej().set_server_disabled(f.job, "h2", disabled, noon, may)) == core::errc::not_found);
    CHECK(error_of(f.ej().set_server_disabled(f.job, "", disabled, noon, may)) == core::errc::invalid_argument);
  }
}

TEST_CASE("a request is added once, and a job has a limit of them", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  elastic::request_row request{elastic::request_id{5}, f.job, elastic::item_number{1}};
  CHECK(require(f.ej().add_request(request, noon, root())).revision > 0);
  CHECK(require(f.ej().add_request(request, noon, root())).revision == 0);
  const auto second = f.add("second").id;
  auto taken = request;
  taken.job = second;
  CHECK(error_of(f.ej().add_request(taken, noon, root())) == core::errc::conflict);
  request.item = elastic::item_number{3};
  request.id = elastic::request_id{6};
  CHECK(error_of(f.ej().add_request(request, noon, root())) == core::errc::not_found);
  request.item.reset();
  for (std::int64_t id = 6; id < 105; ++id) {
    request.id = elastic::request_id{id};
    require(f.ej().add_request(request, noon, root()));
  }
  request.id = elastic::request_id{200};
  CHECK(error_of(f.ej().add_request(request, noon, root())) == core::errc::conflict);
  request.id = elastic::request_id{0};
  CHECK(error_of(f.ej().add_request(request, noon, root())) == core::errc::invalid_argument);
}

TEST_CASE("a request with the id of another one is refused", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  elastic::request_row request{elastic::request_id{5}, f.job, elastic::item_number{1}};
  request.param = "p";
  require(f.ej().add_request(request, noon, root()));
  auto other = request;
  SECTION("another item") { other.item = elastic::item_number{0}; }
  SECTION("all items") { other.item.reset(); }
  SECTION("another parameter") { other.param = "q"; }
  SECTION("the parameter of the job") { other.param.reset(); }
  SECTION("an empty parameter") { other.param = ""; }
  SECTION("another policy") { other.policy = elastic::request_policy::queue; }
  const auto refused = f.ej().add_request(other, noon, root());
  REQUIRE(error_of(refused) == core::errc::conflict);
  CHECK(refused.error().context == "elastic job " + std::to_string(core::number(f.job)) +
                                     " was already triggered with this key and another item, parameter or policy");
  request.at = noon + std::chrono::seconds{1};
  CHECK(require(f.ej().add_request(request, noon, root())).revision == 0);
  const auto requests = require(f.ej().read_job(f.job)).requests;
  REQUIRE(requests.size() == 1);
  CHECK(requests.at(0).item == elastic::item_number{1});
  CHECK(requests.at(0).param == "p");
}

TEST_CASE("adoption reads the jobs of held slots", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  for (int i = 0; i < 3; ++i)
    f.add("more" + std::to_string(i));
  const auto run = f.open(2);
  const std::vector held{f.lease};
  const auto jobs = require(f.ej().adopt(f.me, held, {}, 10));
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].job.id == f.job);
  REQUIRE(jobs[0].items.size() == 3);
  CHECK(jobs[0].items[2].run == run);
  CHECK(jobs[0].items[0].cause.source == elastic::run_source::misfire);
  CHECK(require(f.ej().adopt(f.me, held, f.job, 10)).empty());
  CHECK(error_of(f.ej().adopt(f.other, held, {}, 10)) == core::errc::fenced);
  const std::vector<elastic::slot_lease> stale{{f.lease.slot, f.lease.epoch + 1}};
  CHECK(error_of(f.ej().adopt(f.me, stale, {}, 10)) == core::errc::fenced);
  std::vector<elastic::lease_wish> all;
  for (std::uint32_t slot = 0; slot < core::slot_count; ++slot)
    all.push_back({slot, 0});
  const auto leases = require(f.ej().take_leases(f.me, all));
  CHECK(require(f.ej().adopt(f.me, leases, {}, 2)).size() == 2);
  CHECK(require(f.ej().adopt(f.me, leases, {}, 10)).size() == 4);
}
