// Edits of groups by administrators, on every backend.

#include <thread>

#include "core/editing/edit_tag.hpp"
#include "tests/storage/editor_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using core::address_type;
using core::errc;
using core::refusal;

namespace {

const core::principal& admin_of_groups = core::local_operator();

struct groups : deploy_fixture {
  using deploy_fixture::deploy_fixture;

  storage::group_editor& editor() { return store->group_editing(); }
  static core::group_draft draft(const std::string& app_name, const std::string& title = "Title") {
    return {app_name, title, 0, ""};
  }
  static core::group_draft manual(const std::string& app_name, const std::string& list) { return {app_name, "Title", 1, list}; }
  core::group_id add(const core::group_draft& wanted) { return require(editor().add(wanted, admin_of_groups, noon)); }
  core::group_record read(core::group_id group) { return require(editor().read(group, admin_of_groups)); }
  std::string list_of(core::group_id group) {
    return db->value("SELECT address_list FROM xxl_job_group WHERE id = " + std::to_string(core::number(group)));
  }
  void register_executor(const std::string& app_name, const std::string& address) {
    core::registry_batch batch;
    batch.renewed = {{"EXECUTOR", app_name, address, noon}};
    require(store->registry().write(batch, noon));
  }
  void add_job_of(core::group_id group) { add_job(7, noon, {{"job_group", std::to_string(core::number(group))}}); }
};

std::string names(const std::vector<core::group_record>& rows) {
  std::string out;
  for (const auto& row : rows)
    out += (out.empty() ? "" : " ") + row.group.app_name;
  return out;
}

} // namespace

TEST_CASE("groups are added, read, changed and removed", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  const auto pay = f.add(groups::manual("pay-worker", " http://b:9999 ,http://a:9999,http://b:9999"));
  auto row = f.read(pay);
  CHECK(row.group.app_name + ' ' + row.group.title == "pay-worker Title");
  CHECK(row.group.type == address_type::manual);
  CHECK(row.group.addresses == std::vector<std::string>{"http://b:9999", "http://a:9999"});
  CHECK(row.updated == noon);
  CHECK(row.source.empty());
  CHECK(f.db->value("SELECT action FROM rm_audit WHERE object = 'group'") == "add");
  require(f.editor().update(pay, groups::manual("pay-workers", "http://c:9999"), {}, admin_of_groups, noon + 5s));
  row = f.read(pay);
  CHECK(row.group.app_name == "pay-workers");
  CHECK(row.group.addresses == std::vector<std::string>{"http://c:9999"});
  CHECK(row.updated == noon + 5s);
  CHECK(f.db->value("SELECT changes FROM rm_audit WHERE action = 'update'")
        == "app_name: \"pay-worker\" -> \"pay-workers\"\naddresses: \"http://b:9999,http://a:9999\" -> \"http://c:9999\"");
  require(f.editor().update(pay, groups::manual("pay-workers", "http://c:9999"), {}, admin_of_groups, noon + 6s)); // no change
  CHECK(f.rows("rm_audit", "action = 'update'") == "1");
  f.add(groups::draft("mail-worker"));
  require(f.editor().remove(pay, {}, admin_of_groups, noon));
  CHECK(why(f.editor().read(pay, admin_of_groups)) == refusal::group_illegal);
  require(f.editor().remove(pay, {}, admin_of_groups, noon)); // gone already
  CHECK(f.rows("rm_audit", "action = 'remove'") == "1");
  CHECK(f.db->value("SELECT changes FROM rm_audit WHERE action = 'remove'")
        == "app_name: \"pay-workers\" -> \"\"\ntitle: \"Title\" -> \"\"\naddresses: \"http://c:9999\" -> \"automatic\"");
  CHECK(why(f.editor().update(pay, groups::draft("pay-worker"), {}, admin_of_groups, noon)) == refusal::group_illegal);
}

TEST_CASE("of two editors who saw the same group, one changes it", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  const auto pay = f.add(groups::manual("pay-worker", "http://a:9999"));
  f.add(groups::draft("mail-worker"));
  const auto tag = [&] { return core::edit_tag(f.read(pay)); };
  const auto seen = tag();
  std::vector<core::result<void>> outcomes(2);
  std::vector<std::thread> people;
  for (auto& outcome : outcomes)
    people.emplace_back([&f, &outcome, pay, seen, who = std::to_string(&outcome - outcomes.data())] {
      const auto own = f.db->open();
      outcome = own->group_editing().update(pay, groups::draft("pay-worker", "Title " + who), seen, admin_of_groups, noon);
    });
  for (auto& each : people)
    each.join();
  REQUIRE(outcomes[0].has_value() != outcomes[1].has_value());
  CHECK(core::is_edited_meanwhile((outcomes[0] ? outcomes[1] : outcomes[0]).error()));
  const auto wrong_as_well = groups::draft("pay-worker", std::string(2000, 't'));
  CHECK(error_of(f.editor().update(pay, wrong_as_well, seen, admin_of_groups, noon)) == errc::invalid_argument);
  const auto late = f.editor().remove(pay, seen, admin_of_groups, noon);
  REQUIRE_FALSE(late);
  CHECK(core::is_edited_meanwhile(late.error()));

  // Changes by executors and tokens are not edits; those by Java admins are.
  const auto now = tag();
  f.db->exec("UPDATE xxl_job_group SET address_list = 'http://x:1' WHERE app_name = 'pay-worker'");
  CHECK(tag() == now);
  f.db->exec("UPDATE xxl_job_group SET title = 'Java' WHERE app_name = 'pay-worker'");
  CHECK(error_of(f.editor().update(pay, groups::draft("pay-worker"), now, admin_of_groups, noon)) == errc::conflict);
  CHECK(f.read(pay).group.title == "Java");
  require(f.editor().remove(pay, tag(), admin_of_groups, noon));
  require(f.editor().remove(pay, seen, admin_of_groups, noon)); // gone already
}

TEST_CASE("an automatic group gets the registered addresses, and the registry keeps its list", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  f.register_executor("pay-worker", "http://b:9999/");
  f.register_executor("pay-worker", "http://a:9999/");
  f.register_executor("mail-worker", "http://m:9999/");
  const auto pay = f.add(groups::manual("pay-worker", "http://x:1"));
  require(f.editor().update(pay, groups::draft("pay-worker"), {}, admin_of_groups, noon));
  CHECK(f.list_of(pay) == "http://a:9999/,http://b:9999/");
  // The list that the registry wrote stays when only the title changes, or when the draft contains a list.
  f.db->exec("UPDATE xxl_job_group SET address_list = 'http://r:1/'");
  auto wanted = groups::draft("pay-worker", "Other");
  wanted.address_list = "http://evil:1";
  require(f.editor().update(pay, wanted, {}, admin_of_groups, noon));
  CHECK(f.list_of(pay) == "http://r:1/");
  require(f.editor().update(pay, groups::draft("mail-worker"), {}, admin_of_groups, noon));
  CHECK(f.list_of(pay) == "http://m:9999/");
  CHECK(f.list_of(f.add(groups::draft("idle-worker"))) == "NULL");
}

TEST_CASE("an app name belongs to one group, also with concurrent edits", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  groups f{backend};
  const auto pay = f.add(groups::draft("pay-worker"));
  const auto mail = f.add(groups::draft("mail-worker"));
  const auto taken = f.editor().add(groups::draft("pay-worker"), admin_of_groups, noon);
  CHECK(why(taken) == refusal::app_name_repeated);
  CHECK(error_of(taken) == errc::conflict);
  CHECK(why(f.editor().update(mail, groups::draft("pay-worker"), {}, admin_of_groups, noon)) == refusal::app_name_repeated);
  require(f.editor().update(pay, groups::draft("pay-worker", "Mine"), {}, admin_of_groups, noon));
  if (!backend.exact_texts())
    CHECK(why(f.editor().add(groups::draft("PAY-worker"), admin_of_groups, noon)) == refusal::app_name_repeated);
  std::vector<core::result<core::group_id>> outcomes(2);
  std::vector<std::thread> people;
  for (auto& outcome : outcomes)
    people.emplace_back([&f, &outcome] {
      const auto own = f.db->open();
      outcome = own->group_editing().add(groups::draft("new-worker"), admin_of_groups, noon);
    });
  for (auto& each : people)
    each.join();
  REQUIRE(outcomes[0].has_value() != outcomes[1].has_value());
  CHECK(why(outcomes[0] ? outcomes[1] : outcomes[0]) == refusal::app_name_repeated);
  CHECK(f.rows("xxl_job_group", "app_name = 'new-worker'") == "1");
}

TEST_CASE("a group with jobs, the last group and a declared group cannot be removed", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  const auto pay = f.add(groups::draft("pay-worker"));
  CHECK(why(f.editor().remove(pay, {}, admin_of_groups, noon)) == refusal::last_group);
  f.add_job_of(pay);
  CHECK(why(f.editor().remove(pay, {}, admin_of_groups, noon)) == refusal::group_in_use);
  f.apply(pay_set());
  const core::group_id declared{std::stoi(f.db->value("SELECT group_id FROM rm_group_ext"))};
  CHECK(f.read(declared).source == "pay.toml");
  CHECK(error_of(f.editor().update(declared, groups::draft("pay-two"), {}, admin_of_groups, noon)) == errc::conflict);
  const auto removed = f.editor().remove(declared, {}, admin_of_groups, noon);
  CHECK(error_of(removed) == errc::conflict);
  CHECK(removed.error().why == refusal::none);
  // Registrations and permissions are removed with a group; those of others stay.
  const auto mail = f.add(groups::draft("mail-worker"));
  f.register_executor("mail-worker", "http://m:1/");
  f.register_executor("pay-worker", "http://p:1/");
  f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (5, " + std::to_string(core::number(mail))
             + ", 'viewer'), (5, " + std::to_string(core::number(pay)) + ", 'viewer')");
  require(f.editor().remove(mail, {}, admin_of_groups, noon));
  CHECK(f.rows("rm_group_right") == "1");
  CHECK(f.db->value("SELECT registry_value FROM xxl_job_registry") == "http://p:1/");
}

TEST_CASE("invalid groups are refused with their reasons", "[storage][editor]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  groups f{backend};
  const auto add = [&](const core::group_draft& wanted) { return f.editor().add(wanted, admin_of_groups, noon); };
  CHECK(why(add(groups::draft(""))) == refusal::app_name_empty);
  CHECK(why(add(groups::draft("pay"))) == refusal::app_name_length);
  CHECK(why(add(groups::draft("pay-worker", " "))) == refusal::title_empty);
  CHECK(why(add(groups::manual("pay-worker", "  "))) == refusal::addresses_empty);
  CHECK(why(add(groups::manual("pay-worker", " , "))) == refusal::address_form);
  CHECK(error_of(add(groups::draft("pay-worker", "\xff"))) == errc::invalid_argument);
  CHECK(why(add(groups::draft("pay-worker", std::string(backend.narrow() ? 13 : 65, 'x')))) == refusal::too_long);
  const core::principal tom{core::user_id{5}, "tom", false, {{core::group_id{1}, core::group_right::editor}}};
  const auto pay = f.add(groups::draft("pay-worker"));
  CHECK(error_of(f.editor().add(groups::draft("other-worker"), tom, noon)) == errc::forbidden);
  CHECK(error_of(f.editor().update(pay, groups::draft("pay-worker"), {}, tom, noon)) == errc::forbidden);
  CHECK(error_of(f.editor().remove(pay, {}, tom, noon)) == errc::forbidden);
  CHECK(error_of(f.editor().page({}, tom)) == errc::forbidden);
  CHECK(f.rows("xxl_job_group") == "1");
}

TEST_CASE("groups are paged, and users see the groups in which they are viewer", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  f.add(groups::draft("pay-worker", "Money"));
  const auto mail = f.add(groups::draft("mail-worker", "Letters"));
  f.add(groups::draft("admin-tool", "Tools"));
  const auto page = [&](const core::group_search& search) {
    const auto found = require(f.editor().page(search, admin_of_groups));
    return names(found.rows) + " of " + std::to_string(found.total);
  };
  CHECK(page({}) == "admin-tool mail-worker pay-worker of 3");
  CHECK(page({.window = {1, 1}}) == "mail-worker of 3");
  CHECK(page({.app_name_part = "WORK"}) == "mail-worker pay-worker of 2");
  CHECK(page({.app_name_part = "worker", .title_part = "mon"}) == "pay-worker of 1");
  CHECK(page({.title_part = "%"}) == " of 0");
  CHECK(names(require(f.editor().visible(admin_of_groups))) == "admin-tool mail-worker pay-worker");
  const core::principal tom{core::user_id{5}, "tom", false, {{mail, core::group_right::viewer}}};
  CHECK(names(require(f.editor().visible(tom))) == "mail-worker");
  CHECK(require(f.editor().read(mail, tom)).group.title == "Letters");
  CHECK(require(f.editor().visible({core::user_id{6}, "ann"})).empty());
}

TEST_CASE("a group's token is replaced, and the previous one works for a day", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  auto wanted = groups::manual("pay-worker", "http://a:9999");
  wanted.access_token = "first-token";
  const auto pay = f.add(wanted);
  auto known = [&] {
    for (auto& each : require(f.store->registry().read()).groups)
      if (each.id == pay)
        return each;
    return core::group{};
  };
  CHECK(known().access_token == "first-token");
  CHECK(known().previous_token.empty());
  wanted.access_token.clear();
  require(f.editor().update(pay, wanted, {}, admin_of_groups, noon));
  CHECK(known().access_token == "first-token");
  wanted.access_token = "second-token";
  require(f.editor().update(pay, wanted, {}, admin_of_groups, noon));
  CHECK(known().access_token == "second-token");
  CHECK(known().previous_token == "first-token");
  CHECK(known().previous_until == noon + core::group_token_overlap);
  CHECK(f.read(pay).group.access_token.empty());
  CHECK(f.db->value("SELECT COUNT(*) FROM rm_audit WHERE changes LIKE '%-token%'") == "0");
  wanted.access_token = "no";
  CHECK(f.editor().update(pay, wanted, {}, admin_of_groups, noon).error().code == errc::invalid_argument);
  f.add(groups::draft("mail-worker"));
  require(f.editor().remove(pay, {}, admin_of_groups, noon));
  CHECK(f.rows("rm_group_token", "group_id = " + std::to_string(core::number(pay))) == "0");
}

// InnoDB forgets the highest id when it is restarted and its row is gone.
TEST_CASE("a new group inherits nothing from an earlier one with the same id", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  const auto id = core::number(f.add(groups::draft("pay-worker"))) + 1;
  const auto next = std::to_string(id);
  f.db->exec("INSERT INTO rm_group_ext (group_id, source) VALUES (" + next + ", 'old.toml')");
  f.db->exec("INSERT INTO rm_group_token (group_id, token, previous, previous_until_ms) VALUES (" + next + ", 'old', '', 0)");
  f.db->exec("INSERT INTO rm_group_right (user_id, group_id, right_name) VALUES (5, " + next + ", 'editor')");
  const auto group = f.add(groups::draft("mail-worker"));
  REQUIRE(core::number(group) == id);
  CHECK(f.read(group).source.empty());
  for (const char* name : {"rm_group_ext", "rm_group_token", "rm_group_right"})
    CHECK(f.rows(name) == "0");
}

TEST_CASE("figures of groups count their jobs and know their tokens", "[storage][editor]") {
  groups f{GENERATE(from_range(backends_under_test()))};
  auto wanted = groups::draft("pay-worker");
  wanted.access_token = "first-token";
  const auto pay = f.add(wanted);
  const auto mail = f.add(groups::draft("mail-worker"));
  f.add_job_of(pay);
  const auto figures = require(f.editor().figures({mail, pay, core::group_id{999}}));
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].group == mail);
  CHECK(figures[0].jobs == 0);
  CHECK_FALSE(figures[0].has_token);
  CHECK(figures[1].jobs == 1);
  CHECK(figures[1].has_token);
  CHECK(figures[2].jobs == 0);
  CHECK(require(f.editor().figures({})).empty());
}
