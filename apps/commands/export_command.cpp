#include "apps/commands/export_command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "apps/client/api_client.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/api_queries.hpp"
#include "apps/server/assembly.hpp"
#include "apps/server/data_folder.hpp"
#include "apps/server/new_file.hpp"
#include "apps/terminal/export_text.hpp"
#include "apps/terminal/report.hpp"

namespace ringmaster::apps {

namespace {

core::result<void> print_part_of_file(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size())
    return {};
  return core::fail(core::errc::unavailable, std::string{"cannot write to standard output: "} + std::strerror(errno));
}

using sink = std::function<core::result<void>(std::string_view)>;
using remark_sink = std::function<void(const std::string&)>;

void print_remark(const std::string& remark) { std::fprintf(stderr, "ringmaster: %s\n", remark.c_str()); }

core::result<void> write_from_database(const export_options& options, sink to, remark_sink remark) {
  auto what = assemble(options.config);
  if (!what)
    return tl::unexpected{what.error()};
  auto database = make_database(*what);
  if (!database)
    return tl::unexpected{database.error()};
  if (auto there = check_has_tables(**database, what->settings); !there)
    return there;
  auto store = (*database)->open_to_look();
  if (!store)
    return tl::unexpected{store.error()};
  const export_sinks sinks{std::move(to), std::move(remark)};
  return write_declared(**store, {options.groups, {}, options.source}, what->schedule_zone, system_now(), sinks);
}

/// Writes the export of a server. The file already holds the remarks as comments.
core::result<void> write_from_server(api_client& server, const export_options& options, const sink& to) {
  if (options.groups.size() > 1)
    return core::fail(core::errc::invalid_argument, "a server exports either everything or a single --group");
  query_text target{"/export"};
  if (!options.groups.empty()) {
    const auto group = find_group(server, options.groups.front());
    if (!group)
      return core::fail(group.error().code == core::errc::not_found ? core::errc::invalid_argument : group.error().code,
                        group.error().context);
    target.add("group", std::to_string(*group));
  }
  if (options.source)
    target.add("source", *options.source);
  const auto text = server.ask({"GET", target.text(), {}, "application/toml"});
  return text ? to(text->get_ref<const std::string&>()) : tl::unexpected{text.error()};
}

core::result<void> write_export(const export_options& options, sink to, remark_sink remark) {
  const auto server = open_named_server(options);
  if (!server)
    return tl::unexpected{server.error()};
  return *server ? write_from_server(**server, options, to) : write_from_database(options, std::move(to), std::move(remark));
}

core::result<void> write_file(const export_options& options, remark_sink remark) {
  auto file = new_file::begin(*options.output, options.force);
  if (!file)
    return tl::unexpected{file.error()};
  return write_export(
           options, [&](std::string_view text) { return file->write(text); }, std::move(remark))
    .and_then([&] { return file->finish(); });
}

/// Prints the file as a text, or its path, and the remarks, which a server has in the file only.
core::result<void> print_as_json(const export_options& options) {
  api_document document{{"remarks", api_document::array()}};
  std::string text;
  const auto keep_text = [&text](std::string_view part) -> core::result<void> {
    text += part;
    return {};
  };
  const auto keep_remark = [&document](const std::string& remark) { document["remarks"].push_back(remark); };
  const auto done = options.output ? write_file(options, keep_remark) : write_export(options, keep_text, keep_remark);
  if (!done)
    return done;
  if (options.output)
    document["file"] = *options.output;
  else
    document["text"] = std::move(text);
  print_json(document);
  return {};
}

core::result<void> export_as(const export_options& options) {
  if (options.json)
    return print_as_json(options);
  return options.output ? write_file(options, print_remark) : write_export(options, print_part_of_file, print_remark);
}

} // namespace

int export_declared(const export_options& options) {
  const auto done = export_as(options);
  return done ? exit_done : complain(done.error());
}

void add_export_command(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<export_options>();
  auto* command = app.add_subcommand("export", "Export groups, jobs and alarms as a declared file");
  add_desk_options(*command, *options);
  command->add_option("--group", options->groups, "Only the groups of these app names")->type_name("GROUP");
  command->add_option("--source", options->source, "Only objects declared by this source")->type_name("NAME");
  command->add_option("--output", options->output, "File to create; default standard output")->type_name("FILE");
  command->add_flag("--force", options->force, "Overwrite an existing file");
  command->callback([command, options, &chosen] {
    chosen = [command, options] { return run_with_texts(*command, [&] { return export_declared(*options); }); };
  });
}

} // namespace ringmaster::apps
