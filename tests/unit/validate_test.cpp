#include "config/token_settings.hpp"
#include "config/validate.hpp"

#include <functional>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;
using namespace std::chrono_literals;

namespace {

std::string refusal_of(const std::function<void(settings&)>& edit) {
  settings values;
  edit(values);
  auto valid = validate(values);
  return valid ? "accepted" : valid.error().context;
}

} // namespace

TEST_CASE("validate: the defaults are valid", "[config]") {
  CHECK(validate(settings{}));
}

TEST_CASE("validate: listen addresses", "[config]") {
  for (const char* good : {"127.0.0.1:0", "0.0.0.0:8080", "localhost:65535", "[::1]:8080", "[::]:80", "node-1.example:1"})
    CHECK(refusal_of([&](settings& s) { s.server.listen = good; }) == "accepted");
  for (const char* bad : {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
                          "127.0.0.1:8080x", "::1:80", "[::1:80", "[x]:80", "http://h:80", "a b:1"}) {
    CAPTURE(bad);
    CHECK(refusal_of([&](settings& s) { s.server.listen = bad; }) ==
          "server.listen: \"" + std::string{bad} + "\" is not valid; expected host:port with a port from 0 to 65535");
  }
}

TEST_CASE("validate: links need all their files", "[config]") {
  const auto with = [](const char* listen, const char* certificate, const char* key, const char* ca) {
    return refusal_of([&](settings& s) { s.link = {listen, certificate, key, ca}; });
  };
  CHECK(with("0.0.0.0:9100", "c", "k", "a") == "accepted");
  CHECK(with("", "c", "k", "a") == "accepted"); // an executor's files
  CHECK(with("0.0.0.0:9100", "", "", "").starts_with("links need certificates at both ends"));
  CHECK(with("", "c", "k", "").starts_with("links need certificates at both ends"));
  CHECK(with("9100", "c", "k", "a").starts_with("link.listen: "));
}

TEST_CASE("validate: context paths", "[config]") {
  for (const char* good : {"/", "/xxl-job-admin", "/a/b"})
    CHECK(refusal_of([&](settings& s) { s.server.context_path = good; }) == "accepted");
  for (const char* bad : {"", "x", "/x/", "//", "/a//b", "/a b", "/a?b", "/a#b", "/a%20"})
    CHECK(refusal_of([&](settings& s) { s.server.context_path = bad; }).rfind("server.context_path: ", 0) == 0);
}

TEST_CASE("validate: database URLs", "[config]") {
  for (const char* good :
       {"sqlite:x.db", "sqlite::memory:", "sqlite:/var/x.db", "mysql://u:p@h:3306/xxl_job", "mysql://u@h/x", "mysql://u:p:q@@h/x",
        "mysql://u:p@[::1]:3306/x", "mysql://u:p@/x?socket=/run/mysqld.sock", "mysql://u:p@h/x?socket=/s"}) {
    CAPTURE(good);
    CHECK(refusal_of([&](settings& s) { s.database.url = good; }) == "accepted");
  }
  for (const char* bad :
       {"", "sqlite:", "x.db", "mysql:", "mysql://", "mysql://h/x", "mysql://u@h", "mysql://u@h/", "mysql://@h/x",
        "mysql://u@h:0/x", "mysql://u@h:x/x", "mysql://u@/x", "jdbc:mysql://h/x", "postgres://u@h/x"}) {
    CAPTURE(bad);
    CHECK(refusal_of([&](settings& s) { s.database.url = bad; }).rfind("database.url: ", 0) == 0);
  }
}

TEST_CASE("validate: zones must exist on this system", "[config]") {
  CHECK(refusal_of([](settings& s) { s.schedule.time_zone = s.database.time_zone = "Asia/Shanghai"; }) == "accepted");
  CHECK(refusal_of([](settings& s) { s.schedule.time_zone = "Mars/Olympus"; }) ==
        "schedule.time_zone: unknown time zone \"Mars/Olympus\"; expected an IANA name such as \"Asia/Shanghai\" or "
        "\"UTC\"");
  CHECK(refusal_of([](settings& s) { s.database.time_zone = "../etc/passwd"; }).rfind("database.time_zone: ", 0) == 0);
}

TEST_CASE("validate: XXL-JOB's default token stops the start", "[config]") {
  CHECK(refusal_of([](settings& s) { s.security.access_token = "default_token"; }).find("security.allow_default_token = true") !=
        std::string::npos);
  CHECK(refusal_of([](settings& s) {
          s.security.access_token = "default_token";
          s.security.allow_default_token = true;
        }) == "accepted");
  for (const char* bad : {"a b", "a\nb", "\xE4\xB8\xAD"})
    CHECK(refusal_of([&](settings& s) { s.security.access_token = bad; }) ==
          "security.access_token: expected printable ASCII without spaces: it is sent in an HTTP header");
}

TEST_CASE("validate: the end of the former token is a day or a time", "[config]") {
  for (const char* good : {"", "2026-12-01", "2028-02-29", "2026-12-01T06:00:00Z", "2026-12-01T23:59:59Z"})
    CHECK(refusal_of([&](settings& s) { s.security.former_access_token_until = good; }) == "accepted");
  for (const char* bad : {"soon", "2026-02-29", "2026-13-01", "2026-12-01T24:00:00Z", "2026-12-01T06:00:00",
                          "2026-12-01 06:00:00", "2026-1-1"})
    CHECK(refusal_of([&](settings& s) { s.security.former_access_token_until = bad; }).find("former_access_token_until") !=
          std::string::npos);
  security_settings some;
  some.former_access_token_until = "2026-12-01T06:00:00Z";
  const auto tokens = common_tokens_of(some, "made");
  CHECK(tokens.current == "made");
  CHECK(tokens.former_until == core::from_ms(1'796'104'800'000));
}

TEST_CASE("validate: remember_lifetime is not shorter than session_lifetime", "[config]") {
  CHECK(refusal_of([](settings& s) { s.security.remember_lifetime = s.security.session_lifetime; }) == "accepted");
  CHECK(refusal_of([](settings& s) {
          s.security.session_lifetime = std::chrono::hours{2};
          s.security.remember_lifetime = std::chrono::hours{1};
        }) == "security.remember_lifetime: 1h is shorter than security.session_lifetime (2h)");
}

TEST_CASE("validate: networks", "[config]") {
  CHECK(refusal_of([](settings& s) {
          s.security.executor_networks = {"0.0.0.0/0", "::/0", "10.1.2.3/32", "10.1.2.3", "fd00::7"};
        }) == "accepted");
  for (const char* bad : {"10.0.0", "10.0.0.0/33", "10.0.0/8", "::1/129", "10.0.0.0/", "10.0.0.0/-1", "x/8", ""})
    CHECK(refusal_of([&](settings& s) {
            s.security.executor_networks = {"10.0.0.0/8", bad};
          }) == "security.executor_networks: \"" + std::string{bad} +
                    "\" is not valid; expected a network such as \"10.0.0.0/8\", \"fc00::/7\" or \"10.0.0.7\"");
  CHECK(refusal_of([](settings& s) {
          s.security.executor_networks.clear();
        }).rfind("security.executor_networks: the list is empty", 0) == 0);
}

TEST_CASE("validate: the host of an executor has no port", "[config]") {
  for (const char* host : {"", "0.0.0.0", "::", "[::]", "::1", "[::1]", "fe80::1", "localhost", "junk"})
    CHECK(refusal_of([host](settings& s) { s.executor.listen = host; }) == "accepted");
  for (const char* place : {"127.0.0.1:20123", "[::1]:80", "localhost:0", "localhost:"})
    CHECK(refusal_of([place](settings& s) { s.executor.listen = place; }) ==
          "executor.listen: \"" + std::string{place} +
            "\" is not valid; expected a host without a port; the port is executor.port");
  CHECK(refusal_of([](settings& s) { s.executor.ip = "10.0.0.7:9999"; }).starts_with("executor.ip: "));
}

TEST_CASE("validate: settings that depend on each other", "[config]") {
  CHECK(refusal_of([](settings& s) { s.retention.kept_logs_bytes_max = s.retention.kept_log_bytes_max / 2; }) ==
        "retention.kept_log_bytes_max: 1MiB is too large: must not exceed the limit of all kept logs, "
        "retention.kept_logs_bytes_max (512KiB)");
  CHECK(refusal_of([](settings& s) { s.retention.kept_log_bytes_max = 2 * s.trigger.log_bytes_max; }) ==
        "retention.kept_log_bytes_max: 8MiB is too large: a log must fit into one answer, trigger.log_bytes_max (4MiB)");
  CHECK(refusal_of([](settings& s) { s.schedule.claim_ahead = s.schedule.misfire_after; }) ==
        "schedule.claim_ahead: 5s is too long; it must be shorter than schedule.misfire_after (5s)");
  CHECK(refusal_of([](settings& s) { s.cluster.beat = 399ms; }) == "accepted");
  CHECK(refusal_of([](settings& s) { s.cluster.beat = 400ms; }) ==
        "cluster.beat: 400ms is too long: three intervals must be shorter than "
        "cluster.dead_after - cluster.send_margin (1200ms)");
  CHECK(refusal_of([](settings& s) { s.cluster.send_margin = 2s; }).rfind("cluster.beat: ", 0) == 0);
  CHECK(refusal_of([](settings& s) { s.registry.dead_after = 15s; }) ==
        "registry.flush + registry.reread: 15s is too long; it must be shorter than registry.dead_after (15s)");
  CHECK(refusal_of([](settings& s) { s.trigger.settle = s.trigger.ask_limit = 5s; }).rfind("trigger.settle: ", 0) == 0);
}

TEST_CASE("validate: shared mode needs MySQL", "[config]") {
  CHECK(refusal_of([](settings& s) { s.cluster.mode = "shared"; }).rfind("cluster.mode: \"shared\" needs the MySQL", 0) == 0);
  CHECK(refusal_of([](settings& s) { s.cluster.mode = "native"; }) == "accepted");
  CHECK(refusal_of([](settings& s) {
          s.cluster.mode = "shared";
          s.database.url = "mysql://u:p@h/x";
        }) == "accepted");
}

TEST_CASE("validate: all errors are reported at once", "[config]") {
  const auto context = refusal_of([](settings& s) {
    s.data_dir.clear();
    s.cluster.node = "a b";
    s.server.listen = "x";
  });
  CHECK(context ==
        "data_dir: \"\" is not valid; expected a path\n"
        "server.listen: \"x\" is not valid; expected host:port with a port from 0 to 65535\n"
        "cluster.node: \"a b\" is not valid; expected at most 64 letters, digits, '-', '_' and '.'");
}
