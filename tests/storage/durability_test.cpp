// Settings of a MariaDB that decide whether confirmed commits survive a crash, and where.

#include <string>

#include "tests/storage/firing_fixture.hpp"
#include "tests/support/mariadb_server.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

/// A server and a database without tables.
class watched_server {
public:
  explicit watched_server(mariadb_server& server) : server_{server} {
    config::database_settings settings;
    settings.url = server.url("durable");
    database_ = require(storage::make_mysql_database(settings, test_options()));
  }

  void set(const std::string& variable, int value) {
    server_.exec("SET GLOBAL " + variable + " = " + std::to_string(value));
  }

  /// Returns the findings about durability, one a line.
  std::string told() {
    std::string out;
    for (const auto& one : database_->examine())
      if (one.what == "durability")
        out += word_of(one.how) + one.detail + (one.remedy.empty() ? "" : "; " + one.remedy) + '\n';
    return out;
  }

private:
  static std::string word_of(storage::database_finding::level how) {
    using enum storage::database_finding::level;
    return how == fine ? "ok " : how == warning ? "warn " : "fail ";
  }

  mariadb_server& server_;
  std::unique_ptr<storage::database> database_;
};

constexpr const char* survives = "ok a confirmed commit survives a crash of the server\n";

std::string binary_log_warning(int sync) {
  return "warn sync_binlog is " + std::to_string(sync) + ": after a crash replicas may lack confirmed commits; set it to 1\n";
}

} // namespace

TEST_CASE("examine warns of a binary log that is not written to the disk with each commit", "[schema]") {
  if (no_server_here())
    return;
  mariadb_server server{{.binary_log = true}};
  watched_server watched{server};
  for (const int sync : {0, 1000}) { // 0 is the default of MariaDB
    watched.set("sync_binlog", sync);
    CHECK(watched.told() == binary_log_warning(sync));
  }
  watched.set("innodb_flush_log_at_trx_commit", 2);
  CHECK(watched.told()
        == "warn innodb_flush_log_at_trx_commit is 2: after a crash of the server, confirmed claims may be lost, their run ids"
           " reused, and instants run twice; set it to 1\n" + binary_log_warning(1000));
  watched.set("innodb_flush_log_at_trx_commit", 1);
  watched.set("sync_binlog", 1);
  CHECK(watched.told() == survives);
  // The source of this server need not exist.
  server.exec("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'replicator'");
  watched.set("read_only", 1);
  CHECK(watched.told()
        == "fail the server is read-only: no job fires; make it writable\n"
           "fail the server is a replica of another one: writes to it reach no other server, and may be lost or applied twice;"
           " use its source server\n");
}

TEST_CASE("without a binary log examine does not mind sync_binlog", "[schema]") {
  if (no_server_here())
    return;
  auto& server = mariadb_server::shared();
  watched_server watched{server};
  watched.set("sync_binlog", 0);
  CHECK(watched.told() == survives);
}
