#include <cstdio>
#include <utility>

#include "apps/admin_desk.hpp"
#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/data_folder.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"
#include "apps/table_text.hpp"
#include "config/declared_file.hpp"
#include "core/sqlite_url.hpp"
#include "core/text.hpp"
#include "protocol/wire/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

using database_ptr = std::unique_ptr<storage::database>;

/// What a first `apply` would find: the same schema, nothing in it, and nothing made on disk.
core::result<database_ptr> empty_copy(const assembled& node) {
  auto copy = node;
  copy.settings.database.url = core::sqlite_url(core::sqlite_memory);
  auto database = make_database(copy);
  if (database)
    if (auto made = (*database)->migrate(); !made)
      return tl::unexpected<core::error>{made.error()};
  return database;
}

/// Ready to open, and, for a dry run, as it was.
core::result<database_ptr> ready_database(const assembled& node, bool dry_run) {
  if (!dry_run)
    if (auto ready = prepare_database_folder(node.settings); !ready)
      return tl::unexpected<core::error>{ready.error()};
  auto database = make_database(node);
  if (!database)
    return database;
  if (!dry_run) {
    if (auto ready = prepare_schema(**database, node.settings); !ready)
      return tl::unexpected<core::error>{ready.error()};
    return database;
  }
  auto pending = (*database)->pending_migrations();
  if (!pending)
    return tl::unexpected<core::error>{pending.error()};
  return !pending->empty() && pending->front().number == 1 ? empty_copy(node) : std::move(database);
}

core::result<core::deploy_report> apply_files(const apply_options& options) {
  auto declared = config::load_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!declared)
    return tl::unexpected<core::error>{declared.error()};
  auto what = assemble(options.config);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  if (auto known = check_channels(*declared, what->settings); !known)
    return tl::unexpected<core::error>{known.error()};
  auto database = ready_database(*what, options.dry_run);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  auto report = (*store)->deploys().apply(*declared, options.dry_run, options.prune, system_now());
  if (report && !options.dry_run)
    report->on_their_way = wait_for_runs(**store, report->edited);
  return report;
}

// -- through a server ------------------------------------------------------------------------------------------------------

/// Its limit of a body.
constexpr std::size_t sent_bytes_max = 8 * 1024 * 1024;

/// As the server gets them: what stands in a file is its affair.
core::result<std::string> body_of(const apply_options& options) {
  auto files = config::find_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!files)
    return tl::unexpected{files.error()};
  protocol::wire::api_apply wish{options.source, options.revision, options.dry_run, options.prune, {}};
  for (auto& [name, text] : *files) {
    if (core::valid_utf8(text) != text)
      return core::fail(core::errc::invalid_argument, one_line(name) + ": it holds what is no UTF-8");
    wish.files.emplace_back(core::valid_utf8(name), std::move(text));
  }
  auto body = protocol::wire::api_apply_body(wish);
  if (body.size() > sent_bytes_max)
    return core::fail(core::errc::too_large, "the files are longer than the 8 MiB that a server takes at once: apply them in "
                                             "parts, each with a --source of its own, or beside the database");
  return body;
}

core::result<core::deploy_report> apply_there(admin_desk& server, const apply_options& options) {
  auto body = body_of(options);
  if (!body)
    return tl::unexpected{body.error()};
  auto answer = server.ask({"POST", "/apply", api_document::parse(*body, nullptr, false)});
  if (!answer)
    return tl::unexpected{answer.error()};
  auto done = protocol::wire::parse_api_applied(answer->dump(-1, ' ', false, api_document::error_handler_t::replace));
  return done ? core::result<core::deploy_report>{std::move(done->report)}
              : core::fail(core::errc::unavailable, done.error().context + ": whether it applied the files is not known");
}

core::result<core::deploy_report> apply_somewhere(const apply_options& options) {
  const auto server = open_named_server(options);
  if (!server)
    return tl::unexpected{server.error()};
  return *server ? apply_there(**server, options) : apply_files(options);
}

} // namespace

int apply(const apply_options& options) {
  auto report = apply_somewhere(options);
  if (!report)
    return complain(report.error());
  std::fputs((options.json ? describe_json(*report, options.dry_run) : describe(*report, options.dry_run)).c_str(), stdout);
  return exit_done;
}

} // namespace ringmaster::apps
