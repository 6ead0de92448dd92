#include "core/rules/deploy_plan.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/cluster/cluster_mode.hpp"
#include "core/columns.hpp"
#include "core/job/address_list.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/deploy_index.hpp"
#include "core/rules/job_columns.hpp"
#include "core/rules/source_files.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Returns why an object of another owner stays unchanged, and what to do.
std::string owner_text(const std::string& source) {
  return source.empty() ? "is not declared by any source; it stays unchanged" : belongs_to_text(source);
}

std::string joined(const std::vector<std::string>& texts) { return join_addresses(texts).value_or(""); }

/// One declared job while it is being planned.
struct target {
  const declared_job* declared = nullptr;
  existing_or_new<group_id> group;
  /// The stored job. Null: the job is to be created, at `position` of the plan's jobs.
  const held_job* held = nullptr;
  std::size_t position = 0;

  [[nodiscard]] std::string object() const { return "job " + declared->group + '/' + declared->key; }
};

class planner {
public:
  planner(const deploy_state& held, const declared_set& declared, bool prune, time_point now, const zone& schedule_zone)
    : held_{held}, index_{held}, declared_{declared}, prune_{prune}, now_{now}, rules_{schedule_zone} {}

  result<deploy_plan> run() {
    for (auto step : {&planner::check_source, &planner::plan_groups, &planner::find_targets, &planner::plan_jobs})
      if (auto done = (this->*step)(); !done)
        return tl::unexpected{done.error()};
    if (prune_)
      plan_removals(held_, declared_, kept_, used_groups_, plan_);
    if (auto files = files_after(held_.files, declared_, prune_); files != held_.files)
      plan_.files = std::move(files);
    return std::move(plan_);
  }

private:
  using identity = std::pair<std::string_view, std::string_view>;

  /// Returns the prefix of messages: location and name of the job.
  static std::string at(const declared_job& job) {
    return (job.where.empty() ? "" : job.where + ": ") + "job " + job.group + '/' + job.key + ": ";
  }

  result<void> check_source() {
    if (declared_.source.empty() || !fits(declared_.source, source_chars))
      return fail(errc::invalid_argument, "the name of a source must have 1 to " + std::to_string(source_chars) + " characters");
    auto stored = held_.revision.value_or(0);
    if (declared_.revision != 0 && declared_.revision < stored)
      return fail(errc::conflict, "revision " + std::to_string(declared_.revision) + " of the source " + declared_.source +
                                    " is older than revision " + std::to_string(stored) + ", which was applied before");
    if (declared_.revision > stored)
      plan_.revision = declared_.revision;
    return {};
  }

  result<void> plan_groups() {
    for (const auto& group : declared_.groups)
      if (auto planned = plan_group(group); !planned)
        return planned;
    return {};
  }

  result<void> plan_group(const declared_group& declared) {
    auto object = (declared.where.empty() ? "" : declared.where + ": ") + "group " + declared.app_name;
    if (declared.app_name.empty() || !fits(declared.app_name, app_name_chars))
      return fail(errc::invalid_argument, object + ": app_name must have 1 to " + std::to_string(app_name_chars) + " characters");
    if (has_hidden_characters(declared.app_name))
      return fail(errc::invalid_argument, (object + ": app_name ").append(no_hidden_characters));
    if (auto fits = check_title(declared.title, held_.limits); !fits)
      return fail(errc::invalid_argument, object + ": " + fits.error().context);
    if (declared_groups_.contains(declared.app_name))
      return fail(errc::invalid_argument, object + " is declared twice");
    group_write write;
    write.app_name = declared.app_name;
    write.title = declared.title;
    write.type = declared.addresses ? address_type::manual : address_type::automatic;
    if (declared.addresses)
      write.address_list = joined(*declared.addresses);
    if (write.address_list.value_or("").size() > text_bytes)
      return fail(errc::invalid_argument, object + ": addresses are longer than " + std::to_string(text_bytes) + " bytes");
    auto same_name = index_.groups_named(declared.app_name);
    auto own = std::find_if(same_name.begin(), same_name.end(),
                            [this](const held_group* held) { return held->source == declared_.source; });
    if (own == same_name.end() && !same_name.empty())
      return fail(errc::conflict, object + ' ' + owner_text(same_name.front()->source));
    keep(own == same_name.end() ? nullptr : *own, std::move(write));
    return {};
  }

  void keep(const held_group* held, group_write write) {
    deploy_change change{held ? change_kind::unchanged : change_kind::create, "group " + write.app_name, {}};
    existing_or_new<group_id> reference{held ? std::optional{held->id} : std::nullopt, plan_.groups.size()};
    if (held) {
      write.id = held->id;
      if (held->title != write.title)
        change.fields.push_back(difference("title", held->title, write.title));
      bool manual = write.type == address_type::manual;
      if (held->type != write.type || (manual && held->address_list != *write.address_list))
        change.fields.push_back(difference("addresses", held->type == address_type::manual ? held->address_list : "automatic",
                                           manual ? *write.address_list : "automatic"));
      if (!change.fields.empty())
        change.kind = change_kind::update;
    }
    write.kind = change.kind;
    write.object = change.object;
    declared_groups_.emplace(write.app_name, reference);
    if (change.kind != change_kind::unchanged)
      plan_.groups.push_back(std::move(write));
    plan_.report.changes.push_back(std::move(change));
  }

  result<existing_or_new<group_id>> group_of(const declared_job& job) const {
    if (auto found = declared_groups_.find(job.group); found != declared_groups_.end())
      return found->second;
    auto same_name = index_.groups_named(job.group);
    if (same_name.empty())
      return fail(errc::invalid_argument, at(job) + "the group " + job.group + " is neither declared nor in the database");
    if (same_name.size() > 1)
      return fail(errc::conflict, at(job) + "several groups are named " + job.group);
    return existing_or_new<group_id>{same_name.front()->id, 0};
  }

  result<void> find_targets() {
    std::size_t created = 0;
    for (const auto& job : declared_.jobs) {
      if (job.key.empty() || !fits(job.key, job_key_chars))
        return fail(errc::invalid_argument, at(job) + "a key must have 1 to " + std::to_string(job_key_chars) + " characters");
      if (!targets_by_identity_.emplace(identity{job.group, job.key}, targets_.size()).second)
        return fail(errc::invalid_argument, at(job) + "is declared twice");
      auto group = group_of(job);
      if (!group)
        return tl::unexpected{group.error()};
      target one{&job, *group, group->id ? index_.job(*group->id, job.key) : nullptr, 0};
      if (one.held && one.held->source != declared_.source)
        return fail(errc::conflict, at(job) + owner_text(one.held->source));
      if (one.held)
        kept_.insert(number(one.held->id));
      else
        one.position = created++;
      if (one.group.id)
        used_groups_.insert(number(*one.group.id));
      targets_.push_back(one);
    }
    plan_.jobs.resize(created);
    return {};
  }

  result<void> plan_jobs() {
    for (const auto& one : targets_)
      if (auto planned = plan_job(one); !planned)
        return planned;
    return {};
  }

  result<void> plan_job(const target& one) {
    const auto& declared = *one.declared;
    job_write write;
    write.kind = one.held ? change_kind::update : change_kind::create;
    write.group = one.group;
    write.key = declared.key;
    write.hash = content_hash(declared);
    auto columns = columns_of(declared, held_.limits);
    if (!columns)
      return fail(errc::invalid_argument, at(declared) + columns.error().context);
    write.columns = std::move(*columns);
    if (held_.shared)
      if (auto known = check_shared(write.columns.timing); !known)
        return fail(errc::invalid_argument, at(declared) + known.error().context);
    if (auto found = find_children(one, write); !found)
      return found;
    auto scheduled = schedule_of(one, write);
    if (!scheduled)
      return tl::unexpected{scheduled.error()};
    write.schedule = *scheduled;
    keep(one, std::move(write));
    return {};
  }

  result<void> find_children(const target& parent, job_write& write) const {
    std::size_t chars_max = 0;
    for (const auto& [group_name, key] : parent.declared->children) {
      identity who{group_name.empty() ? parent.declared->group : group_name, key};
      existing_or_new<job_id> child;
      if (auto declared = targets_by_identity_.find(who); declared != targets_by_identity_.end()) {
        const auto& found = targets_[declared->second];
        if (&found == &parent)
          continue; // XXL ignores a job's own id, too.
        child = {found.held ? std::optional{found.held->id} : std::nullopt, found.position};
      } else if (auto* held = find_undeclared(who)) {
        child.id = held->id;
      } else {
        return fail(errc::invalid_argument, at(*parent.declared) + "the child " + std::string{who.first} + '/' + key +
                                              " is neither declared nor in the database");
      }
      auto same = [&child](const auto& other) { return other.id == child.id && other.position == child.position; };
      if (std::any_of(write.children.begin(), write.children.end(), same))
        continue;
      chars_max += child.id ? std::to_string(number(*child.id)).size() + 1 : 11;
      write.children.push_back(child);
    }
    if (chars_max > child_jobs_chars + 1)
      return fail(errc::invalid_argument, at(*parent.declared) + "has too many children: their ids do not fit into " +
                                            std::to_string(child_jobs_chars) + " characters");
    return {};
  }

  /// Finds a declared job of the store that this set neither declares nor removes.
  const held_job* find_undeclared(const identity& who) const {
    const auto* job = index_.job(who.first, who.second);
    return job && prune_ && job->source == declared_.source ? nullptr : job;
  }

  /// Returns whether a stop by a user stays. It stays until the declaration changes `enabled` itself, whatever else it changes.
  static bool keeps_manual_stop(const held_job& held, const declared_job& declared, const std::string& hash) {
    if (held.running || !held.stopped_manually || !declared.enabled)
      return false;
    auto disabled = declared;
    disabled.enabled = false;
    return held.hash == hash || held.hash != content_hash(disabled);
  }

  result<std::optional<schedule_write>> schedule_of(const target& one, const job_write& write) {
    const auto& declared = *one.declared;
    auto rule = rules_.of(declared.schedule, declared.schedule_conf, declared.timing);
    if (!rule)
      return fail(errc::invalid_argument, at(declared) + rule.error().context);
    bool content_changed = !one.held || one.held->hash != write.hash;
    // A job whose end is in the past is not an error: the same file may be applied to a new database.
    bool over = declared.timing.end_at && *declared.timing.end_at < now_;
    bool stays_stopped = one.held && keeps_manual_stop(*one.held, declared, write.hash);
    bool wanted = !content_changed ? one.held->running : declared.enabled && !over && !stays_stopped;
    schedule_write schedule;
    schedule.running = wanted && declared.schedule != schedule_type::none;
    schedule.last = one.held ? one.held->last : time_point{};
    bool same_schedule = one.held && one.held->columns.schedule_type == write.columns.schedule_type &&
                         one.held->columns.schedule_conf == write.columns.schedule_conf &&
                         one.held->columns.timing == write.columns.timing;
    if (same_schedule && one.held->running == schedule.running)
      return std::nullopt;
    if (schedule.running) {
      schedule.from = one.held ? search_from(now_, one.held->last) : now_;
      schedule.next = (*rule)->next(schedule.from, one.held ? one.held->id : job_id{});
      schedule.rule = *rule;
      if (!schedule.next)
        return fail(errc::invalid_argument, at(declared) + "the schedule " + declared.schedule_conf +
                                              " never fires (again); set enabled = false to keep it");
    }
    return schedule;
  }

  void keep(const target& one, job_write write) {
    deploy_change change{write.kind, one.object(), {}};
    write.object = change.object;
    if (!one.held) {
      plan_.jobs[one.position] = std::move(write);
      plan_.report.changes.push_back(std::move(change));
      return;
    }
    write.id = one.held->id;
    write.was_running = one.held->running;
    write.new_glue = one.held->columns.glue_type != write.columns.glue_type;
    change.fields = differences(one.held->columns, write.columns);
    bool new_child = std::any_of(write.children.begin(), write.children.end(), [](const auto& child) { return !child.id; });
    if (new_child || child_jobs_text(write, {}) != one.held->child_jobs)
      change.fields.push_back(difference("children", index_.names_of(one.held->child_jobs), names_of(one)));
    if (write.schedule && write.schedule->running != one.held->running)
      change.fields.push_back(write.schedule->running ? "enabled: false -> true" : "enabled: true -> false");
    const bool stays_stopped = keeps_manual_stop(*one.held, *one.declared, write.hash);
    write.ends_manual_stop = one.held->stopped_manually && one.held->hash != write.hash && !stays_stopped;
    if (stays_stopped && one.held->hash != write.hash)
      change.fields.push_back(remark_line("stays stopped: a user stopped it; `ringmaster job start` starts it"));
    if (change.fields.empty() && one.held->hash != write.hash)
      change.fields.push_back(std::string{"enabled: "} +
                              (one.declared->enabled ? "true" : "false")); // agrees with a manual start or stop
    if (change.fields.empty())
      change.kind = change_kind::unchanged;
    else
      plan_.jobs.push_back(std::move(write));
    if (change.kind != change_kind::unchanged)
      plan_.report.edited.push_back(one.held->id);
    plan_.report.changes.push_back(std::move(change));
  }

  static std::string names_of(const target& parent) {
    std::vector<std::string> names;
    for (const auto& [group, key] : parent.declared->children)
      names.push_back((group.empty() ? parent.declared->group : group) + '/' + key);
    return joined(names);
  }

  const deploy_state& held_;
  deploy_index index_;
  const declared_set& declared_;
  bool prune_;
  time_point now_;
  schedule_rules rules_;
  deploy_plan plan_;
  std::unordered_map<std::string, existing_or_new<group_id>> declared_groups_;
  std::map<identity, std::size_t> targets_by_identity_;
  std::vector<target> targets_;
  std::unordered_set<std::int32_t> kept_;
  std::unordered_set<std::int32_t> used_groups_;
};

} // namespace

result<deploy_plan> plan_deploy(const deploy_state& held, const declared_set& declared, bool prune, time_point now,
                                const zone& schedule_zone) {
  return planner{held, declared, prune, now, schedule_zone}.run();
}

std::optional<time_point> next_of(const schedule_write& write, job_id id) {
  return write.depends_on_id() ? write.rule->next(write.from, id) : write.next;
}

std::vector<held_group> edited_part(std::vector<held_group> groups) {
  for (auto& group : groups) {
    group.jobs_made_by_hand = 0;
    if (group.type == address_type::automatic)
      group.address_list.clear();
  }
  return groups;
}

result<time_point> planned_after(const job_write& job, time_point from) {
  if (const auto next = job.schedule->rule->next(from, job.id))
    return *next;
  return fail(errc::invalid_argument, job.object + ": the schedule " + job.columns.schedule_conf +
                                        " never fires (again); set enabled = false to keep it");
}

result<void> plan_later(deploy_plan& plan, time_point now) {
  for (auto& job : plan.jobs) {
    if (!job.schedule || !job.schedule->running || (*job.schedule->next > now && !job.schedule->depends_on_id()))
      continue;
    job.schedule->from = search_from(now, job.schedule->last);
    const auto next = planned_after(job, job.schedule->from);
    if (!next)
      return tl::unexpected{next.error()};
    job.schedule->next = *next;
  }
  return {};
}

audit_row audit_of(const deploy_change& change, audit_object kind, std::int32_t id, const std::string& source,
                   const principal& by, time_point now) {
  constexpr std::string_view words[] = {"create", "update", "unchanged", "remove"};
  std::vector<audit_line> lines{remark_line("source: " + source),
                                "kind: " + std::string{words[static_cast<std::size_t>(change.kind)]}};
  lines.insert(lines.end(), change.fields.begin(), change.fields.end());
  const auto name = change.object.substr(change.object.find(' ') + 1);
  return audit_of(by, audit_action::apply, kind, id, name, lines, now);
}

std::vector<audit_row> audit_of(const deploy_plan& plan, std::span<const group_id> groups, std::span<const job_id> jobs,
                                const std::string& source, const principal& by, time_point now) {
  std::unordered_map<std::string_view, const deploy_change*> changes;
  for (const auto& change : plan.report.changes)
    changes.emplace(change.object, &change);
  std::vector<audit_row> out;
  const auto add = [&](audit_object kind, std::int32_t id, const std::string& object, change_kind what) {
    deploy_change change{what, object, {}};
    if (const auto found = changes.find(object); found != changes.end())
      change.fields = found->second->fields;
    out.push_back(audit_of(change, kind, id, source, by, now));
  };
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (plan.groups[i].kind != change_kind::unchanged)
      add(audit_object::group, number(groups[i]), plan.groups[i].object, plan.groups[i].kind);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i)
    add(audit_object::job, number(jobs[i]), plan.jobs[i].object, plan.jobs[i].kind);
  return out;
}

std::string child_jobs_text(const job_write& write, std::span<const job_id> ids) {
  std::string text;
  for (const auto& child : write.children) {
    if (!child.id && child.position >= ids.size())
      continue;
    text += (text.empty() ? "" : ",") + std::to_string(number(child.id ? *child.id : ids[child.position]));
  }
  return text;
}

} // namespace ringmaster::core
