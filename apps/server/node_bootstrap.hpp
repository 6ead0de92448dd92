#pragma once

// What a node stands on.

#include <memory>
#include <optional>
#include <string>

#include "actors/logger.hpp"
#include "actors/store/marks_keeper.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/server/first_admin.hpp"
#include "apps/server/secrets.hpp"
#include "gateway/transport/transport.hpp"

namespace ringmaster::apps {

struct node_bootstrap {
  assembled what;
  actors::logger log;
  sole_use data_dir, sqlite_file;
  /// Bound, and not yet listening.
  std::unique_ptr<gateway::transport> transport;
  /// What it is really bound to, `127.0.0.1:8080`.
  std::string address;
  access_token token;
  std::string node_id;
  /// Its schema is up to date.
  std::shared_ptr<storage::database> database;
  /// What this node remembers of that database outside of it.
  std::shared_ptr<actors::marks_keeper> marks;
  /// Of XXL-JOB's tables.
  int generation = 0;
  /// Made just now.
  std::optional<first_admin> admin;
};

/// Takes the data folder and the address, and only then makes secrets and touches the database: whoever comes second changes
/// nothing. `what.settings` then carry the access token in force. `new_database`: a SQLite file may be made in a folder that had
/// one.
[[nodiscard]] core::result<node_bootstrap> bootstrap_node(assembled what, bool new_database = false);

/// Logs what a person should know of the files of TLS, but for what keeps them from being used: that is an error of its own.
void warn_of_tls(const config::settings& settings, const actors::logger& log);

} // namespace ringmaster::apps
