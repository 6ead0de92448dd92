#include "core/rules/elastic_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/rules/elastic_differences.hpp"
#include "core/rules/job_columns.hpp"
#include "core/rules/source_files.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

namespace {

using elastic_identity = std::pair<std::string_view, std::string_view>;

elastic_identity identity_of(const elastic::elastic_definition& of) { return {of.name_space, of.name}; }

std::string elastic_object(const elastic::elastic_definition& of) { return "elastic_job " + full_name(of); }

elastic::job_status status_of(bool enabled) { return enabled ? elastic::job_status::on : elastic::job_status::off; }

class elastic_planner {
public:
  elastic_planner(const deploy_state& held, const deploy_plan& groups, const declared_set& declared, time_point now,
                  const zone& schedule_zone)
    : held_{held}, groups_{groups}, declared_{declared}, now_{now}, rules_{schedule_zone} {
    for (const auto& each : held.elastic_jobs)
      known_.emplace(identity_of(each.row.what), &each);
  }

  result<elastic_plan> run(bool prune) {
    for (const auto& job : declared_.elastic_jobs)
      if (auto planned = plan(job); !planned)
        return tl::unexpected{planned.error()};
    for (const auto& each : held_.elastic_jobs)
      if (prune && is_pruned(each.row, declared_))
        end(each);
    // A shutdown in place of a removal needs all files, too.
    if (auto whole = check_prune(held_.files, declared_, {ended_}); !whole)
      return tl::unexpected{whole.error()};
    return std::move(plan_);
  }

private:
  static std::string at(const declared_elastic_job& job) {
    return (job.where.empty() ? "" : job.where + ": ") + elastic_object(job.what) + ": ";
  }

  result<void> plan(const declared_elastic_job& job) {
    if (!seen_.insert(identity_of(job.what)).second)
      return fail(errc::invalid_argument, at(job) + "is declared twice");
    const auto group = group_of(job);
    if (!group)
      return tl::unexpected{group.error()};
    elastic_job_write write;
    write.group = *group;
    write.edit.what = job.what;
    // The id of a new group is known at the write.
    write.edit.what.group = group->id.value_or(group_id{1});
    write.edit.source = declared_.source;
    write.edit.content_hash = content_hash(job);
    write.edit.replace_class = true;
    if (auto sound = elastic::check(write.edit.what); !sound)
      return fail(errc::invalid_argument, at(job) + sound.error().context);
    const auto known = known_.find(identity_of(job.what));
    const auto* stored = known == known_.end() ? nullptr : &known->second->row;
    if (stored && stored->source != declared_.source)
      return fail(errc::conflict, at(job)
                                    + (stored->source ? belongs_to_text(*stored->source)
                                                      : "is not declared by any source; it stays unchanged"));
    if (auto fires = check_fires(job, stored); !fires)
      return fires;
    stored ? change(job, *stored, std::move(write)) : add(job, std::move(write));
    return {};
  }

  result<existing_or_new<group_id>> group_of(const declared_elastic_job& job) const {
    for (std::size_t i = 0; i < groups_.groups.size(); ++i)
      if (groups_.groups[i].kind == change_kind::create && groups_.groups[i].app_name == job.group)
        return existing_or_new<group_id>{std::nullopt, i};
    std::vector<const held_group*> same_name;
    for (const auto& group : held_.groups)
      if (group.app_name == job.group)
        same_name.push_back(&group);
    if (same_name.empty())
      return fail(errc::invalid_argument, at(job) + "the group " + job.group + " is neither declared nor in the database");
    const bool is_declared = std::any_of(declared_.groups.begin(), declared_.groups.end(),
                                         [&](const declared_group& group) { return group.app_name == job.group; });
    for (const auto* group : same_name)
      if (same_name.size() == 1 || (is_declared && group->source == declared_.source))
        return existing_or_new<group_id>{group->id, 0};
    return fail(errc::conflict, at(job) + "several groups are named " + job.group);
  }

  result<void> check_fires(const declared_elastic_job& job, const elastic::elastic_job_row* stored) {
    const auto& options = job.what.options;
    const auto rule = rules_.of(options.schedule, options.schedule_conf, options.timing);
    if (!rule)
      return fail(errc::invalid_argument, at(job) + rule.error().context);
    // A job whose end is in the past is not an error: the same file may be applied to a new database.
    const bool over = options.timing.end_at && *options.timing.end_at < now_;
    const auto from = stored ? search_from(now_, stored->last) : now_;
    const auto id = job_id{stored ? number(stored->id) : 0};
    if (options.schedule == schedule_type::none || !job.enabled || over || (*rule)->next(from, id))
      return {};
    return fail(errc::invalid_argument,
                at(job) + "the schedule " + options.schedule_conf + " never fires (again); set enabled = false to keep it");
  }

  void add(const declared_elastic_job& job, elastic_job_write write) {
    write.edit.status = status_of(job.enabled);
    plan_.changes.push_back({change_kind::create, elastic_object(job.what), {}});
    plan_.writes.push_back(std::move(write));
  }

  void change(const declared_elastic_job& job, const elastic::elastic_job_row& stored, elastic_job_write write) {
    write.kind = change_kind::update;
    write.edit.id = stored.id;
    write.edit.version = stored.version;
    auto fields = differences(stored.what, job.what);
    if (!write.group.id || *write.group.id != stored.what.group)
      fields.insert(fields.begin(), difference("group", name_of(stored.what.group), job.group));
    if (const auto wanted = new_status(job, stored)) {
      write.status = wanted;
      fields.emplace_back(std::string{"enabled: "} + (job.enabled ? "false -> true" : "true -> false"));
    } else if (!fields.empty() && job.enabled && stored.status != elastic::job_status::on) {
      fields.push_back(remark_line("stays disabled: a user disabled it; `ringmaster elastic enable` enables it"));
    }
    // Agrees with what a user has set.
    if (fields.empty() && stored.content_hash != write.edit.content_hash)
      fields.emplace_back(std::string{"enabled: "} + (job.enabled ? "true" : "false"));
    const auto kind = fields.empty() ? change_kind::unchanged : change_kind::update;
    plan_.changes.push_back({kind, elastic_object(job.what), std::move(fields)});
    if (kind == change_kind::update)
      plan_.writes.push_back(std::move(write));
  }

  /// Returns the status that the declaration demands now and did not demand before.
  static std::optional<elastic::job_status> new_status(const declared_elastic_job& job, const elastic::elastic_job_row& stored) {
    const bool demanded_before = stored.content_hash != pruned_hash
                                 && (stored.content_hash.empty() || declares_enabled(stored.content_hash) == job.enabled);
    const bool fulfilled = (stored.status == elastic::job_status::on) == job.enabled;
    return demanded_before || fulfilled ? std::nullopt : std::optional{status_of(job.enabled)};
  }

  void end(const held_elastic_job& job) {
    const auto& row = job.row;
    if (job.busy && row.content_hash == pruned_hash && row.status == elastic::job_status::shut_down)
      return plan_.changes.push_back({change_kind::unchanged, elastic_object(row.what), {}});
    elastic_job_write write;
    write.kind = job.busy ? change_kind::update : change_kind::remove;
    write.edit.id = row.id;
    write.edit.version = row.version;
    write.ends_later = job.busy;
    deploy_change change{write.kind, elastic_object(row.what), {}};
    ended_.push_back({change_kind::remove, change.object, {}});
    if (job.busy)
      change.fields.push_back(remark_line("is shut down, because items run: the next apply with --prune removes it"));
    plan_.changes.push_back(std::move(change));
    plan_.writes.push_back(std::move(write));
  }

  std::string name_of(group_id id) const {
    for (const auto& group : held_.groups)
      if (group.id == id)
        return group.app_name;
    return std::to_string(number(id));
  }

  const deploy_state& held_;
  const deploy_plan& groups_;
  const declared_set& declared_;
  time_point now_;
  schedule_rules rules_;
  std::map<elastic_identity, const held_elastic_job*> known_;
  std::set<elastic_identity> seen_;
  /// Jobs that the prune removes or shuts down.
  std::vector<deploy_change> ended_;
  elastic_plan plan_;
};

} // namespace

bool is_pruned(const elastic::elastic_job_row& job, const declared_set& declared) {
  return job.source == declared.source
         && std::none_of(declared.elastic_jobs.begin(), declared.elastic_jobs.end(), [&](const declared_elastic_job& each) {
              return identity_of(each.what) == identity_of(job.what);
            });
}

result<elastic_plan> plan_elastic(const deploy_state& held, const deploy_plan& groups, const declared_set& declared, bool prune,
                                  time_point now, const zone& schedule_zone) {
  return elastic_planner{held, groups, declared, now, schedule_zone}.run(prune);
}

} // namespace ringmaster::core
