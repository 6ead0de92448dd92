#include "apps/server/node_bootstrap.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "apps/process/limits.hpp"
#include "apps/process/logging.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::apps {

namespace {

/// Lease on a SQLite file. It is long because no peer waits for this node's end, so a slow disk should not end the node's
/// incarnation.
constexpr core::milliseconds sole_lease{30'000};

core::result<void> take_place(node_bootstrap& base) {
  auto& settings = base.what.settings;
  if (auto fits = fit_to_open_files(settings, base.log); !fits)
    return fits;
  if (auto ready = prepare_data_dir(settings); !ready)
    return ready;
  auto folder = sole_use::of_data_dir(settings);
  if (!folder)
    return tl::unexpected<core::error>{folder.error()};
  base.data_dir = std::move(*folder);
  base.transport = gateway::make_transport(settings.server, settings.trigger, settings.security);
  auto bound = base.transport->bind();
  if (!bound)
    return tl::unexpected<core::error>{bound.error()};
  base.address = std::move(*bound);
  warn_of_tls(settings, base.log);
  return {};
}

/// Access tokens shorter than this cause a warning.
constexpr std::size_t short_token = 16;

core::result<void> take_identity(node_bootstrap& base) {
  auto& settings = base.what.settings;
  auto token = obtain_access_token(settings);
  if (!token)
    return tl::unexpected<core::error>{token.error()};
  if (token->token.size() < short_token)
    base.log->warn("security.access_token has {} characters and can be guessed; use at least {}", token->token.size(),
                   short_token);
  settings.security.access_token = token->token;
  base.token = std::move(*token);
  auto id = obtain_node_id(settings);
  if (!id)
    return tl::unexpected<core::error>{id.error()};
  base.node_id = std::move(*id);
  return {};
}

/// Fences the incarnations of all other nodes. The node that holds the file lock is alone: a node that seems to be alive has
/// ended, and its claims can be adopted now.
core::result<void> end_other_incarnations(node_bootstrap& base, storage::store& store) {
  auto nodes = store.cluster().nodes();
  if (!nodes)
    return tl::unexpected<core::error>{nodes.error()};
  for (const auto& node : *nodes)
    if (node.state == core::node_state::up && node.id != base.node_id)
      if (auto ended = store.cluster().fence(node); !ended)
        return tl::unexpected<core::error>{ended.error()};
  return {};
}

core::result<void> check_mode(node_bootstrap& base, storage::store& store) {
  if (auto agreed = storage::agreed_mode(store, base.what.settings.cluster.mode); !agreed)
    return tl::unexpected<core::error>{agreed.error()};
  return {};
}

/// Creates the first administrator. A database that accepts no writes does not prevent the start: it may recover, and jobs wait
/// for this node.
core::result<void> make_admin(node_bootstrap& base, storage::store& store) {
  auto admin = make_first_admin(store, base.what.settings);
  if (admin) {
    base.admin = std::move(*admin);
    return {};
  }
  if (admin.error().code != core::errc::unavailable)
    return tl::unexpected<core::error>{admin.error()};
  base.log->warn("the database has no users, and the first administrator could not be created; the next start retries: {}",
                 admin.error().context);
  return {};
}

/// Opens the database before secrets are created: a folder with secrets counts as one that had a database.
core::result<void> open_database(node_bootstrap& base) {
  auto file = sole_use::of_database(base.what.settings);
  if (!file)
    return tl::unexpected<core::error>{file.error()};
  base.sqlite_file = std::move(*file);
  if (base.sqlite_file)
    base.what.settings.cluster.dead_after = std::max(base.what.settings.cluster.dead_after, sole_lease);
  auto made = make_database(base.what);
  if (!made)
    return tl::unexpected<core::error>{made.error()};
  base.database = std::move(*made);
  const auto pending = base.database->pending_migrations();
  base.made_database = pending && is_new_database(*pending);
  return prepare_schema(*base.database, base.what.settings);
}

core::result<void> take_database(node_bootstrap& base) {
  auto store = base.database->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  if (auto agreed = check_mode(base, **store); !agreed)
    return agreed;
  auto generation = base.database->generation();
  if (!generation)
    return tl::unexpected<core::error>{generation.error()};
  base.generation = *generation;
  if (auto done = make_admin(base, **store); !done)
    return done;
  return base.sqlite_file ? end_other_incarnations(base, **store) : core::result<void>{};
}

/// Loads marks. An unreadable file is replaced: it guards against an accident that is rarer than a full disk. `set_back`: the
/// file of a set-back that these marks show.
std::shared_ptr<actors::marks_keeper> keep_marks(const node_bootstrap& base, const std::filesystem::path& path,
                                                 const std::filesystem::path& set_back) {
  core::kept_marks kept;
  if (std::ifstream file{path}) {
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (const auto read = core::parse_marks(text))
      kept = *read;
    else
      base.log->warn("{} is unusable and will be rewritten: cannot detect whether an old database was restored", path.string());
  }
  using file = actors::marks_keeper::file;
  return std::make_shared<actors::marks_keeper>(
    kept,
    [path, set_back](file which, const std::string& text) {
      return write_private(which == file::marks ? path : set_back, text);
    },
    std::chrono::steady_clock::now, base.log);
}

} // namespace

void warn_of_tls(const config::settings& settings, const actors::logger& log) {
  const auto now = std::chrono::system_clock::now();
  for (const auto& finding : gateway::examine_tls(settings.server, settings.security, settings.link, now))
    if (finding.how != gateway::tls_finding::level::fine)
      log->warn("TLS: {}", finding.detail);
}

core::result<node_bootstrap> bootstrap_node(assembled what, bool new_database) {
  auto log = make_logger(what.settings.log);
  node_bootstrap base{std::move(what), std::move(log), {}, {}, {}, {}, {}, {}, {}, {}, 0, {}, {}};
  if (auto there = new_database ? core::result<void>{} : check_database_is_there(base.what.settings); !there)
    return tl::unexpected<core::error>{there.error()};
  for (auto step : {&take_place, &open_database, &take_identity, &take_database})
    if (auto done = step(base); !done)
      return tl::unexpected<core::error>{done.error()};
  const auto& settings = base.what.settings;
  base.marks = keep_marks(base, marks_file(settings), set_back_file(settings));
  base.elastic_marks = keep_marks(base, elastic_marks_file(settings), elastic_set_back_file(settings));
  return base;
}

} // namespace ringmaster::apps
