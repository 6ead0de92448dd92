#pragma once

// Lookup of stored declared objects. Internal to the deploy plan.

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/rules/deploy_plan.hpp"

namespace ringmaster::core {

/// Index of a state. Points into the state, which must outlive it.
class deploy_index {
public:
  explicit deploy_index(const deploy_state& held);

  /// Returns the group; null: there is none.
  [[nodiscard]] const held_group* group(group_id id) const;
  /// Returns all groups of that name: app names are not unique in XXL's schema.
  [[nodiscard]] std::vector<const held_group*> groups_named(std::string_view app_name) const;
  [[nodiscard]] const held_job* job(group_id group, std::string_view key) const;
  /// Returns the first job of that key in any group of that name.
  [[nodiscard]] const held_job* job(std::string_view app_name, std::string_view key) const;

  /// Returns `child_jobid` with the names of the jobs: `pay/settle,pay/report`; an id that no source declares stays an id.
  [[nodiscard]] std::string names_of(std::string_view child_jobs) const;

private:
  std::unordered_multimap<std::string_view, const held_group*> groups_by_name_;
  std::unordered_map<std::int32_t, const held_group*> groups_by_id_;
  std::map<std::pair<std::int32_t, std::string_view>, const held_job*> jobs_by_key_;
  std::unordered_map<std::string, const held_job*> jobs_by_id_text_;
};

/// Adds removals to `plan`: jobs that the source declared before and that are not in `kept`, and groups without remaining jobs
/// (elastic ones count) that the source neither declares nor uses (`used_groups`: groups of declared jobs).
void plan_removals(const deploy_state& held, const declared_set& declared, const std::unordered_set<std::int32_t>& kept,
                   const std::unordered_set<std::int32_t>& used_groups, deploy_plan& plan);

} // namespace ringmaster::core
