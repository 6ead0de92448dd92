#include "core/elastic/plan_preview.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/elastic/planner.hpp"

namespace ringmaster::core::elastic {

namespace {

std::vector<std::string> labels_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (end > at)
      out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

host host_of(const host_row& row) {
  host out;
  out.number = row.process.host;
  out.id = row.facts.id;
  out.ip = row.facts.ip;
  out.pid = row.facts.pid;
  out.state = row.state;
  out.mode = row.mode;
  out.linked = row.state == host_state::up;
  out.labels = labels_in(row.facts.labels);
  // The clock of a host is known to its node only.
  out.clock_difference = milliseconds{0};
  return out;
}

host_number last_runner_of(const adopted_job& job) {
  for (const auto& item : job.items)
    if (number(item.item) == 0)
      return item.host.host;
  return no_host;
}

} // namespace

result<std::vector<elastic_preview_share>> preview_plan(const adopted_job& job, const std::vector<host_row>& hosts,
                                                        std::string_view without, time_point now) {
  std::map<host_number, std::string> ids;
  std::vector<host> known;
  for (const auto& row : hosts) {
    ids.emplace(row.process.host, row.facts.id);
    if (without.empty() || (row.facts.id != without && row.facts.ip != without))
      known.push_back(host_of(row));
  }
  if (!without.empty() && known.size() == hosts.size())
    return fail(errc::not_found, "unknown host " + std::string{without});
  const auto list = host_list::make(std::move(known));
  if (!list)
    return tl::unexpected{list.error()};
  std::optional<item_plan> previous;
  if (job.plan)
    if (auto read = item_plan::decode(job.plan->total, job.plan->assignment))
      previous = std::move(*read);
  const auto& what = job.job.what;
  const auto& options = what.options;
  const auto plan = make_plan({}, *list,
                              {.job = what.name,
                               .total = what.total,
                               .strategy = options.strategy,
                               .order = options.order,
                               .needs = {.label = options.label,
                                         .clock_difference_max = options.max_time_diff,
                                         .disabled_servers = job.disabled_servers},
                               .is_static = options.is_static,
                               .fallback = options.static_fallback,
                               .previous = previous ? &*previous : nullptr,
                               .last_runner = last_runner_of(job),
                               .now = now});
  if (!plan)
    return tl::unexpected{plan.error()};
  std::vector<elastic_preview_share> out;
  for (auto& share : plan->shares())
    out.push_back(
      {share.owner.is_assigned() ? ids[share.owner.host] : std::string{}, share.owner.reason, std::move(share.items)});
  return out;
}

} // namespace ringmaster::core::elastic
