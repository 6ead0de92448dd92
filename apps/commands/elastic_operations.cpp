// `ringmaster elastic cancel | host … | servers | dump`.

#include "apps/commands/elastic_operations.hpp"

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/elastic_text.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::apps {

namespace {

struct elastic_cancel_options : client_options {
  std::string run;
};

struct elastic_host_order_options : client_options {
  /// Id or IP address.
  std::string host;
};

struct elastic_server_list_options : client_options {
  std::optional<std::string> group;
};

struct elastic_dump_options : client_options {
  std::string job;
  bool unmasked = false;
};

int cancel_elastic_run(const elastic_cancel_options& options) {
  const auto& run = options.run;
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return client.ask({"POST", "/elastic/runs/" + run + "/cancel"});
    },
    [&](api_client&, const api_document& reply) {
      return core::result<std::string>{"run " + run + (boolean_in(reply, "changed") ? " cancelled\n" : " cancelled already\n")};
    });
}

/// Orders `verb`, and prints what was done with each host.
int order_host(const elastic_host_order_options& options, const std::string& verb, const char* done) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return client.ask({"POST", "/elastic/hosts/" + core::percent_encoded(options.host) + '/' + verb});
    },
    [&](api_client&, const api_document& reply) {
      std::string out;
      for (const auto& host : items_in(reply, "hosts"))
        out += "host " + one_line(host.is_string() ? host.get<std::string>() : "") + ' ' + done +
               (boolean_in(reply, "changed") ? "\n" : " already\n");
      return core::result<std::string>{std::move(out)};
    });
}

int enable_elastic_host(const elastic_host_order_options& options) { return order_host(options, "enable", "enabled"); }

int disable_elastic_host(const elastic_host_order_options& options) { return order_host(options, "disable", "disabled"); }

int drain_elastic_host(const elastic_host_order_options& options) { return order_host(options, "drain", "drained"); }

int remove_elastic_host(const elastic_host_order_options& options) { return order_host(options, "remove", "removed"); }

int list_elastic_servers(const elastic_server_list_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) -> core::result<api_document> {
      query_text list{"/elastic/servers"};
      if (auto added = add_group_filter(client, list, options.group); !added)
        return tl::unexpected{added.error()};
      return client.ask({"GET", list.text()});
    },
    [](api_client&, const api_document& servers) { return core::result<std::string>{elastic_servers_table(items_in(servers))}; });
}

int dump_elastic_job(const elastic_dump_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        query_text dump{"/elastic/jobs/" + std::to_string(job) + "/dump"};
        if (options.unmasked)
          dump.add("mask", "false");
        return client.ask({"GET", dump.text()});
      });
    },
    [](api_client&, const api_document& lines) { return core::result<std::string>{elastic_dump_text(items_in(lines))}; });
}

void add_host_order(CLI::App& host, const char* name, const char* help, std::function<int()>& chosen,
                    int (*run)(const elastic_host_order_options&)) {
  auto [command, options] = add_command<elastic_host_order_options>(host, name, help, chosen, run);
  command->add_option("HOST", options->host, "Id, or an IP address for all of its hosts")->required();
}

} // namespace

void add_elastic_operations(CLI::App& elastic, std::function<int()>& chosen) {
  {
    auto [command, options] =
      add_command<elastic_cancel_options>(elastic, "cancel", "Cancel a run of an item", chosen, cancel_elastic_run);
    command->add_option("RUN", options->run, "Number of the run, as items and history show it")
      ->required()
      ->type_name("ID")
      ->check(id_check("number of a run"));
  }
  auto* host = add_family(elastic, "host", "Hosts of elastic jobs: enable, disable, drain, remove");
  add_host_order(*host, "enable", "Give a host runs of elastic jobs again", chosen, enable_elastic_host);
  add_host_order(*host, "disable", "Give a host no more runs of any elastic job; its runs go on", chosen, disable_elastic_host);
  add_host_order(*host, "drain", "Give a host no more runs, and ask its runs to end", chosen, drain_elastic_host);
  add_host_order(*host, "remove", "Remove a host that is down from the lists", chosen, remove_elastic_host);
  {
    auto [command, options] = add_command<elastic_server_list_options>(
      elastic, "servers", "List the hosts of elastic jobs by IP address, with counts", chosen, list_elastic_servers);
    command->add_option("--group", options->group, "Only hosts of this group, by app name or id")->type_name("APP");
  }
  auto [command, options] = add_command<elastic_dump_options>(
    elastic, "dump", "Print the stored state of an elastic job, without IP addresses", chosen, dump_elastic_job);
  command->add_option("ELASTIC-JOB", options->job, "Name, namespace/name or id")->required();
  command->add_flag("--unmasked", options->unmasked, "Print IP addresses, too; only for administrators");
}

} // namespace ringmaster::apps
