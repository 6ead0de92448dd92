// `ringmaster node …`: the nodes of the cluster.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/commands/commands.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"

namespace ringmaster::apps {

namespace {

std::string shown(const std::string& text) { return text.empty() ? "-" : one_line(text); }

void print(const api_document& cluster) {
  std::vector<std::vector<std::string>> rows{{"NODE", "STATE", "LAST HEARTBEAT", "INCARNATION", "ADDRESS"}};
  for (const auto& node : items_in(cluster)) {
    const auto age = number_in(node, "beat_age_ms");
    rows.push_back({one_line(text_in(node, "id")) + (boolean_in(node, "self") ? " (answers)" : ""), shown(text_in(node, "state")),
                    age ? std::to_string(*age) + " ms ago" : "-", std::to_string(number_in(node, "life").value_or(0)),
                    shown(text_in(node, "address"))});
  }
  std::fputs(table_text(rows).c_str(), stdout);
  std::printf("%s mode; a node is dead after %lld ms without a heartbeat\n", shown(text_in(cluster, "mode")).c_str(),
              static_cast<long long>(number_in(cluster, "dead_after_ms").value_or(0)));
}

int list(const client_options& options) {
  const auto client = make_api_client(options);
  if (!client)
    return complain(client.error());
  const auto cluster = (*client)->ask({"GET", "/nodes"});
  if (!cluster)
    return complain(cluster.error());
  options.json ? print_json(*cluster) : print(*cluster);
  return exit_done;
}

} // namespace

void add_node_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* node = add_family(app, "node", "Nodes of the cluster: list");
  add_command<client_options>(*node, "list", "List nodes and their last heartbeats", chosen, list);
}

} // namespace ringmaster::apps
