#include "core/schedule/misfire.hpp"

#include <map>
#include <utility>

namespace ringmaster::core {

namespace {

bool is_late(const intent& one, time_point now, milliseconds misfire_after) {
  return one.kind == trigger_kind::cron && now > one.fire_at + misfire_after;
}

/// Returns the intent that replaces it; unset for the misfire itself, or if there is none yet.
std::optional<intent_id> cover_of(const intent& one, const waiting_misfires& waiting) {
  const auto found = waiting.find(one.job);
  return found == waiting.end() || found->second == one.id ? std::nullopt : std::optional{found->second};
}

} // namespace

bool needs_misfire_decision(const intent& one, time_point now, milliseconds misfire_after, const waiting_misfires& waiting) {
  return is_late(one, now, misfire_after) || (one.kind == trigger_kind::misfire && !waiting.contains(one.job))
         || (one.kind == trigger_kind::misfire && cover_of(one, waiting));
}

misfire_decision apply_misfire_policy(std::vector<intent>&& ready, time_point now, milliseconds misfire_after,
                             const std::function<job_ptr(job_id)>& spec_of, waiting_misfires& waiting) {
  misfire_decision out;
  // Intents that already wait as misfires come first: the others join them.
  for (const auto& one : ready)
    if (one.kind == trigger_kind::misfire)
      waiting.try_emplace(one.job, one.id);
  std::map<job_id, intent> newest;
  std::vector<std::pair<job_id, intent_id>> older;
  for (auto& one : ready) {
    const auto late = is_late(one, now, misfire_after);
    const auto spec = late ? spec_of(one.job) : nullptr;
    if (late && !spec) {
      out.go_on.push_back(std::move(one));
    } else if (late && spec->misfire == misfire_policy::do_nothing) {
      out.drop.push_back({one.id, std::nullopt});
    } else if (const auto cover = cover_of(one, waiting); cover && (late || one.kind == trigger_kind::misfire)) {
      out.drop.push_back({one.id, cover});
    } else if (!late) {
      out.go_on.push_back(std::move(one));
    } else if (const auto [known, first] = newest.try_emplace(one.job, one); !first) {
      if (known->second.fire_at < one.fire_at)
        std::swap(known->second, one);
      older.emplace_back(one.job, one.id);
    }
  }
  for (const auto& [job, id] : older)
    out.drop.push_back({id, newest.at(job).id});
  for (auto& [job, one] : newest) {
    waiting.insert_or_assign(job, one.id);
    one.kind = trigger_kind::misfire;
    one.fire_at = now;
    out.go_on.push_back(std::move(one));
  }
  return out;
}

} // namespace ringmaster::core
