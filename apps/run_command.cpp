// `ringmaster run …`

#include <cstdio>

#include "apps/job_commands.hpp"
#include "apps/job_text.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"

namespace ringmaster::apps {

namespace {

core::result<std::vector<core::log_row>> runs_for(storage::store& store, const run_list_options& options) {
  core::run_filter filter;
  filter.failed = options.failed;
  filter.limit = options.limit;
  if (options.before)
    filter.before = core::log_id{*options.before};
  if (options.job) {
    auto name = core::parse_job_name(*options.job);
    if (!name)
      return tl::unexpected<core::error>{name.error()};
    // The log of a job may outlive it: an id needs no job.
    auto id = name->id;
    if (!id) {
      auto card = store.jobs().find(*name);
      if (!card)
        return tl::unexpected<core::error>{card.error()};
      id = card->spec->id;
    }
    filter.job = id;
  }
  return store.jobs().latest_runs(filter);
}

} // namespace

int run_list(const run_list_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  auto rows = runs_for(*opened->store, options);
  if (!rows)
    return complain(rows.error());
  if (!options.json) {
    std::fputs(runs_table(*rows, opened->what.schedule_zone).c_str(), stdout);
    if (rows->size() == options.limit)
      std::printf("more: --before %lld\n", static_cast<long long>(core::number(rows->back().id)));
    return exit_done;
  }
  auto list = nlohmann::json::array();
  for (const auto& row : *rows)
    list.push_back(to_json(row));
  std::fputs(dumped({{"runs", list}}).c_str(), stdout);
  return exit_done;
}

int run_show(const run_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const core::log_id id{options.run};
  auto rows = opened->store->logs().rows({&id, 1});
  if (!rows)
    return complain(rows.error());
  if (rows->empty())
    return complain({core::errc::not_found, "run " + std::to_string(options.run) + " does not exist"});
  std::fputs((options.json ? dumped(to_json(rows->front())) : describe(rows->front(), opened->what.schedule_zone)).c_str(),
             stdout);
  return exit_done;
}

} // namespace ringmaster::apps
