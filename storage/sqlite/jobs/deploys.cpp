// Application of declared groups, jobs and alarms. The plan is made before the write lock is taken, because claims wait for that
// lock.

#include "storage/sqlite/jobs/deploys.hpp"

#include "core/rules/source_files.hpp"
#include "storage/elastic/deploys.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"
#include "storage/sqlite/firing/edit_sql.hpp"
#include "storage/sqlite/jobs/deploy_switch.hpp"

namespace ringmaster::storage::sqlite {

namespace {

/// Number of plans that concurrent edits may invalidate before a plan is made under the write lock.
constexpr int plans_max = 3;

/// A plan, and the state that it was made from, apart from the jobs. While the counter of edits is unchanged, no job, source or
/// alarm rule has been edited.
struct prepared_deploy {
  deploy_writing work;
  std::int64_t edits = 0;
  std::vector<core::held_group> groups;

  [[nodiscard]] bool writes() const {
    const auto& plan = work.plan;
    return !plan.groups.empty() || !plan.jobs.empty() || plan.revision || plan.files || !work.alarms.writes.empty()
           || !work.alarms.removals.empty() || !work.elastic.writes.empty();
  }
};

std::int64_t edits_in(connection& db) {
  auto reading = db.prepare(read_edits);
  return reading.with().step() ? reading.number(0) : 0;
}

class applying {
public:
  applying(session& own, admin_session& admin, const core::declared_set& declared, bool prune, core::time_point now,
           const core::principal& by)
    : own_{own}, admin_{admin}, declared_{declared}, prune_{prune}, now_{now}, by_{by} {}

  /// Makes a plan inside a transaction.
  core::result<prepared_deploy> prepare(connection& db) {
    prepared_deploy out;
    out.edits = edits_in(db);
    auto held = read_deploy_state(db, declared_.source);
    held.elastic_jobs = held_elastic_jobs(admin_, declared_);
    auto plan = core::plan_deploy(held, declared_, prune_, now_, own_.schedule_zone);
    if (!plan)
      return tl::unexpected{plan.error()};
    auto alarms = core::plan_alarms(read_alarm_rules(db), held, declared_, prune_);
    if (!alarms)
      return tl::unexpected{alarms.error()};
    auto elastic = core::plan_elastic(held, *plan, declared_, prune_, now_, own_.schedule_zone);
    if (!elastic)
      return tl::unexpected{elastic.error()};
    out.groups = core::edited_part(std::move(held.groups));
    plan->report.changes.insert(plan->report.changes.end(), alarms->changes.begin(), alarms->changes.end());
    plan->report.changes.insert(plan->report.changes.end(), elastic->changes.begin(), elastic->changes.end());
    if (auto whole = core::check_prune(held.files, declared_, plan->report); !whole)
      return tl::unexpected{whole.error()};
    out.work = {std::move(*plan), std::move(*alarms), std::move(*elastic), declared_.source, by_, now_, {}, false};
    return out;
  }

  core::result<core::deploy_report> run() {
    for (int round = 1; round <= plans_max; ++round) {
      auto made = within(*own_.db, transaction_kind::read, [&](connection& db) { return prepare(db); });
      if (!made)
        return tl::unexpected{made.error()};
      if (!made->writes())
        return std::move(made->work.plan.report);
      add_audit(*made);
      auto& stale = made->work.stale;
      auto written = within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
        stale = edits_in(db) != made->edits || core::edited_part(read_groups(db)) != made->groups;
        return stale ? core::result<void>{} : write_deploy(own_, admin_, made->work);
      });
      if (stale)
        continue;
      if (!written)
        return tl::unexpected{written.error()};
      return std::move(made->work.plan.report);
    }
    return run_locked();
  }

private:
  void add_audit(prepared_deploy& made) const {
    const auto& plan = made.work.plan;
    // Ids of new objects are filled in later.
    std::vector<core::group_id> groups;
    for (const auto& group : plan.groups)
      groups.push_back(group.id);
    std::vector<core::job_id> jobs;
    for (const auto& job : plan.jobs)
      jobs.push_back(job.id);
    made.work.audit = core::audit_of(plan, groups, jobs, declared_.source, by_, now_);
    for (auto& row : core::audit_of(made.work.alarms, declared_.source, by_, now_))
      made.work.audit.push_back(std::move(row));
  }

  core::result<core::deploy_report> run_locked() {
    return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<core::deploy_report> {
      auto made = prepare(db);
      if (!made)
        return tl::unexpected{made.error()};
      if (!made->writes())
        return std::move(made->work.plan.report);
      add_audit(*made);
      if (auto written = write_deploy(own_, admin_, made->work); !written)
        return tl::unexpected{written.error()};
      return std::move(made->work.plan.report);
    });
  }

  session& own_;
  admin_session& admin_;
  const core::declared_set& declared_;
  const bool prune_;
  const core::time_point now_;
  const core::principal& by_;
};

} // namespace

core::result<core::deploy_report> deploy_role::apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                     core::time_point now, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  applying work{own_, admin_, declared, prune, now, by};
  if (!dry_run)
    return work.run();
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<core::deploy_report> {
    auto made = work.prepare(db);
    if (!made)
      return tl::unexpected{made.error()};
    return std::move(made->work.plan.report);
  });
}

} // namespace ringmaster::storage::sqlite
