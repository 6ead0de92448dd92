#include "apps/commands/elastic_edits.hpp"

#include <iostream>
#include <iterator>
#include <string>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/elastic_text.hpp"
#include "apps/terminal/confirm.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/declared/declared_file.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"

namespace ringmaster::apps {

namespace {

using core::errc;

struct elastic_file_options : client_options {
  /// Name, `namespace/name`, or id; empty for a new job.
  std::string job;
  /// `-`: standard input.
  std::string path;
};

struct elastic_job_options : client_options {
  std::string job;
};

struct elastic_remove_options : elastic_job_options {
  /// Skips the confirmation.
  bool yes = false;
};

core::result<core::declared_set> read_tables(const std::string& path) {
  if (path != "-")
    return config::load_declared({{path}, ".", 0, "", "PATH"});
  const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  return config::parse_declared(text, "standard input", "");
}

/// Reads the only table of a file. Errors: `invalid_argument`, also for another table.
core::result<core::declared_elastic_job> read_elastic_file(const std::string& path) {
  auto set = read_tables(path);
  if (!set)
    return tl::unexpected{set.error()};
  const bool is_alone = set->elastic_jobs.size() == 1 && set->groups.empty() && set->jobs.empty() && set->alarms.empty();
  if (!is_alone)
    return core::fail(errc::invalid_argument, (path == "-" ? "standard input" : one_line(path)) +
                                                ": expected one [[elastic_job]] and nothing else; "
                                                "`ringmaster apply` takes files with several tables");
  return std::move(set->elastic_jobs.front());
}

/// Returns the body of a request with the job. `use`: a stored job has no `enabled` there.
core::result<api_document> elastic_body(api_client& client, core::declared_elastic_job job, core::draft_use use) {
  return find_group(client, job.group).map([&](std::int64_t group) {
    job.what.group = core::group_id{static_cast<std::int32_t>(group)};
    const auto enabled = use == core::draft_use::add ? std::optional{job.enabled} : std::nullopt;
    return api_document::parse(protocol::wire::api_elastic_body(job.what, enabled));
  });
}

std::string elastic_place(std::int64_t job) { return "/elastic/jobs/" + std::to_string(job); }

int add_elastic(const elastic_file_options& options) {
  const auto job = read_elastic_file(options.path);
  if (!job)
    return complain(job.error());
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return elastic_body(client, *job, core::draft_use::add).and_then([&](const api_document& body) {
        return client.ask({"POST", "/elastic/jobs", body});
      });
    },
    [&](api_client&, const api_document& made) {
      return core::result<std::string>{"elastic job " + one_line(core::full_name(job->what)) + " added with the id " +
                                       std::to_string(number_in(made, "id").value_or(0)) + '\n'};
    });
}

/// Replaces the definition as it is now: an edit in between is refused.
core::result<api_document> replace_elastic(api_client& client, const elastic_file_options& options,
                                           const core::declared_elastic_job& job) {
  const auto id = find_elastic_job(client, options.job);
  if (!id)
    return tl::unexpected{id.error()};
  const auto stored = client.ask_tagged({"GET", elastic_place(*id)});
  if (!stored)
    return tl::unexpected{stored.error()};
  return elastic_body(client, job, core::draft_use::update).and_then([&](const api_document& body) {
    return client.ask({"PUT", elastic_place(*id), body, "application/json", stored->etag});
  });
}

int edit_elastic(const elastic_file_options& options) {
  const auto job = read_elastic_file(options.path);
  if (!job)
    return complain(job.error());
  return ask_and_tell(
    options, [&](api_client& client) { return replace_elastic(client, options, *job); },
    [&](api_client& client, const api_document& reply) {
      auto text = "elastic job " + one_line(options.job) + (boolean_in(reply, "changed") ? " changed" : " is so already");
      if (const auto next = instant_in(reply, "next_ms", client.zone(), ""); !next.empty())
        text += "; next at " + next + ' ' + client.zone().name();
      return core::result<std::string>{text + '\n'};
    });
}

int remove_elastic(const elastic_remove_options& options) {
  const auto name = one_line(options.job);
  if (auto agreed = confirm("the elastic job " + name + " will be removed; its runs stay as history", options.yes); !agreed)
    return complain(agreed.error());
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t id) {
        return ask_to_remove(client, "/elastic/jobs/", id);
      });
    },
    [&](api_client&, const api_document&) { return core::result<std::string>{"elastic job " + name + " removed\n"}; });
}

int export_elastic(const elastic_job_options& options) {
  return ask_and_tell(
    options,
    [&](api_client& client) {
      return find_elastic_job(client, options.job).and_then([&](std::int64_t id) {
        return client.ask({"GET", elastic_place(id) + "/declaration", {}, "application/toml"});
      });
    },
    [](api_client&, const api_document& text) {
      return core::result<std::string>{text.is_string() ? text.get<std::string>() : std::string{}};
    });
}

void add_job_argument(CLI::App& command, std::string& job) {
  command.add_option("ELASTIC-JOB", job, "Name, namespace/name or id")->required();
}

void add_file_argument(CLI::App& command, std::string& path) {
  command.add_option("PATH", path, "File with one [[elastic_job]]; - reads standard input")->required();
}

} // namespace

void add_elastic_edits(CLI::App& elastic, std::function<int()>& chosen) {
  {
    auto [command, options] =
      add_command<elastic_file_options>(elastic, "add", "Add an elastic job from a file", chosen, add_elastic);
    add_file_argument(*command, options->path);
  }
  {
    auto [command, options] = add_command<elastic_file_options>(
      elastic, "edit", "Replace the definition of an elastic job; it stays enabled or disabled", chosen, edit_elastic);
    add_job_argument(*command, options->job);
    add_file_argument(*command, options->path);
  }
  {
    auto [command, options] =
      add_command<elastic_remove_options>(elastic, "remove", "Remove an elastic job", chosen, remove_elastic);
    add_job_argument(*command, options->job);
    command->add_flag("--yes", options->yes, "Skip the confirmation");
  }
  auto [command, options] = add_command<elastic_job_options>(
    elastic, "export", "Print an elastic job as a table of a declared file", chosen, export_elastic);
  add_job_argument(*command, options->job);
}

} // namespace ringmaster::apps
