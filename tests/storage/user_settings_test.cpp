// Settings of the console by user.

#include "core/access/user_settings.hpp"
#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using Catch::Generators::from_range;
using core::errc;

namespace {

struct settings_fixture : access_fixture {
  explicit settings_fixture(const test_backend& backend) : access_fixture{backend} {
    anna = add("anna");
    berta = add("berta");
  }
  std::string count() { return db->value("SELECT COUNT(*) FROM rm_user_settings"); }

  core::user_id anna{}, berta{};
};

core::user_settings all_settings() {
  return {"zh_CN", "server", "dark", "/runs?status=failed", 10, false};
}

} // namespace

TEST_CASE("settings of the console are kept by user", "[storage][access][settings]") {
  settings_fixture f{GENERATE(from_range(backends_under_test()))};
  CHECK(require(f.users().settings(f.anna)) == core::user_settings{});
  require(f.users().save_settings(f.anna, all_settings()));
  CHECK(require(f.users().settings(f.anna)) == all_settings());
  CHECK(require(f.users().settings(f.berta)) == core::user_settings{});
  core::user_settings other;
  other.keys = true;
  require(f.users().save_settings(f.berta, other));
  CHECK(require(f.users().settings(f.berta)) == other);
  CHECK(f.count() == "2");
}

TEST_CASE("saved settings replace all former ones", "[storage][access][settings]") {
  settings_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.users().save_settings(f.anna, all_settings()));
  core::user_settings some;
  some.theme = "light";
  require(f.users().save_settings(f.anna, some));
  CHECK(require(f.users().settings(f.anna)) == some);
  require(f.users().save_settings(f.anna, {}));
  CHECK(f.count() == "0");
}

TEST_CASE("settings are removed with their user, also when another program removes the user", "[storage][access][settings]") {
  settings_fixture f{GENERATE(from_range(backends_under_test()))};
  require(f.users().save_settings(f.anna, all_settings()));
  require(f.users().save_settings(f.berta, all_settings()));
  require(f.users().remove(f.anna, {}, f.admin, noon));
  CHECK(f.count() == "1");
  CHECK(error_of(f.users().save_settings(f.anna, all_settings())) == errc::not_found);
  f.db->exec("DELETE FROM xxl_job_user WHERE username = 'berta'");
  CHECK(require(f.store->maintenance().forget_orphans(100)) >= 1);
  CHECK(f.count() == "0");
}
