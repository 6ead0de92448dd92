// `ringmaster elastic …`: elastic jobs, their items and hosts.

#include <cstdio>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/elastic_text.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/elastic_edits.hpp"
#include "apps/commands/elastic_operations.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/elastic/plan.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::apps {

namespace {

struct elastic_list_options : client_options {
  std::optional<std::string> group;
  std::optional<std::string> status;
  std::optional<std::string> name;
  std::optional<std::string> cursor;
  std::size_t limit = 100;
};

struct elastic_host_options : client_options {
  std::optional<std::string> group;
};

struct elastic_options : client_options {
  /// Name, `namespace/name`, or id.
  std::string job;
};

struct elastic_item_options : elastic_options {
  std::optional<std::string> cursor;
  std::size_t limit = 100;
};

struct elastic_history_options : elastic_item_options {
  std::optional<std::int32_t> item;
  std::optional<std::string> state;
  /// A duration before now such as `1h`, or a time.
  std::optional<std::string> since;
  std::optional<std::string> until;
};

struct elastic_plan_options : elastic_options {
  std::optional<std::string> without;
};

struct elastic_switch_options : elastic_options {
  std::optional<std::int32_t> item;
};

struct elastic_server_options : elastic_switch_options {
  /// Id or IP address of a host.
  std::optional<std::string> host;
};

struct elastic_trigger_options : elastic_switch_options {
  std::optional<std::string> param;
  std::optional<std::string> policy;
};

int list_elastic_jobs(const elastic_list_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) -> core::result<api_document> {
      query_text list{"/elastic/jobs"};
      if (options.status)
        list.add("status", *options.status);
      if (options.name)
        list.add("name", *options.name);
      if (auto added = add_group_filter(client, list, options.group); !added)
        return tl::unexpected{added.error()};
      return ask_page(client, list, options.limit, options.cursor);
    },
    [](api_client& client, const api_document& page) {
      return group_names(client).map([&](const group_titles& groups) {
        return elastic_jobs_table(items_in(page), groups, client.zone()) + more_text(page);
      });
    });
}

std::string elastic_path(std::int64_t job, const char* part = "") { return "/elastic/jobs/" + std::to_string(job) + part; }

int show_elastic_job(const elastic_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        return client.ask({"GET", elastic_path(job)});
      });
    },
    [](api_client& client, const api_document& job) {
      return group_names(client).map(
        [&](const group_titles& groups) { return describe_elastic_job(job, groups, client.zone()); });
    });
}

int list_elastic_items(const elastic_item_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        return ask_page(client, query_text{elastic_path(job, "/items")}, options.limit, options.cursor);
      });
    },
    [](api_client& client, const api_document& page) {
      return core::result<std::string>{elastic_items_table(items_in(page), client.zone()) + more_text(page)};
    });
}

core::result<api_document> ask_history(api_client& client, std::int64_t job, const elastic_history_options& options) {
  query_text list{elastic_path(job, "/history")};
  if (options.item)
    list.add("item", std::to_string(*options.item));
  if (options.state)
    list.add("state", *options.state);
  return add_times(list, options.since, options.until, client.zone()).and_then([&] {
    return ask_page(client, list, options.limit, options.cursor);
  });
}

int list_elastic_history(const elastic_history_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) { return ask_history(client, job, options); });
    },
    [](api_client& client, const api_document& page) {
      return core::result<std::string>{elastic_history_table(items_in(page), client.zone()) + more_text(page)};
    });
}

int show_elastic_plan(const elastic_plan_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        query_text plan{elastic_path(job, "/plan")};
        if (options.without)
          plan.add("without", *options.without);
        return client.ask({"GET", plan.text()});
      });
    },
    [](api_client&, const api_document& plan) { return core::result<std::string>{elastic_plan_table(items_in(plan))}; });
}

int list_elastic_hosts(const elastic_host_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) -> core::result<api_document> {
      query_text list{"/elastic/hosts"};
      if (auto added = add_group_filter(client, list, options.group); !added)
        return tl::unexpected{added.error()};
      return client.ask({"GET", list.text()});
    },
    [](api_client&, const api_document& hosts) { return core::result<std::string>{elastic_hosts_table(items_in(hosts))}; });
}

/// Returns `elastic job sums`, or `item 3 of elastic job sums`.
std::string object_of(const elastic_switch_options& options) {
  const auto job = "elastic job " + one_line(options.job);
  return options.item ? "item " + std::to_string(*options.item) + " of " + job : job;
}

/// Sends an order and prints what was done.
int order(const elastic_switch_options& options, const char* part, api_document body, const char* done) {
  if (options.item)
    body["item"] = *options.item;
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        return client.ask({"POST", elastic_path(job, part), body});
      });
    },
    [&](api_client& client, const api_document& reply) {
      auto text = object_of(options) + ' ' + done;
      if (reply.contains("changed") && !boolean_in(reply, "changed"))
        text += " already";
      if (const auto next = instant_in(reply, "next_ms", client.zone(), ""); !next.empty() && !options.item)
        text += "; next at " + next + ' ' + client.zone().name();
      return core::result<std::string>{text + '\n'};
    });
}

/// Enables or disables a job, one item of it, or one host for it.
int switch_elastic_job(const elastic_server_options& options, const std::string& verb) {
  if (!options.host)
    return order(options, ('/' + verb).c_str(), api_document::object(), (verb + 'd').c_str());
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t job) {
        return client.ask({"POST", elastic_path(job, "/hosts/") + core::percent_encoded(*options.host) + '/' + verb});
      });
    },
    [&](api_client&, const api_document& reply) {
      const auto already = boolean_in(reply, "changed") ? "" : " already";
      return core::result<std::string>{"host " + one_line(*options.host) + " " + verb + 'd' + already + " for "
                                       + object_of(options) + '\n'};
    });
}

int enable_elastic(const elastic_server_options& options) { return switch_elastic_job(options, "enable"); }

int disable_elastic(const elastic_server_options& options) { return switch_elastic_job(options, "disable"); }

/// Sends an order for the whole job.
int order_whole(const elastic_options& options, const char* part, const char* done) {
  elastic_switch_options whole;
  static_cast<elastic_options&>(whole) = options;
  return order(whole, part, {}, done);
}

int shut_elastic_down(const elastic_options& options) { return order_whole(options, "/shutdown", "shut down"); }

int drain_elastic(const elastic_options& options) { return order_whole(options, "/drain", "drained"); }

int restart_elastic(const elastic_options& options) { return order_whole(options, "/restart", "restarted"); }

int trigger_elastic_job(const elastic_trigger_options& options) {
  auto body = api_document::object();
  if (options.param)
    body["param"] = *options.param;
  if (options.policy)
    body["policy"] = *options.policy;
  return order(options, "/trigger", std::move(body), "triggered");
}

void add_elastic_job(CLI::App& command, elastic_options& options) {
  command.add_option("ELASTIC-JOB", options.job, "Name, namespace/name or id")->required();
}

CLI::Option* add_item(CLI::App& command, std::optional<std::int32_t>& item, const char* help) {
  return command.add_option("--item", item, help)->type_name("N")->check(CLI::Range(0, core::elastic::items_max - 1));
}

void add_elastic_views(CLI::App& elastic, std::function<int()>& chosen) {
  {
    auto [command, options] = add_command<elastic_list_options>(elastic, "list", "List elastic jobs", chosen, list_elastic_jobs);
    command->add_option("--group", options->group, "Only jobs of this group, by app name or id")->type_name("APP");
    command->add_option("--status", options->status, "Only jobs with this status")
      ->check(CLI::IsMember({"enabled", "disabled", "draining", "shut_down"}));
    command->add_option("--name", options->name, "Only jobs with this text in their name")->type_name("TEXT");
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] = add_command<elastic_options>(elastic, "show", "Show an elastic job", chosen, show_elastic_job);
    add_elastic_job(*command, *options);
  }
  {
    auto [command, options] = add_command<elastic_item_options>(
      elastic, "items", "List the items of an elastic job and their hosts", chosen, list_elastic_items);
    add_elastic_job(*command, *options);
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] = add_command<elastic_history_options>(
      elastic, "history", "List the runs of the items of an elastic job, newest first", chosen, list_elastic_history);
    add_elastic_job(*command, *options);
    add_item(*command, options->item, "Only runs of this item");
    command->add_option("--state", options->state, "Only runs with this state")
      ->check(CLI::IsMember({"running", "finished", "error", "lost", "killed", "failed"}));
    command->add_option("--since", options->since, "Granted after this time, or this long ago (1h, 7d)")->type_name("TIME");
    command->add_option("--until", options->until, "Granted before this time, or this long ago")->type_name("TIME");
    add_page_options(*command, options->cursor, options->limit);
  }
  {
    auto [command, options] = add_command<elastic_plan_options>(
      elastic, "plan", "Show the plan that an elastic job would have now", chosen, show_elastic_plan);
    add_elastic_job(*command, *options);
    command->add_option("--without", options->without, "Leave this host out")->type_name("HOST");
  }
  auto [command, options] =
    add_command<elastic_host_options>(elastic, "hosts", "List the hosts of elastic jobs", chosen, list_elastic_hosts);
  command->add_option("--group", options->group, "Only hosts of this group, by app name or id")->type_name("APP");
}

void add_elastic_switch(CLI::App& elastic, const char* name, const char* help, const char* item_help, const char* host_help,
                        std::function<int()>& chosen, int (*run)(const elastic_server_options&)) {
  auto [command, options] = add_command<elastic_server_options>(elastic, name, help, chosen, run);
  add_elastic_job(*command, *options);
  auto* item = add_item(*command, options->item, item_help);
  command->add_option("--host", options->host, host_help)->type_name("HOST")->excludes(item);
}

void add_elastic_order(CLI::App& elastic, const char* name, const char* help, std::function<int()>& chosen,
                       int (*run)(const elastic_options&)) {
  auto [command, options] = add_command<elastic_options>(elastic, name, help, chosen, run);
  add_elastic_job(*command, *options);
}

} // namespace

void add_elastic_commands(CLI::App& app, std::function<int()>& chosen) {
  auto* elastic = add_family(app, "elastic",
                             "Elastic jobs: list, show, items, plan, history, hosts, servers, dump, add, edit, remove, export, "
                             "enable, disable, drain, shutdown, restart, trigger, cancel, host");
  add_elastic_views(*elastic, chosen);
  add_elastic_edits(*elastic, chosen);
  add_elastic_switch(*elastic, "enable", "Enable an elastic job, one item, or one host for the job", "Enable only this item",
                     "Enable only this host for the job, by id or IP address", chosen, enable_elastic);
  add_elastic_switch(*elastic, "disable", "Disable an elastic job, one item, or one host for the job", "Disable only this item",
                     "Disable only this host for the job, by id or IP address", chosen, disable_elastic);
  add_elastic_order(*elastic, "drain", "Ask the runs of an elastic job to end, and start no others until it is enabled", chosen,
                    drain_elastic);
  add_elastic_order(*elastic, "shutdown", "Shut an elastic job down until it is enabled", chosen, shut_elastic_down);
  add_elastic_order(*elastic, "restart", "Cancel the runs of an elastic job and enable it", chosen, restart_elastic);
  {
    auto [command, options] =
      add_command<elastic_trigger_options>(*elastic, "trigger", "Run an elastic job once now", chosen, trigger_elastic_job);
    add_elastic_job(*command, *options);
    add_item(*command, options->item, "Run only this item");
    command->add_option("--param", options->param, "Parameter for these runs; default the job's own")->type_name("TEXT");
    command->add_option("--policy", options->policy, "What to do with items that run; default the job's own")
      ->check(CLI::IsMember({"discard", "queue", "coalesce"}));
  }
  add_elastic_operations(*elastic, chosen);
}

} // namespace ringmaster::apps
