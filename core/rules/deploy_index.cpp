#include "core/rules/deploy_index.hpp"

#include <algorithm>

#include "core/job/address_list.hpp"
#include "core/rules/elastic_plan.hpp"

namespace ringmaster::core {

deploy_index::deploy_index(const deploy_state& held) {
  for (const auto& group : held.groups) {
    groups_by_name_.emplace(group.app_name, &group);
    groups_by_id_.emplace(number(group.id), &group);
  }
  for (const auto& job : held.jobs) {
    jobs_by_key_.emplace(std::pair{number(job.group), std::string_view{job.key}}, &job);
    jobs_by_id_text_.emplace(std::to_string(number(job.id)), &job);
  }
}

const held_group* deploy_index::group(group_id id) const {
  auto found = groups_by_id_.find(number(id));
  return found == groups_by_id_.end() ? nullptr : found->second;
}

std::vector<const held_group*> deploy_index::groups_named(std::string_view app_name) const {
  std::vector<const held_group*> groups;
  for (auto [entry, last] = groups_by_name_.equal_range(app_name); entry != last; ++entry)
    groups.push_back(entry->second);
  return groups;
}

const held_job* deploy_index::job(group_id group, std::string_view key) const {
  auto found = jobs_by_key_.find({number(group), key});
  return found == jobs_by_key_.end() ? nullptr : found->second;
}

const held_job* deploy_index::job(std::string_view app_name, std::string_view key) const {
  for (const auto* group : groups_named(app_name))
    if (const auto* found = job(group->id, key))
      return found;
  return nullptr;
}

std::string deploy_index::names_of(std::string_view child_jobs) const {
  auto names = split_addresses(child_jobs);
  for (auto& name : names)
    if (auto found = jobs_by_id_text_.find(name); found != jobs_by_id_text_.end())
      if (const auto* parent = group(found->second->group))
        name = parent->app_name + '/' + found->second->key;
  return join_addresses(names).value_or("");
}

void plan_removals(const deploy_state& held, const declared_set& declared, const std::unordered_set<std::int32_t>& kept,
                   const std::unordered_set<std::int32_t>& used_groups, deploy_plan& plan) {
  deploy_index index{held};
  auto is_declared = [&declared](const held_group& group) {
    return std::any_of(declared.groups.begin(), declared.groups.end(),
                       [&group](const auto& other) { return other.app_name == group.app_name; });
  };
  auto inhabited = used_groups;
  for (const auto& job : held.jobs) {
    if (job.source != declared.source || kept.contains(number(job.id))) {
      inhabited.insert(number(job.group));
      continue;
    }
    job_write write;
    write.kind = change_kind::remove;
    write.id = job.id;
    const auto* group = index.group(job.group);
    write.object = "job " + (group ? group->app_name : "") + '/' + job.key;
    plan.report.edited.push_back(job.id);
    plan.report.changes.push_back({change_kind::remove, write.object, {}});
    plan.jobs.push_back(std::move(write));
  }
  for (const auto& job : held.elastic_jobs)
    if (job.busy || !is_pruned(job.row, declared))
      inhabited.insert(number(job.row.what.group));
  for (const auto& job : declared.elastic_jobs)
    for (const auto* group : index.groups_named(job.group))
      inhabited.insert(number(group->id));
  for (const auto& group : held.groups) {
    if (group.source != declared.source || group.jobs_made_by_hand != 0 || inhabited.contains(number(group.id)) ||
        is_declared(group))
      continue;
    group_write write;
    write.kind = change_kind::remove;
    write.id = group.id;
    write.app_name = group.app_name;
    write.object = "group " + group.app_name;
    plan.report.changes.push_back({change_kind::remove, write.object, {}});
    plan.groups.push_back(std::move(write));
  }
}

} // namespace ringmaster::core
