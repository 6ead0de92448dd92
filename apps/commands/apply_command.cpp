#include <cstdio>
#include <utility>

#include "apps/client/api_client.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/server/open_store.hpp"
#include "apps/terminal/confirm.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/declared/declared_file.hpp"
#include "core/text/sqlite_url.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

using database_ptr = std::unique_ptr<storage::database>;

/// Returns an empty in-memory database with the current schema, as a first `apply` would find it. Writes nothing to disk.
core::result<database_ptr> empty_copy(const assembled& node) {
  auto copy = node;
  copy.settings.database.url = core::sqlite_url(core::sqlite_memory);
  auto database = make_database(copy);
  if (database)
    if (auto made = (*database)->migrate(); !made)
      return tl::unexpected<core::error>{made.error()};
  return database;
}

/// Returns a database that is ready to open. A dry run does not change it. Errors: also `not_found`, because only `serve` and
/// `migrate` create a database.
core::result<database_ptr> ready_database(const assembled& node, bool dry_run) {
  auto database = make_database(node);
  if (!database)
    return database;
  auto pending = (*database)->pending_migrations();
  if (!pending)
    return tl::unexpected<core::error>{pending.error()};
  if (is_new_database(*pending))
    return dry_run ? empty_copy(node) : tl::unexpected<core::error>{no_database(**database, node.settings)};
  if (!dry_run)
    if (auto ready = prepare_schema(**database, node.settings); !ready)
      return tl::unexpected<core::error>{ready.error()};
  return database;
}

/// The result of an apply and the place it was applied to.
struct applied_files {
  core::deploy_report report;
  /// Empty: applied through a server.
  std::string database = {};
};

core::result<applied_files> apply_files(const apply_options& options) {
  auto declared = config::load_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!declared)
    return tl::unexpected<core::error>{declared.error()};
  declared->prunes_other_files = options.prune_all;
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
  if (report)
    core::add_warnings(*report, warnings_of(*declared, *what));
  return std::move(report).map(
    [&](core::deploy_report&& done) { return applied_files{std::move(done), (*database)->description()}; });
}

// -- through a server ------------------------------------------------------------------------------------------------------

/// Largest body that a server accepts.
constexpr std::size_t sent_bytes_max = 8 * 1024 * 1024;

/// Returns the request body with the files as text. The server parses and validates them.
core::result<std::string> body_of(const apply_options& options) {
  auto files = config::find_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!files)
    return tl::unexpected{files.error()};
  protocol::wire::api_apply wanted{options.source, options.revision, options.dry_run, options.prune, options.prune_all, {}};
  for (auto& [name, text] : *files) {
    if (core::valid_utf8(text) != text)
      return core::fail(core::errc::invalid_argument, one_line(name) + ": the file is not valid UTF-8");
    wanted.files.emplace_back(core::valid_utf8(name), std::move(text));
  }
  auto body = protocol::wire::api_apply_body(wanted);
  if (body.size() > sent_bytes_max)
    return core::fail(core::errc::too_large,
                      "the files exceed the 8 MiB that a server accepts in one request: apply them in "
                      "parts, each with its own --source, or directly on the database");
  return body;
}

core::result<applied_files> apply_there(api_client& server, const apply_options& options) {
  auto body = body_of(options);
  if (!body)
    return tl::unexpected{body.error()};
  auto answer = server.ask({"POST", "/apply", api_document::parse(*body, nullptr, false)});
  if (!answer)
    return tl::unexpected{answer.error()};
  auto done = protocol::wire::parse_api_applied(answer->dump(-1, ' ', false, api_document::error_handler_t::replace));
  return done ? core::result<applied_files>{applied_files{std::move(done->report)}}
              : core::fail(core::errc::unavailable, done.error().context + ": it is unknown whether the files were applied");
}

core::result<applied_files> apply_somewhere(const apply_options& options) {
  const auto server = open_named_server(options);
  if (!server)
    return tl::unexpected{server.error()};
  return *server ? apply_there(**server, options) : apply_files(options);
}

/// Asks for confirmation before objects are removed. A dry run finds out which.
core::result<void> confirm_prune(const apply_options& options) {
  if (!options.prune || options.dry_run || options.yes)
    return {};
  auto looked = options;
  looked.dry_run = true;
  const auto plan = apply_somewhere(looked);
  if (!plan)
    return tl::unexpected{plan.error()};
  std::string what;
  std::size_t removed = 0;
  for (const auto& change : plan->report.changes)
    if (change.kind == core::change_kind::remove) {
      what += "- " + change.object + '\n';
      ++removed;
    }
  if (removed == 0)
    return {};
  return confirm(what + "the source " + one_line(options.source) + " no longer declares them: " + std::to_string(removed) +
                   " will be removed, jobs with their history of sources",
                 false);
}

} // namespace

int apply(const apply_options& options) {
  if (auto agreed = confirm_prune(options); !agreed)
    return complain(agreed.error());
  const auto done = apply_somewhere(options);
  if (!done)
    return complain(done.error());
  if (options.json) {
    std::fputs(describe_json(done->report, options.dry_run).c_str(), stdout);
    return exit_done;
  }
  print_warnings(done->report);
  std::fputs(describe(done->report, options.dry_run).c_str(), stdout);
  if (!done->database.empty() && !options.dry_run)
    std::printf("database: %s\n", one_line(done->database).c_str());
  return exit_done;
}

} // namespace ringmaster::apps
