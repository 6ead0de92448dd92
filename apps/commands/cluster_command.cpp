// `ringmaster cluster …`: the cluster's certificates.

#include <chrono>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/link_certificates.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"

namespace ringmaster::apps {

namespace {

struct init_tls_options {
  std::string folder;
  std::vector<std::string> nodes;
  std::vector<std::string> executors;
  bool renew = false;
  bool json = false;
};

void print(const std::vector<link_certificate>& made) {
  std::vector<std::vector<std::string>> rows{{"FOR", "CERTIFICATE", "KEY", "VALID UNTIL"}};
  bool has_authority = false;
  for (const auto& each : made) {
    rows.push_back({each.kind + (each.name.empty() ? "" : " " + each.name), one_line(each.certificate), one_line(each.key),
                    iso_utc(each.not_after)});
    has_authority = has_authority || each.name.empty();
  }
  std::fputs(table_text(rows, 0).c_str(), stdout);
  if (has_authority)
    std::puts("Both ends of a link need the authority's certificate (link.ca). Keep its key off the nodes and executors: it "
              "can make certificates of nodes.");
}

void print_as_json(const std::vector<link_certificate>& made) {
  auto items = api_document::array();
  for (const auto& each : made)
    items.push_back({{"kind", each.kind},
                     {"name", each.name},
                     {"certificate", each.certificate},
                     {"key", each.key},
                     {"not_after_ms", core::to_ms(each.not_after)}});
  print_json({{"items", std::move(items)}});
}

int init_tls(const init_tls_options& options) {
  link_certificates_wanted wanted{options.folder, {}, options.renew};
  for (const auto& name : options.nodes)
    wanted.holders.push_back({link_end::node, name});
  for (const auto& name : options.executors)
    wanted.holders.push_back({link_end::executor, name});
  if (wanted.holders.empty())
    return complain({core::errc::invalid_argument, "nothing to make: name nodes with --node or executors with --executor"});
  const auto made = make_link_certificates(wanted, std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now()));
  if (!made)
    return complain(made.error());
  options.json ? print_as_json(*made) : print(*made);
  return exit_done;
}

} // namespace

void add_cluster_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* cluster = add_family(app, "cluster", "Certificates of the cluster's native links: init-tls");
  auto options = std::make_shared<init_tls_options>();
  auto* command = cluster->add_subcommand("init-tls", "Make a private authority and certificates of nodes and executors");
  command->add_option("--dir", options->folder, "Folder of the files; made if it is missing")->type_name("FILE")->required();
  command->add_option("--node", options->nodes, "Id of a node; may be repeated")->type_name("ID");
  command->add_option("--executor", options->executors, "App name of an executor; may be repeated")->type_name("APP");
  command->add_flag("--renew", options->renew, "Replace certificates and keys that exist, except the authority's");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([command, options, &chosen] {
    chosen = [command, options] { return run_with_texts(*command, [&] { return init_tls(*options); }); };
  });
}

} // namespace ringmaster::apps
