// SQLite only: the file, its copy before a migration, its locks.

#include <filesystem>
#include <fstream>
#include <random>
#include <sqlite3.h>
#include <sys/stat.h>
#include <thread>

#include "storage/migrations.hpp"
#include "storage/sqlite/driver/connection.hpp"
#include "tests/storage/firing_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

class folder {
public:
  folder() : path_{fs::temp_directory_path() / ("ringmaster-file-" + std::to_string(std::random_device{}()))} {
    fs::create_directory(path_);
  }
  ~folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{path_}, fs::directory_iterator{}));
  }

private:
  fs::path path_;
};

core::result<std::unique_ptr<storage::database>> make(const std::string& url, std::chrono::milliseconds timeout = 5000ms) {
  config::database_settings settings;
  settings.url = url;
  settings.statement_timeout = timeout;
  return storage::make_sqlite_database(settings, test_options());
}

void run(const std::string& file, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  std::string said = message == nullptr ? "" : message;
  sqlite3_free(message);
  sqlite3_close(db);
  REQUIRE(said == "");
}

} // namespace

TEST_CASE("examining a missing database does not create it", "[storage]") {
  folder here;
  auto db = require(make("sqlite:" + (here / "r.db")));
  auto pending = require(db->pending_migrations());
  CHECK(pending.size() == storage::sqlite_migrations().size());
  CHECK(error_of(db->open()) == core::errc::unsupported);
  CHECK(here.files() == 0);
  CHECK(db->writers() == 1);
  CHECK(db->description() == "sqlite " + (here / "r.db"));
}

TEST_CASE("a new file is private and needs no copy", "[storage]") {
  folder here;
  auto db = require(make("sqlite:" + (here / "r.db")));
  require(db->migrate());
  auto store = require(db->open());
  for (const auto& name : {"r.db", "r.db-wal", "r.db-shm"}) {
    struct stat info {};
    REQUIRE(stat((here / name).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  CHECK(here.files() == 3);
}

TEST_CASE("an existing file is copied before it is migrated, and only then", "[storage]") {
  folder here;
  auto file = here / "r.db";
  {
    auto db = require(make("sqlite:" + file));
    require(db->migrate());
  }
  run(file, "DELETE FROM rm_migration WHERE number = 2; DROP TABLE rm_schedule; DROP TABLE rm_edit; DROP TABLE rm_node; DROP "
            "TABLE rm_claim; DROP TABLE rm_intent; "
            "DROP TABLE rm_failed_run; DROP TABLE rm_job_ext; DROP TABLE rm_group_ext; DROP TABLE rm_deploy; "
            "INSERT INTO xxl_job_group (app_name, title) VALUES ('kept', 'x')");
  auto db = require(make("sqlite:" + file));
  require(db->migrate());
  auto copy = file + ".before-2";
  REQUIRE(fs::exists(copy));
  CHECK_FALSE(fs::exists(copy + ".part"));
  struct stat info {};
  REQUIRE(stat(copy.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  // The copy is complete, old, and a separate file.
  CHECK_FALSE(fs::exists(copy + "-wal"));
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open_v2(copy.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  CHECK(sqlite3_exec(raw, "SELECT * FROM rm_schedule", nullptr, nullptr, nullptr) != SQLITE_OK);
  int groups = 0;
  auto count = [](void* counter, int, char**, char**) { return ++*static_cast<int*>(counter), 0; };
  CHECK(sqlite3_exec(raw, "SELECT * FROM xxl_job_group WHERE app_name = 'kept'", count, &groups, nullptr) == SQLITE_OK);
  CHECK(groups == 1);
  sqlite3_close(raw);
  fs::remove(copy);
  require(db->migrate());
  CHECK_FALSE(fs::exists(copy));
}

TEST_CASE("a migration that fails leaves the file unchanged", "[storage]") {
  folder here;
  auto file = here / "r.db";
  {
    auto db = require(make("sqlite:" + file));
    require(db->migrate());
  }
  // Step 2 must run again, but one of its tables exists: its statements fail halfway.
  run(file, "DELETE FROM rm_migration WHERE number = 2; DROP TABLE rm_schedule");
  auto db = require(make("sqlite:" + file));
  CHECK(error_of(db->migrate()) == core::errc::unavailable);
  CHECK(require(db->pending_migrations()).size() == 1);
  CHECK(fs::exists(file + ".before-2"));
  run(file, "CREATE TABLE rm_schedule (job INTEGER)");
}

TEST_CASE("processes that migrate at the same time do it once", "[storage]") {
  folder here;
  auto url = "sqlite:" + (here / "r.db");
  std::vector<std::thread> threads;
  std::vector<std::string> errors(6);
  for (auto& said : errors)
    threads.emplace_back([&said, &url] {
      auto db = make(url);
      if (auto migrated = db ? (*db)->migrate() : tl::unexpected{db.error()}; !migrated)
        said = migrated.error().context;
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(errors == std::vector<std::string>(6));
  CHECK(require(require(make(url))->pending_migrations()).empty());
}

TEST_CASE("a file of another program is not touched", "[storage]") {
  folder here;
  auto file = here / "r.db";
  SECTION("tables of another program") {
    run(file, "CREATE TABLE diary (day TEXT)");
    auto db = require(make("sqlite:" + file));
    CHECK(error_of(db->pending_migrations()) == core::errc::unsupported);
    CHECK(error_of(db->migrate()) == core::errc::unsupported);
    CHECK(error_of(db->open()) == core::errc::unsupported);
  }
  SECTION("not a database") {
    std::ofstream{file}
      << "This is a text of more than a hundred bytes, so that it cannot be taken for an empty database, whatever "
         "its first sixteen bytes look like.";
    auto db = require(make("sqlite:" + file));
    CHECK(error_of(db->pending_migrations()) == core::errc::unavailable);
    CHECK(error_of(db->migrate()) == core::errc::unavailable);
  }
  SECTION("a folder") {
    fs::create_directory(file);
    CHECK(error_of(require(make("sqlite:" + file))->migrate()) == core::errc::unavailable);
  }
  SECTION("a missing folder") {
    auto error = require(make("sqlite:" + (here / "missing/r.db")))->migrate();
    CHECK(error_of(error) == core::errc::unavailable);
    CHECK(error.error().context.find("missing/r.db") != std::string::npos);
  }
}

TEST_CASE("only URLs of SQLite are accepted", "[storage]") {
  for (const char* url : {"", "sqlite:", "mysql://x", "r.db", "SQLITE:r.db"})
    CHECK(error_of(make(url)) == core::errc::invalid_argument);
}

TEST_CASE("an in-memory database exists as long as its stores and is not shared", "[storage]") {
  auto db = require(make("sqlite::memory:"));
  require(db->migrate());
  auto other = require(make("sqlite::memory:"));
  CHECK(require(other->pending_migrations()).size() == storage::sqlite_migrations().size());
  auto store = require(db->open());
  auto second = require(db->open());
  require(store->cluster().enter("a", "x"));
  CHECK(require(second->cluster().nodes()).size() == 1);
  db.reset();
  require(store->cluster().enter("b", "x"));
  CHECK(require(second->cluster().nodes()).size() == 2);
}

TEST_CASE("while another process writes, a store is unavailable and recovers automatically", "[storage]") {
  folder here;
  auto db = require(make("sqlite:" + (here / "r.db"), 20ms));
  require(db->migrate());
  auto store = require(db->open());
  auto life = require(store->cluster().enter("a", "x"));
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open((here / "r.db").c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  auto locked = store->cluster().beat(life, 1);
  CHECK(error_of(locked) == core::errc::unavailable);
  CHECK(locked.error().context.find("locked") != std::string::npos);
  // Reads continue.
  CHECK(require(store->cluster().nodes()).size() == 1);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  require(store->cluster().beat(life, 1));
}

TEST_CASE("a full disk is unavailable, is reported, and keeps nothing", "[storage]") {
  storage::sqlite::open_options options;
  folder here;
  options.file = here / "r.db";
  options.create = true;
  auto db = require(storage::sqlite::connection::open(options));
  db->execute("CREATE TABLE t (x)");
  db->execute("PRAGMA max_page_count=3");
  require(db->outcome());
  std::string page(4000, 'x');
  auto filled = storage::sqlite::within(*db, storage::sqlite::transaction_kind::write,
                                        [&](storage::sqlite::connection& open) -> core::result<int> {
                                          int rows = 0;
                                          for (int i = 0; i < 100; ++i)
                                            rows += open.run("INSERT INTO t VALUES (?1)", page);
                                          return rows;
                                        });
  CHECK(error_of(filled) == core::errc::unavailable);
  CHECK(filled.error().context.find("full") != std::string::npos);
  auto count = storage::sqlite::within(*db, storage::sqlite::transaction_kind::read,
                                       [](storage::sqlite::connection& open) -> core::result<std::int64_t> {
                                         auto counting = open.prepare("SELECT count(*) FROM t");
                                         counting.with().step();
                                         return counting.number(0);
                                       });
  CHECK(require(count) == 0);
}

TEST_CASE("a table that has given its last id is not reported as a full disk", "[storage]") {
  storage::sqlite::open_options options;
  folder here;
  options.file = here / "r.db";
  options.create = true;
  auto db = require(storage::sqlite::connection::open(options));
  db->execute("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)");
  db->execute("INSERT INTO t VALUES (9223372036854775807)");
  require(db->outcome());
  db->execute("INSERT INTO t VALUES (NULL)");
  const auto refused = db->outcome();
  CHECK(error_of(refused) == core::errc::internal);
  CHECK(refused.error().context.find("the table t ") == 0);
}

TEST_CASE("a statement that takes too long is given up", "[storage]") {
  storage::sqlite::open_options options;
  folder here;
  options.file = here / "r.db";
  options.create = true;
  options.statement_timeout = 50ms;
  auto db = require(storage::sqlite::connection::open(options));
  auto endless = storage::sqlite::within(
    *db, storage::sqlite::transaction_kind::read, [](storage::sqlite::connection& open) -> core::result<void> {
      open.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
      return {};
    });
  CHECK(error_of(endless) == core::errc::unavailable);
  CHECK(endless.error().context.find("50 ms") != std::string::npos);
}

TEST_CASE("after a failure a transaction does nothing more and the connection stays usable", "[storage]") {
  storage::sqlite::open_options options;
  folder here;
  options.file = here / "r.db";
  options.create = true;
  auto db = require(storage::sqlite::connection::open(options));
  db->execute("CREATE TABLE t (x UNIQUE)");
  require(db->outcome());
  int later = -1;
  auto failed = storage::sqlite::within(*db, storage::sqlite::transaction_kind::write,
                                        [&](storage::sqlite::connection& open) -> core::result<void> {
                                          open.run("INSERT INTO t VALUES (1)");
                                          open.run("INSERT INTO t VALUES (1)");
                                          later = open.run("INSERT INTO t VALUES (2)");
                                          return {};
                                        });
  CHECK(error_of(failed) == core::errc::internal);
  CHECK(failed.error().context.find("UNIQUE") != std::string::npos);
  CHECK(later == 0);
  auto refused = storage::sqlite::within(*db, storage::sqlite::transaction_kind::write,
                                         [](storage::sqlite::connection& open) -> core::result<void> {
                                           open.run("INSERT INTO t VALUES (5)");
                                           return core::fail(core::errc::conflict, "ours");
                                         });
  CHECK(error_of(refused) == core::errc::conflict);
  auto count = storage::sqlite::within(*db, storage::sqlite::transaction_kind::read,
                                       [](storage::sqlite::connection& open) -> core::result<std::int64_t> {
                                         auto counting = open.prepare("SELECT count(*) FROM t");
                                         counting.with().step();
                                         return counting.number(0);
                                       });
  CHECK(require(count) == 0);
}

TEST_CASE("nothing is written into a file that was deleted or replaced", "[storage]") {
  folder here;
  const auto file = here / "r.db";
  auto db = require(make("sqlite:" + file));
  require(db->migrate());
  auto store = require(db->open());
  auto life = require(store->cluster().enter("a", "x"));
  const auto refused = [&](std::int64_t beat) {
    const auto written = store->cluster().beat(life, beat);
    CHECK(error_of(written) == core::errc::unavailable);
    CHECK(written.error().context.find("was deleted or replaced") != std::string::npos);
  };
  SECTION("deleted") {
    fs::remove(file);
    refused(1);
    refused(2);
  }
  SECTION("replaced") {
    fs::copy_file(file, file + ".backup");
    fs::rename(file + ".backup", file);
    refused(1);
  }
  SECTION("moved away and put back") {
    fs::rename(file, file + ".away");
    refused(1);
    fs::rename(file + ".away", file);
    require(store->cluster().beat(life, 1));
  }
}

TEST_CASE("a use of a statement that continues after a later one makes the connection fail", "[storage]") {
  folder here;
  storage::sqlite::open_options options;
  options.file = here / "r.db";
  options.create = true;
  auto db = require(storage::sqlite::connection::open(options));
  constexpr const char* text = "SELECT 1 UNION ALL SELECT 2";
  auto outer = db->prepare(text);
  REQUIRE(outer.with().step());
  {
    auto inner = db->prepare(text);
    REQUIRE(inner.with().step());
    CHECK(inner.number(0) == 1);
  }
  CHECK_FALSE(db->failed()); // the earlier use may have ended, too
  CHECK_FALSE(outer.step());
  const auto outcome = db->outcome();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == core::errc::internal);
  CHECK(outcome.error().context.find(text) != std::string::npos);
  CHECK(outer.with().step()); // takes the statement again
  CHECK(outer.number(0) == 1);
}

TEST_CASE("an empty statement is a defect and not a statement that does nothing", "[storage]") {
  folder here;
  storage::sqlite::open_options options;
  options.file = here / "r.db";
  options.create = true;
  auto db = require(storage::sqlite::connection::open(options));
  CHECK(db->run("") == 0);
  const auto outcome = db->outcome();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == core::errc::internal);
}
