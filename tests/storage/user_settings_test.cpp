// Settings of the console by user.

#include "core/access/user_settings.hpp"
#include "tests/storage/access_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
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

TEST_CASE("the activity of users is that of their sessions, keys and sign-ins", "[storage][access]") {
  settings_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto digest = [](char of) { return std::string(64, of); };
  require(f.open(digest('1'), f.anna));
  require(f.open(digest('2'), f.anna, "hash-b", noon + 10min));
  core::api_key_draft key;
  key.name = "ci";
  key.digest = "d1";
  key.user = f.berta;
  key.expires = noon + 1min;
  require(f.store->api_keys().add(key, f.admin, noon));
  f.db->exec("UPDATE xxl_job_user SET password = 'e10adc3949ba59abbe56e057f20f883e' WHERE username = 'berta'");
  const auto all = [&](core::time_point now, core::milliseconds max_age = 720h) {
    std::string out;
    for (const auto& each : require(f.users().activity({f.berta, f.anna, core::user_id{999}}, max_age, now)))
      out += (out.empty() ? "" : ", ") + std::to_string(each.sessions) + ' ' + std::to_string(each.keys) + ' ' +
             (each.last_sign_in ? std::to_string((*each.last_sign_in - noon) / 1min) : "-") +
             (each.known_password ? " known" : "");
    return out;
  };
  CHECK(all(noon + 20min) == "0 1 - known, 2 0 10, 0 0 -");
  // The first session has expired, then both are too old, and another password ends both.
  CHECK(all(noon + 65min) == "0 1 - known, 1 0 10, 0 0 -");
  CHECK(all(noon + 20min, 15min) == "0 1 - known, 1 0 10, 0 0 -");
  f.db->exec("UPDATE xxl_job_user SET password = 'other' WHERE username = 'anna'");
  CHECK(all(noon + 20min) == "0 1 - known, 0 0 10, 0 0 -");
  CHECK(require(f.users().activity({}, 720h, noon)).empty());
}
