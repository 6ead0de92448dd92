#include "apps/commands/import_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "apps/client/api_client.hpp"
#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/server/new_file.hpp"
#include "apps/terminal/report.hpp"
#include "config/elasticjob/elasticjob_import.hpp"

namespace ringmaster::apps {

namespace {

/// Maximum number of remarks on standard error. The file has all of them as comments.
constexpr std::size_t printed_remarks_max = 50;

core::result<void> write_import(const import_options& options, const std::string& text) {
  auto file = new_file::begin(*options.output, options.force);
  if (!file)
    return tl::unexpected{file.error()};
  return file->write(text).and_then([&] { return file->finish(); });
}

void print_import_remarks(const config::imported_jobs& done) {
  const auto shown = std::min(done.remarks.size(), printed_remarks_max);
  for (std::size_t i = 0; i < shown; ++i)
    std::fprintf(stderr, "ringmaster: %s\n", done.remarks[i].c_str());
  if (shown < done.remarks.size())
    std::fprintf(stderr, "ringmaster: and %zu more remarks, which are comments in the file\n", done.remarks.size() - shown);
}

void print_import(const import_options& options, config::imported_jobs&& done) {
  if (!options.json) {
    print_import_remarks(done);
    if (!options.output)
      std::fwrite(done.text.data(), 1, done.text.size(), stdout);
    return;
  }
  api_document document{{"jobs", done.declared}, {"left_out", done.left_out}, {"remarks", std::move(done.remarks)}};
  if (options.output)
    document["file"] = *options.output;
  else
    document["text"] = std::move(done.text);
  print_json(document);
}

} // namespace

int import_from_elasticjob(const import_options& options) {
  const auto documents = config::read_import_files(options.paths);
  if (!documents)
    return complain(documents.error());
  const auto now = std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now());
  auto done = config::import_elasticjob(*documents, options.group, now);
  if (!done)
    return complain(done.error());
  if (options.output)
    if (const auto written = write_import(options, done->text); !written)
      return complain(written.error());
  print_import(options, std::move(*done));
  return exit_done;
}

void add_import_command(CLI::App& app, std::function<int()>& chosen) {
  auto* family = add_family(app, "import", "Import jobs of other schedulers as a declared file: elasticjob");
  auto options = std::make_shared<import_options>();
  auto* command =
    family->add_subcommand("elasticjob", "Convert YAML, properties and Spring XML of ElasticJob to a declared file");
  command->add_option("PATH", options->paths, "Files of ElasticJob; the form of each is told by its content")
    ->type_name("TEXT")
    ->required();
  command->add_option("--group", options->group, "App name of the executor group; default the namespace of the jobs")
    ->type_name("GROUP");
  command->add_option("--output", options->output, "File to create; default standard output")->type_name("FILE");
  command->add_flag("--force", options->force, "Overwrite an existing file");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([command, options, &chosen] {
    chosen = [command, options] { return run_with_texts(*command, [&] { return import_from_elasticjob(*options); }); };
  });
}

} // namespace ringmaster::apps
