// `database.url` of a MySQL server.

#include "storage/mysql/driver/url.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::mysql::parse_url;

TEST_CASE("a complete address is read", "[storage]") {
  const auto where = parse_url("mysql://ring:s%40f%3A%2Fe@db.example:3307/xxl_job");
  REQUIRE(where);
  CHECK(where->user == "ring");
  CHECK(where->password == "s@f:/e");
  CHECK(where->host == "db.example");
  CHECK(where->port == 3307);
  CHECK(where->database == "xxl_job");
  CHECK(where->socket.empty());
  CHECK(where->description() == "ring@db.example:3307/xxl_job");
}

TEST_CASE("port, password and host may be absent", "[storage]") {
  const auto short_one = parse_url("mysql://root@localhost/jobs");
  REQUIRE(short_one);
  CHECK(short_one->port == 3306);
  CHECK(short_one->password.empty());
  const auto socket = parse_url("mysql://root:a@/jobs?socket=%2Frun%2Fmysqld%2Fmysqld.sock");
  REQUIRE(socket);
  CHECK(socket->socket == "/run/mysqld/mysqld.sock");
  CHECK(socket->description() == "root@/run/mysqld/mysqld.sock/jobs");
  const auto six = parse_url("mysql://root:@[2001:db8::1]:13306/jobs");
  REQUIRE(six);
  CHECK(six->host == "2001:db8::1");
  CHECK(six->port == 13306);
  CHECK(six->description() == "root@[2001:db8::1]:13306/jobs");
}

TEST_CASE("invalid addresses are refused and the password is not shown", "[storage]") {
  const auto* url =
    GENERATE("", "mysql:", "sqlite:ringmaster.db", "mysql://", "mysql://host/jobs", "mysql://root:hunter2@/jobs",
             "mysql://root:hunter2@host", "mysql://root:hunter2@host/", "mysql://root:hunter2@host/a/b",
             "mysql://root:hunter2@host:0/jobs", "mysql://root:hunter2@host:65536/jobs", "mysql://root:hunter2@host:33o6/jobs",
             "mysql://root:hunter2@[::1/jobs", "mysql://root:hunter2@[::1]3306/jobs", "mysql://:hunter2@host/jobs",
             "mysql://root:hunter2%@host/jobs", "mysql://root:hunter2%4@host/jobs", "mysql://root:hunter2%zz@host/jobs",
             "mysql://root:hunter2%00@host/jobs", "mysql://root:hunter2@host/jobs?tls=1", "mysql://root:hunter2@host/jobs?socket",
             "mysql://root:hunter2@host/jobs?socket=/a&x=1");
  CAPTURE(url);
  const auto where = parse_url(url);
  REQUIRE_FALSE(where);
  CHECK(where.error().code == core::errc::invalid_argument);
  CHECK(where.error().context.find("database.url") != std::string::npos);
  CHECK(where.error().context.find("hunter2") == std::string::npos);
}

TEST_CASE("an IPv6 address without brackets is refused as such", "[storage]") {
  for (const auto* url : {"mysql://root:a@::1/jobs", "mysql://root:a@2001:db8::1:3306/jobs"}) {
    const auto where = parse_url(url);
    REQUIRE_FALSE(where);
    CHECK(where.error().context == "database.url: an IPv6 address must be in brackets");
  }
}
