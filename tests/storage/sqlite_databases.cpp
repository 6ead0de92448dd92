#include <filesystem>
#include <random>
#include <sqlite3.h>
#include <stdexcept>

#include "tests/storage/databases.hpp"

namespace ringmaster::test {

namespace {

/// A folder that is removed with this object.
class temporary_folder {
public:
  temporary_folder() {
    // In memory where that is possible: otherwise the disk would take most of a test's time.
    std::filesystem::path root = "/dev/shm";
    std::error_code unusable;
    if (std::filesystem::space(root, unusable).available < 256u << 20 || unusable)
      root = std::filesystem::temp_directory_path();
    path_ =
      root / ("ringmaster-storage-" + std::to_string(std::random_device{}()) + '-' + std::to_string(std::random_device{}()));
    std::filesystem::create_directory(path_);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

class sqlite_test_database final : public test_database {
public:
  explicit sqlite_test_database(const storage::store_options& options) {
    config::database_settings settings;
    settings.url = "sqlite:" + folder_.file("ringmaster.db");
    auto made = storage::make_sqlite_database(settings, options);
    if (!made)
      throw std::runtime_error(made.error().context);
    database_ = std::move(*made);
    if (auto migrated = database_->migrate(); !migrated)
      throw std::runtime_error(migrated.error().context);
    if (sqlite3_open_v2(folder_.file("ringmaster.db").c_str(), &raw_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
      throw std::runtime_error("cannot open the test's own connection");
    sqlite3_busy_timeout(raw_, 5000);
    sqlite3_exec(raw_, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
  }

  ~sqlite_test_database() override { sqlite3_close_v2(raw_); }

  storage::database& database() override { return *database_; }

  void exec(const std::string& sql) override { run(sql); }

  table query(const std::string& sql) override { return run(sql); }

private:
  table run(const std::string& sql) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(raw_, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(raw_));
    table rows;
    int code = 0;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
      auto& row = rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
        auto length = static_cast<std::size_t>(sqlite3_column_bytes(prepared, column));
        row.push_back(text == nullptr ? "NULL" : std::string{text, length});
      }
    }
    std::string said = sqlite3_errmsg(raw_);
    sqlite3_finalize(prepared);
    if (code != SQLITE_DONE)
      throw std::runtime_error(sql + ": " + said);
    return rows;
  }

  temporary_folder folder_;
  std::unique_ptr<storage::database> database_;
  sqlite3* raw_ = nullptr;
};

} // namespace

test_backend sqlite_backend() {
  return {"sqlite", [] { return std::optional<std::string>{}; },
          [](const storage::store_options& options) { return std::make_unique<sqlite_test_database>(options); }, 0};
}

} // namespace ringmaster::test
