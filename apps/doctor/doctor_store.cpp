#include "apps/doctor/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <thread>

#include "apps/server/data_folder.hpp"
#include "apps/server/secrets.hpp"
#include "apps/terminal/table_text.hpp"
#include "config/text/diagnostics.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/sqlite_url.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

/// Time to watch the rows: two processes with one id replace each other about every second.
constexpr auto watch_time = 2500ms;
constexpr auto watch_step = 100ms;

/// A node while it is watched.
struct watched_node {
  core::node_row first;
  core::node_row last;
  /// Number of new incarnations; one is a restart.
  int new_incarnations = 0;

  [[nodiscard]] bool is_alive() const { return last.beat != first.beat || new_incarnations > 0; }
  [[nodiscard]] bool is_torn() const { return new_incarnations > 1; }
};

using watched_nodes = std::map<std::string, watched_node>;

void look(const std::vector<core::node_row>& rows, watched_nodes& nodes) {
  for (const auto& row : rows) {
    auto& node = nodes.try_emplace(row.id, watched_node{row, row}).first->second;
    node.new_incarnations += row.incarnation != node.last.incarnation;
    node.last = row;
  }
}

std::size_t up_of(const std::vector<core::node_row>& rows) {
  return static_cast<std::size_t>(
    std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.state == core::node_state::up; }));
}

/// Reports a duplicate node id before a second process starts, and while both run.
finding_list data_findings(const config::settings& settings, const watched_nodes& nodes) {
  finding_list found;
  const auto own = known_node_id(settings);
  for (const auto& [id, node] : nodes) {
    if (node.is_torn())
      found.push_back({verdict::failure, "node id",
                       id + " began " + std::to_string(node.new_incarnations) +
                         " incarnations while it was watched: two processes use this id "
                         "and replace each other",
                       "give each its own cluster.node or data folder"});
    else if (own == id && node.is_alive() && !data_dir_in_use(settings))
      found.push_back({verdict::failure, "node id",
                       id + " is alive at " + node.last.address +
                         ", but no server of this data folder runs: a second process with "
                         "this id would wait until that one ends",
                       "set another cluster.node, or remove node-id from the copied folder"});
  }
  return found;
}

/// Watches until there is a finding, the time is over, or the check is not wanted any more.
core::result<finding_list> watch(const config::settings& settings, storage::store& store, const still_wanted& go_on) {
  watched_nodes nodes;
  finding_list found;
  const auto end = std::chrono::steady_clock::now() + watch_time;
  while (found.empty() && std::chrono::steady_clock::now() < end && go_on()) {
    auto rows = store.cluster().nodes();
    if (!rows)
      return tl::unexpected<core::error>{rows.error()};
    look(*rows, nodes);
    found = data_findings(settings, nodes);
    std::this_thread::sleep_for(watch_step);
  }
  return found;
}

} // namespace

void check_executors(storage::store& store, finding_list& findings) {
  constexpr std::size_t named_max = 5;
  const auto state = store.registry().read();
  if (!state) {
    findings.push_back({verdict::failure, "executors", state.error().context});
    return;
  }
  std::vector<std::string_view> apps;
  for (const auto& group : state->groups)
    apps.push_back(group.app_name);
  std::map<std::string, std::string> unknown;
  for (const auto& each : state->registrations)
    if (std::find(apps.begin(), apps.end(), each.app_name) == apps.end())
      unknown.try_emplace(each.app_name, each.address);
  if (unknown.size() > named_max)
    unknown.erase(std::next(unknown.begin(), named_max), unknown.end());
  for (const auto& [app, address] : unknown)
    findings.push_back({verdict::warning, "executors",
                        "the executor at " + one_line(address) + " registers with the app name \"" + one_line(app) +
                          "\", but no group has it" + config::suggestion(app, apps),
                        "add a group with this app name, or correct that of the executor"});
}

void check_nodes(const config::settings& settings, storage::store& store, const still_wanted& go_on, finding_list& findings) {
  const auto rows = store.cluster().nodes();
  if (!rows) {
    findings.push_back({verdict::failure, "nodes", rows.error().context});
    return;
  }
  const auto up = up_of(*rows);
  findings.push_back({verdict::fine, "nodes", std::to_string(up) + " of " + std::to_string(rows->size()) + " are marked up"});
  if (up == 0 || core::sqlite_path(settings.database.url))
    return; // a SQLite file has only one server, which holds a lock
  const auto found = watch(settings, store, go_on);
  if (found)
    findings.insert(findings.end(), found->begin(), found->end());
  else
    findings.push_back({verdict::failure, "nodes", found.error().context});
}

namespace {

constexpr std::size_t jobs_a_page = 2000;

/// Adds the elastic jobs among those that `find_far_ahead` returns.
core::result<void> find_elastic(storage::store& store, core::schedule_rules& rules, core::milliseconds tolerance,
                                core::time_point now, const still_wanted& go_on, std::vector<far_ahead_job>& found) {
  for (core::elastic::elastic_job_id after{};;) {
    const auto page = store.elastic().jobs_after(after, jobs_a_page);
    if (!page)
      return tl::unexpected<core::error>{page.error()};
    for (const auto& job : *page) {
      if (job.status != core::elastic::job_status::on)
        continue;
      const auto& options = job.what.options;
      const auto rule = rules.of(options.schedule, options.schedule_conf, options.timing);
      const core::stored_times times{core::job_id{core::number(job.id)}, job.next, job.last};
      if (auto odd = rule ? core::check_times(times, **rule, now, tolerance) : std::nullopt)
        found.push_back({*odd, true});
    }
    if (page->size() < jobs_a_page || (go_on && !go_on()))
      return {};
    after = page->back().id;
  }
}

} // namespace

core::result<std::vector<far_ahead_job>> find_far_ahead(storage::store& store, const core::zone& where,
                                                        core::milliseconds tolerance, core::time_point now,
                                                        const still_wanted& go_on) {
  std::vector<far_ahead_job> found;
  core::schedule_rules rules{where};
  for (core::job_id after{};;) {
    const auto page = store.firings().load_jobs(core::slot_set{}.set(), after, jobs_a_page);
    if (!page)
      return tl::unexpected<core::error>{page.error()};
    for (const auto& job : *page) {
      const auto rule = rules.of(*job.spec);
      if (auto odd = rule ? core::check_times(core::times_of(job), **rule, now, tolerance) : std::nullopt)
        found.push_back({*odd});
    }
    if (page->size() < jobs_a_page || (go_on && !go_on()))
      break;
    after = page->back().spec->id;
  }
  if (auto read = go_on && !go_on() ? core::result<void>{} : find_elastic(store, rules, tolerance, now, go_on, found); !read)
    return tl::unexpected<core::error>{read.error()};
  return found;
}

} // namespace ringmaster::apps
