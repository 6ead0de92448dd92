#include "apps/terminal/declaration_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/terminal/export_wording.hpp"
#include "config/declared/declared_writer.hpp"
#include "config/declared/elastic_keys.hpp"

namespace ringmaster::apps {

namespace {

using exported_groups = std::vector<storage::exported_group>;

std::string id_text(auto id) { return std::to_string(core::number(id)); }

const storage::exported_group* group_in(const exported_groups& groups, core::group_id id) {
  const auto at = std::find_if(groups.begin(), groups.end(), [id](const auto& each) { return each.id == id; });
  return at == groups.end() ? nullptr : &*at;
}

/// Returns why a file cannot name the group of a job; empty: it can.
std::string obstacle_of(const exported_groups& groups, const storage::exported_group* group, core::group_id id) {
  if (!group)
    return "group " + id_text(id) + " does not exist";
  const auto same =
    std::find_if(groups.begin(), groups.end(), [group](const auto& each) { return each.app_name == group->app_name; });
  const bool named = &*same == group && obstacles_of(wording_of(*group).group).empty();
  return named ? "" : "its group " + id_text(id) + " cannot be declared";
}

/// Returns the key of a job. An error of the search counts as a key that is taken.
std::string key_of(storage::store& store, const core::job_record& job, const storage::exported_group* group) {
  if (!job.key.empty())
    return job.key;
  auto key = key_from_name(job.name, job.id);
  if (!group)
    return key;
  const auto taken = store.jobs().find({std::nullopt, group->app_name, key});
  return !taken && taken.error().code == core::errc::not_found ? key : key + '-' + id_text(job.id);
}

/// Adds a child, or a note why it is left out.
void name_child(core::job_id id, const core::job_record* child, const exported_groups& groups, const core::job_record& parent,
                const core::principal& by, job_wording& out) {
  const auto* group = child ? group_in(groups, child->group) : nullptr;
  if (!child)
    out.notes.push_back("child " + id_text(id) + " does not exist");
  else if (!by.may(core::group_right::viewer, child->group))
    out.notes.push_back("child " + id_text(id) + " is in a group that you may not see");
  else if (child->key.empty() || !group)
    out.notes.push_back("child " + id_text(id) + " is not declared");
  else
    out.job.children.emplace_back(child->group == parent.group ? "" : group->app_name, child->key);
}

void name_children(const std::vector<core::job_record>& found, const exported_groups& groups, const core::job_record& parent,
                   const core::principal& by, job_wording& out) {
  std::vector<core::job_id> seen{parent.id};
  for (const auto id : core::numbers_in(parent.children)) {
    if (std::find(seen.begin(), seen.end(), id) != seen.end())
      continue;
    seen.push_back(id);
    const auto at = std::find_if(found.begin(), found.end(), [id](const auto& each) { return each.id == id; });
    name_child(id, at == found.end() ? nullptr : &*at, groups, parent, by, out);
  }
}

} // namespace

core::result<std::string> declaration_of(storage::store& store, const core::job_record& job, const core::principal& by,
                                         const core::zone& schedule_zone, core::time_point now) {
  exported_groups groups;
  std::vector<core::job_record> children;
  const auto looked = store.exports().look([&](storage::export_view& view) -> core::result<void> {
    const auto ids = core::numbers_in(job.children);
    return view.groups()
      .and_then([&](exported_groups&& rows) {
        groups = std::move(rows);
        return view.jobs(ids);
      })
      .map([&](std::vector<core::job_record>&& rows) { children = std::move(rows); });
  });
  if (!looked)
    return tl::unexpected{looked.error()};
  const auto* group = group_in(groups, job.group);
  const auto key = key_of(store, job, group);
  core::schedule_rules rules{schedule_zone};
  auto wording = wording_of(job, group ? group->app_name : "", key, rules, now);
  auto obstacles = std::move(wording.obstacles);
  for (auto& more : obstacles_of(wording.job))
    if (std::find(obstacles.begin(), obstacles.end(), more) == obstacles.end())
      obstacles.push_back(std::move(more));
  if (auto why = obstacle_of(groups, group, job.group); !why.empty())
    obstacles.push_back(std::move(why));
  name_children(children, groups, job, by, wording);
  auto text = config::declared_text(wording.job);
  if (job.key.empty() && obstacles.empty())
    text.insert(0, "# manually created as job " + id_text(job.id) + ": the key is new\n");
  // Without the empty line that parts it from the table before.
  const auto who = "job " + id_text(job.id) + " " + config::quoted_text(job.name);
  return commented_table(who, text, wording.notes, obstacles).substr(1);
}

core::result<std::string> declaration_of(storage::store& store, const core::elastic::elastic_job_row& job,
                                         const core::zone& schedule_zone, core::time_point now) {
  exported_groups groups;
  const auto looked = store.exports().look([&](storage::export_view& view) {
    return view.groups().map([&](exported_groups&& rows) { groups = std::move(rows); });
  });
  if (!looked)
    return tl::unexpected{looked.error()};
  const auto* group = group_in(groups, job.what.group);
  core::schedule_rules rules{schedule_zone};
  const auto wording = wording_of(job, group ? group->app_name : "", rules, now);
  auto obstacles = obstacles_of(wording.job);
  if (auto why = obstacle_of(groups, group, job.what.group); !why.empty())
    obstacles.push_back(std::move(why));
  const auto who = "elastic job " + id_text(job.id) + " " + config::quoted_text(job.what.name);
  return commented_table(who, config::declared_text(wording.job), wording.notes, obstacles).substr(1);
}

std::vector<std::string> unsupported_elastic_options() {
  std::vector<std::string> out;
  for (const auto& field : core::elastic::elastic_fields)
    if (config::is_later_elastic_key(field.name))
      out.emplace_back(field.name);
  if (config::is_later_elastic_key("props"))
    out.emplace_back("props");
  return out;
}

core::result<void> check_declarable(const core::declared_elastic_job& job) {
  const auto refuse_later = [](std::string_view key) {
    return core::refuse(core::errc::invalid_argument, core::refusal::option_unsupported,
                        std::string{key} + ": not supported by this release", std::string{key});
  };
  for (const auto& field : core::elastic::elastic_fields)
    if (config::is_later_elastic_key(field.name) && field.get(job.what.options) != field.default_value())
      return refuse_later(field.name);
  if (config::is_later_elastic_key("props") && !job.what.props.empty())
    return refuse_later("props");
  const auto obstacles = obstacles_of(job);
  return obstacles.empty() ? core::result<void>{} : core::fail(core::errc::invalid_argument, obstacles.front());
}

} // namespace ringmaster::apps
