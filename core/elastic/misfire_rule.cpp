#include "core/elastic/misfire_rule.hpp"

namespace ringmaster::core::elastic {

namespace {

/// Plans the one fire that stands for all instants from `next` up to `now`.
fire_plan plan_missed(const schedule& rule, time_point next, job_id of, time_point now, const misfire_options& options) {
  const auto newest = rule.last_up_to(next, now, of);
  const auto max_age = options.max_age ? *options.max_age : misfire_max_age_of(rule, newest, of);
  // After `end_at` nothing may happen, including a late start.
  const bool runs = options.misfire && now - newest <= max_age && !rule.is_over(now);
  const auto source = runs ? run_source::misfire : run_source::normal;
  fire_plan out;
  out.fires.push_back({{newest, source, {}}, !runs, 1 + rule.count(next, newest, of)});
  out.last = newest;
  out.next = rule.next(now, of);
  return out;
}

} // namespace

fire_plan plan_fires(const schedule& rule, time_point next, job_id of, time_point now, const misfire_options& options) {
  if (now > next + late_limit)
    return plan_missed(rule, next, of, now, options);
  fire_plan out;
  out.last = next;
  out.next = next;
  while (out.next && *out.next <= now && out.fires.size() < fires_max) {
    out.last = *out.next;
    out.fires.push_back({{out.last, run_source::normal, {}}, false, 1});
    out.next = rule.next(out.last, of);
  }
  return out;
}

milliseconds misfire_max_age_of(const schedule& rule, time_point instant, job_id of) {
  const auto following = rule.next(instant, of);
  return following ? *following - instant : last_misfire_age;
}

} // namespace ringmaster::core::elastic
