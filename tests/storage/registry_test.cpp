// Executor groups and registrations.

#include <set>

#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;

namespace {

core::registration registered(const std::string& app, const std::string& address, core::time_point seen = noon) {
  return {"EXECUTOR", app, address, seen};
}

std::set<std::string> live(storage::store& store) {
  std::set<std::string> texts;
  for (const auto& row : require(store.registry().read()).registrations)
    texts.insert(row.registry_group + ' ' + row.app_name + ' ' + row.address + ' ' +
                 std::to_string(core::to_ms(row.seen - noon.time_since_epoch()) / 1000));
  return texts;
}

} // namespace

TEST_CASE("registrations are inserted, renewed and removed by their exact text", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (!backend.exact_texts() && backend.generation != 4)
    return; // their unique key ignores case: see the next test
  auto db = fresh_database(backend);
  auto store = db->open();
  core::registry_batch batch;
  batch.renewed = {registered("pay", "http://a:1/"),
                   registered("pay", "http://a:1"),
                   registered("Pay", "http://a:1/"),
                   {"ADMIN", "pay", "http://a:1/", noon}};
  require(store->registry().write(batch, noon));
  CHECK(live(*store).size() == 4);
  CHECK(db->query("SELECT DISTINCT update_time FROM xxl_job_registry") == table{{"2024-03-01 12:00:00"}});
  core::registry_batch next;
  next.renewed = {registered("pay", "http://a:1/", noon + 30s)};
  next.removed = {registered("pay", "http://a:1"), registered("pay", "http://not-there/")};
  require(store->registry().write(next, noon + 31s));
  CHECK(live(*store) ==
        std::set<std::string>{"EXECUTOR pay http://a:1/ 30", "EXECUTOR Pay http://a:1/ 0", "ADMIN pay http://a:1/ 0"});
}

TEST_CASE("where registrations that differ by case share a key, the row is that of the last caller", "[storage]") {
  const auto backend = GENERATE(from_range(backends_under_test()));
  if (backend.exact_texts() || backend.generation == 4)
    return;
  auto db = fresh_database(backend);
  auto store = db->open();
  core::registry_batch batch;
  batch.renewed = {registered("pay", "http://a:1/")};
  require(store->registry().write(batch, noon));
  batch.renewed = {registered("Pay", "http://a:1/", noon + 30s)};
  batch.removed = {registered("PAY", "http://a:1/"), registered("pay", "http://A:1/")};
  require(store->registry().write(batch, noon + 30s));
  CHECK(live(*store) == std::set<std::string>{"EXECUTOR Pay http://a:1/ 30"});
  core::registry_batch gone;
  gone.removed = {registered("pay", "http://a:1/")};
  gone.dead = {registered("pay", "http://a:1/", noon + 30s)};
  require(store->registry().write(gone, noon + 31s));
  CHECK(live(*store).size() == 1);
  gone.removed = {registered("Pay", "http://a:1/")};
  require(store->registry().write(gone, noon + 31s));
  CHECK(live(*store).empty());
}

TEST_CASE("the token that an executor showed is stored, changed and forgotten with its registration", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  const auto shows = [](const std::string& app, const std::string& address, std::optional<core::token_kind> shown) {
    auto row = registered(app, address);
    row.shown = shown;
    return row;
  };
  using core::token_kind;
  core::registry_batch batch;
  batch.renewed = {registered("pay", "http://a:1/"), registered("pay", "http://b:1/"), registered("mail", "http://a:1/")};
  batch.tokens = {shows("pay", "http://a:1/", token_kind::common), shows("pay", "http://b:1/", token_kind::common),
                  shows("pay", "http://gone:1/", token_kind::previous)};
  require(store->registry().write(batch, noon));
  batch.tokens = {shows("pay", "http://b:1/", token_kind::previous)};
  require(store->registry().write(batch, noon));
  auto state = require(store->registry().read());
  for (const auto& row : state.registrations)
    CHECK(row.shown
          == (row.app_name == "mail"              ? std::nullopt
              : row.address == "http://a:1/" ? std::optional{token_kind::common}
                                             : std::optional{token_kind::previous}));
  REQUIRE(state.left_tokens.size() == 1);
  CHECK(state.left_tokens[0].address == "http://gone:1/");
  batch.tokens = {shows("pay", "http://a:1/", std::nullopt), shows("pay", "http://gone:1/", std::nullopt),
                  shows("pay", "http://never:1/", std::nullopt)};
  require(store->registry().write(batch, noon));
  CHECK(db->query("SELECT registry_key, registry_value, token FROM rm_shown_token")
        == table{{"pay", "http://b:1/", "previous"}});
  batch.tokens = {shows("pay", "", token_kind::common)};
  CHECK(error_of(store->registry().write(batch, noon)) == core::errc::invalid_argument);
}

TEST_CASE("a renewal in the same second changes nothing and adds no row", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  core::registry_batch batch;
  batch.renewed = {registered("pay", "http://a:1/"), registered("pay", "http://a:1/", noon + 500ms)};
  require(store->registry().write(batch, noon));
  require(store->registry().write(batch, noon));
  CHECK(live(*store) == std::set<std::string>{"EXECUTOR pay http://a:1/ 0"});
}

TEST_CASE("a dead registration is removed unless it was renewed since", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  core::registry_batch batch;
  batch.renewed = {registered("a", "1", noon - 91s), registered("a", "2", noon - 91s), registered("b", "2", noon - 90s),
                   registered("c", "3", noon)};
  require(store->registry().write(batch, noon));
  CHECK(live(*store).size() == 4);
  core::registry_batch sweep;
  sweep.dead = {registered("a", "1", noon - 91s), registered("b", "2", noon - 91s), registered("c", "3", noon - 91s),
                registered("not-there", "4", noon - 91s)};
  require(store->registry().write(sweep, noon));
  CHECK(live(*store) == std::set<std::string>{"EXECUTOR a 2 -91", "EXECUTOR b 2 -90", "EXECUTOR c 3 0"});
}

TEST_CASE("address lists of automatic groups are written, others are not", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  db->exec(
    "INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (1, 'pay', 'Pay', 0, 'http://old/')");
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (2, 'hand', 'Manual', 1, "
           "'http://x/,,http://y/,')");
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (3, 'none', '无', 0, NULL)");
  auto groups = require(store->registry().read()).groups;
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].id == core::group_id{1});
  CHECK(groups[0].app_name == "pay");
  CHECK(groups[0].title == "Pay");
  CHECK(groups[0].type == core::address_type::automatic);
  CHECK(groups[0].addresses == std::vector<std::string>{"http://old/"});
  CHECK(groups[1].type == core::address_type::manual);
  CHECK(groups[1].addresses == std::vector<std::string>{"http://x/", "", "http://y/"});
  CHECK(groups[2].title == "无");
  CHECK(groups[2].addresses.empty());
  for (auto& group : groups) {
    group.title = "not written";
    group.addresses =
      group.id == core::group_id{3} ? std::vector<std::string>{"http://a/", "http://b/"} : std::vector<std::string>{};
  }
  core::registry_batch batch;
  batch.changed_groups = groups;
  require(store->registry().write(batch, noon));
  CHECK(db->query("SELECT title, address_list, update_time FROM xxl_job_group ORDER BY id") ==
        table{{"Pay", "NULL", "2024-03-01 12:00:00"},
              {"Manual", "http://x/,,http://y/,", "NULL"},
              {"无", "http://a/,http://b/", "2024-03-01 12:00:00"}});
}

TEST_CASE("a registration that does not fit rejects the whole batch", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  core::registry_batch batch;
  // 255 characters of four bytes fit.
  std::string widest;
  for (int i = 0; i < 255; ++i)
    widest += "😀";
  batch.renewed = {registered("pay", widest)};
  require(store->registry().write(batch, noon));
  SECTION("address") { batch.renewed = {registered("ok", "x"), registered("pay", widest + "x")}; }
  SECTION("app name") { batch.renewed = {registered("ok", "x"), registered(std::string(256, 'a'), "x")}; }
  SECTION("not UTF-8") { batch.renewed = {registered("ok", "x"), registered("a", "http://\xff/")}; }
  SECTION("empty") { batch.renewed = {registered("ok", "x"), registered("", "x")}; }
  SECTION("registry group") { batch.renewed = {registered("ok", "x"), {std::string(51, 'g'), "a", "x", noon}}; }
  CHECK(error_of(store->registry().write(batch, noon)) == core::errc::invalid_argument);
  CHECK(live(*store).size() == 1);
}

TEST_CASE("an address list that does not fit is cut at a comma and rejects nothing else", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  db->exec("INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (1, 'big', 'x', 0), (2, 'small', 'x', 0)");
  core::registry_batch batch;
  batch.renewed = {registered("big", "http://a/")};
  batch.changed_groups = {{core::group_id{1}, "big", "x", core::address_type::automatic, {}},
                          {core::group_id{2}, "small", "x", core::address_type::automatic, {"http://s/"}}};
  auto& addresses = batch.changed_groups[0].addresses;
  for (int i = 0; i < 2000; ++i)
    addresses.push_back("http://10.0.0.1:" + std::to_string(20000 + i) + "/of-some-length");
  // 65 535 bytes hold 1771 of 36 bytes with their commas.
  CHECK(core::addresses_that_fit(addresses) == 1771);
  require(store->registry().write(batch, noon));
  CHECK(live(*store).size() == 1);
  const auto groups = require(store->registry().read()).groups;
  REQUIRE(groups.size() == 2);
  CHECK((groups[0].addresses == std::vector<std::string>(addresses.begin(), addresses.begin() + 1771)));
  CHECK(groups[1].addresses == std::vector<std::string>{"http://s/"});
}

TEST_CASE("large batches of registrations are stored completely", "[storage]") {
  auto db = fresh_database(GENERATE(from_range(backends_under_test())));
  auto store = db->open();
  core::registry_batch batch;
  for (int i = 0; i < 1300; ++i)
    batch.renewed.push_back(registered("app" + std::to_string(i % 7), "http://10.0.0.1:" + std::to_string(i) + '/'));
  require(store->registry().write(batch, noon));
  CHECK(require(store->registry().read()).registrations.size() == 1300);
  batch.removed = std::move(batch.renewed);
  batch.renewed.clear();
  require(store->registry().write(batch, noon));
  CHECK(require(store->registry().read()).registrations.empty());
}
