#pragma once

// The resources of a node, prepared before its actors start.

#include <memory>
#include <optional>
#include <string>

#include "actors/console/one_time_link.hpp"
#include "actors/logger.hpp"
#include "actors/store/marks_keeper.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/server/doctor_thread.hpp"
#include "apps/server/first_admin.hpp"
#include "apps/server/secrets.hpp"
#include "gateway/transport/transport.hpp"

namespace ringmaster::apps {

struct node_bootstrap {
  assembled what;
  actors::logger log;
  sole_use data_dir, sqlite_file;
  /// Bound, but not listening yet.
  std::unique_ptr<gateway::transport> transport;
  /// The actual address, `127.0.0.1:8080`.
  std::string address;
  access_token token;
  std::string node_id;
  /// Has the current schema.
  std::shared_ptr<storage::database> database;
  /// The node's record of this database, kept outside of it.
  std::shared_ptr<actors::marks_keeper> marks;
  /// Record of the run ids of elastic jobs, kept in the same way.
  std::shared_ptr<actors::marks_keeper> elastic_marks;
  /// Generation of XXL-JOB's tables.
  int generation = 0;
  /// Set if the administrator was just created.
  std::optional<first_admin> admin;
  /// Set if this start created the tables.
  bool made_database = false;
  /// Makes the checks of the doctor. Null: this node makes none.
  server_checks checks = {};
  /// Link of `ringmaster demo` that signs in once; unset on every other server.
  std::optional<actors::one_time_link> one_time = {};
};

/// Takes the data folder and the address first, then creates secrets and opens the database: a second process that fails changes
/// nothing. Afterwards `what.settings` holds the access token in force. `new_database`: permits a new SQLite file in a folder
/// that had one.
[[nodiscard]] core::result<node_bootstrap> bootstrap_node(assembled what, bool new_database = false);

/// Logs findings about the TLS files, except those that make the files unusable: these are errors elsewhere.
void warn_of_tls(const config::settings& settings, const actors::logger& log);

} // namespace ringmaster::apps
