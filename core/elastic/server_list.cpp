#include "core/elastic/server_list.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ringmaster::core::elastic {

namespace {

using jobs_by_app = std::map<std::string, std::vector<elastic_job_id>>;
using servers_by_job = std::map<elastic_job_id, std::set<std::string>>;

void count_host(elastic_server& to, const host_row& host) {
  to.hosts.push_back(host.facts.id);
  ++(host.state == host_state::up ? to.up : host.state == host_state::silent ? to.silent : to.down);
  if (host.mode != host_mode::enabled)
    ++to.disabled;
}

/// Returns whether no host of the server gets grants of a job with these disabled servers.
bool is_disabled(const std::vector<const host_row*>& hosts, const std::set<std::string>& disabled) {
  return std::all_of(hosts.begin(), hosts.end(), [&](const host_row* host) {
    return host->mode != host_mode::enabled || disabled.contains(host->facts.id) || disabled.contains(host->facts.ip);
  });
}

void count_jobs(elastic_server& to, const std::vector<const host_row*>& hosts, const jobs_by_app& jobs,
                const servers_by_job& disabled) {
  std::map<std::string, std::vector<const host_row*>> by_app;
  for (const auto* host : hosts)
    by_app[host->facts.app_name].push_back(host);
  for (const auto& [app, own] : by_app) {
    const auto found = jobs.find(app);
    if (found == jobs.end())
      continue;
    to.jobs += static_cast<std::int64_t>(found->second.size());
    if (is_disabled(own, {})) {
      to.disabled_jobs += static_cast<std::int64_t>(found->second.size());
      continue;
    }
    // Most jobs have no disabled server.
    for (const auto& [job, servers] : disabled)
      if (std::binary_search(found->second.begin(), found->second.end(), job) && is_disabled(own, servers))
        ++to.disabled_jobs;
  }
}

} // namespace

std::vector<elastic_server> servers_of(const std::vector<host_row>& hosts, const std::vector<elastic_host_load>& loads,
                                       const std::vector<server_job>& jobs, const std::vector<server_row>& disabled) {
  jobs_by_app by_app;
  for (const auto& job : jobs)
    by_app[job.app_name].push_back(job.id);
  for (auto& [app, ids] : by_app)
    std::sort(ids.begin(), ids.end());
  servers_by_job by_job;
  for (const auto& row : disabled)
    by_job[row.job].insert(row.server);
  std::map<host_number, std::int64_t> running;
  for (const auto& load : loads)
    running.emplace(load.host, load.running);
  std::map<std::string, std::vector<const host_row*>> by_ip;
  for (const auto& host : hosts)
    by_ip[host.facts.ip].push_back(&host);
  std::vector<elastic_server> out;
  for (const auto& [ip, own] : by_ip) {
    elastic_server server;
    server.ip = ip;
    for (const auto* host : own) {
      count_host(server, *host);
      if (const auto found = running.find(host->process.host); found != running.end())
        server.running += found->second;
    }
    std::sort(server.hosts.begin(), server.hosts.end());
    count_jobs(server, own, by_app, by_job);
    out.push_back(std::move(server));
  }
  return out;
}

} // namespace ringmaster::core::elastic
