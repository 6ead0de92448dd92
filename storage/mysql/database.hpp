#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/mysql/driver/connection.hpp"
#include "storage/mysql/driver/session.hpp"
#include "storage/open.hpp"

namespace ringmaster::storage::mysql {

/// A database on a MySQL or MariaDB server. Safe from any thread; each store that it opens is used by one thread.
class mysql_database final : public database {
public:
  mysql_database(connection_settings settings, store_options options);

  core::result<std::unique_ptr<store>> open() override;
  core::result<std::unique_ptr<store>> open_to_look() override;
  core::result<std::vector<migration_step>> pending_migrations() override;
  core::result<void> migrate() override;
  core::result<change_plan> plan(schema_change what) override;
  core::result<change_plan> change(schema_change what) override;
  std::vector<database_finding> examine(const std::function<bool()>& go_on) override;
  core::result<int> generation() override;
  [[nodiscard]] bool shares_schedule() const noexcept override { return true; }
  [[nodiscard]] int writers() const noexcept override { return 2; }
  [[nodiscard]] std::string description() const override;

private:
  connection_settings settings_;
  store_options options_;
  std::shared_ptr<process_connections> own_ = std::make_shared<process_connections>();
};

} // namespace ringmaster::storage::mysql
