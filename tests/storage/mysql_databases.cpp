// The conformance suite on MariaDB: a separate database for each test, on the private server of this executable.

#include <atomic>
#include <memory>
#include <regex>
#include <stdexcept>

#include <mysql/mysql.h>

#include "tests/storage/databases.hpp"
#include "tests/storage/xxl_schemas.hpp"
#include "tests/support/mariadb_server.hpp"

namespace ringmaster::test {

namespace {

/// The tables that XXL-JOB made before Ringmaster.
struct foreign_tables {
  int generation = 0;
  bool upgraded = false;
  /// Whether Ringmaster does not add its own tables.
  bool bare = false;
};

/// A database that is never dropped: the server's folder is removed as a whole.
class mysql_test_database final : public test_database {
public:
  explicit mysql_test_database(const storage::store_options& options, foreign_tables found = {})
    : name_{"conformance_" + std::to_string(++count())}, renamed_{found.generation >= 8} {
    config::database_settings settings;
    settings.url = mariadb_server::shared().url(name_);
    auto made = storage::make_mysql_database(settings, options);
    if (!made)
      throw std::runtime_error(made.error().context);
    database_ = std::move(*made);
    connect();
    make(found);
    if (found.bare)
      return;
    if (auto migrated = database_->migrate(); !migrated)
      throw std::runtime_error(migrated.error().context);
    if (found.generation != 0)
      run("UPDATE rm_mode SET mode = 'native'"); // it begins in shared mode
  }

  storage::database& database() override { return *database_; }

  void exec(const std::string& sql) override { run(renamed_ ? of_g8(sql) : sql); }

  std::vector<std::vector<std::string>> query(const std::string& sql) override {
    exec(sql);
    const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> found{mysql_store_result(own_.get()), &mysql_free_result};
    if (!found)
      throw std::runtime_error(sql + ": " + mysql_error(own_.get()));
    std::vector<std::vector<std::string>> out;
    while (auto* row = mysql_fetch_row(found.get())) {
      const auto* lengths = mysql_fetch_lengths(found.get());
      auto& texts = out.emplace_back();
      for (unsigned i = 0; i < mysql_num_fields(found.get()); ++i)
        texts.push_back(row[i] == nullptr ? "NULL" : std::string(row[i], lengths[i]));
    }
    return out;
  }

private:
  void connect() {
    if (mysql_real_connect(own_.get(), nullptr, "root", "", name_.c_str(), 0, mariadb_server::shared().socket_path().c_str(),
                           0) == nullptr)
      throw std::runtime_error(mysql_error(own_.get()));
    mysql_set_character_set(own_.get(), "utf8mb4");
  }

  void make(const foreign_tables& found) {
    if (found.generation == 0)
      return;
    for (const auto& statement : xxl_schema(found.upgraded ? 4 : found.generation))
      run(statement);
    for (int to = 5; found.upgraded && to <= found.generation; ++to)
      for (const auto& statement : xxl_step_in_place(to))
        run(statement);
  }

  void run(const std::string& sql) {
    if (mysql_real_query(own_.get(), sql.data(), sql.size()) != 0)
      throw std::runtime_error(sql + ": " + mysql_error(own_.get()));
  }

  /// Replaces the names that G8 changed for two columns.
  static std::string of_g8(const std::string& sql) {
    static const std::regex job_name{"\\bjob_desc\\b"};
    static const std::regex title{"\\btitle\\b"};
    auto out = std::regex_replace(sql, job_name, "name");
    return sql.find("xxl_job_group") == sql.npos ? out : std::regex_replace(out, title, "name");
  }

  static std::atomic<int>& count() {
    static std::atomic<int> instance{0};
    return instance;
  }

  std::string name_;
  bool renamed_;
  std::unique_ptr<MYSQL, decltype(&mysql_close)> own_{mysql_init(nullptr), &mysql_close};
  std::unique_ptr<storage::database> database_;
};

} // namespace

test_backend mysql_backend() {
  return {"mysql", [] { return mariadb_server::unavailable_reason(); },
          [](const storage::store_options& options) { return std::make_unique<mysql_test_database>(options); }, 0};
}

std::unique_ptr<test_database> bare_xxl_database(int generation) {
  return std::make_unique<mysql_test_database>(test_options(), foreign_tables{generation, false, true});
}

test_backend xxl_backend(int generation, bool upgraded) {
  return {"mysql-g" + std::to_string(generation) + (upgraded ? "-upgraded" : ""),
          [] { return mariadb_server::unavailable_reason(); },
          [=](const storage::store_options& options) {
            return std::make_unique<mysql_test_database>(options, foreign_tables{generation, upgraded, false});
          },
          generation};
}

} // namespace ringmaster::test
