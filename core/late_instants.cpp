#include "core/late_instants.hpp"

#include <map>
#include <utility>

namespace ringmaster::core {

settled_instants settle_late(std::vector<intent>&& ready, time_point now, milliseconds misfire_after,
                             const std::function<job_ptr(job_id)>& spec_of) {
  settled_instants out;
  std::map<job_id, intent> newest;
  for (auto& one : ready) {
    const auto late = one.kind == trigger_kind::cron && now > one.fire_at + misfire_after;
    const auto spec = late ? spec_of(one.job) : nullptr;
    if (!spec) {
      out.go_on.push_back(std::move(one));
    } else if (spec->misfire == misfire_policy::do_nothing) {
      out.drop.push_back(one.id);
      ++out.dropped_by_policy;
    } else if (const auto [known, first] = newest.try_emplace(one.job, one); !first) {
      if (known->second.fire_at < one.fire_at)
        std::swap(known->second, one);
      out.drop.push_back(one.id);
    }
  }
  for (auto& [job, one] : newest) {
    one.kind = trigger_kind::misfire;
    one.fire_at = now;
    out.go_on.push_back(std::move(one));
  }
  return out;
}

} // namespace ringmaster::core
