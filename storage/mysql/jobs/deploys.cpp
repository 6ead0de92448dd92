#include "storage/mysql/jobs/deploys.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "core/rules/source_files.hpp"
#include "storage/elastic/deploys.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/mysql/jobs/deploy_stage.hpp"
#include "storage/mysql/jobs/deploy_switch.hpp"

namespace ringmaster::storage::mysql {

namespace {

using steady = std::chrono::steady_clock;

/// Number of plans that concurrent edits may invalidate before a plan is made under the lock of all edits.
constexpr int plans_max = 3;
/// Maximum number of jobs for which a plan is staged inside its transaction.
constexpr std::size_t staged_at_once = 512;

/// A plan, and the state that it was made from.
struct prepared_deploy {
  deploy_basis basis;
  core::deploy_plan plan;
  core::alarm_plan alarms;
  core::elastic_plan elastic;
  core::time_point first;
  std::vector<core::audit_row> audit;

  [[nodiscard]] bool writes() const {
    return !plan.groups.empty() || !plan.jobs.empty() || plan.revision || plan.files ||
           !alarms.writes.empty() || !alarms.removals.empty() || !elastic.writes.empty();
  }
};

class applying {
public:
  applying(session& own, admin_session& admin, const core::declared_set& declared, bool prune, core::time_point now,
           const core::principal& by)
    : own_{own}, admin_{admin}, db_{own.db}, declared_{declared}, prune_{prune}, now_{now}, by_{by} {}

  core::result<core::deploy_report> look() {
    return db_.transact([&]() -> core::result<core::deploy_report> {
      auto made = prepare(now_);
      if (!made)
        return tl::unexpected{made.error()};
      return std::move(made->plan.report);
    });
  }

  core::result<core::deploy_report> run() {
    for (int round = 1; round <= plans_max; ++round) {
      auto made = db_.read([&] { return prepare(now_); });
      if (!made)
        return tl::unexpected{made.error()};
      if (!made->writes())
        return std::move(made->plan.report);
      auto written = made->plan.jobs.size() <= staged_at_once ? write_small(*made) : write_large(*made);
      if (written)
        return std::move(made->plan.report);
      if (!is_stale_)
        return tl::unexpected{written.error()};
    }
    for (int round = 1;; ++round)
      if (auto done = run_locked(); done || !is_stale_ || round == plans_max)
        return done;
  }

private:
  /// Reads the state and makes a plan. Outside of a transaction it reads the counter of edits first, so that the counter reveals
  /// every later edit.
  core::result<prepared_deploy> prepare(core::time_point now) {
    const auto mode = read_mode(db_);
    if (!mode)
      return tl::unexpected{mode.error()};
    prepared_deploy out;
    out.basis.mode = mode->mode;
    out.basis.edits = read_edits(db_);
    out.first = first_start(db_, mode->mode, now);
    auto held = read_deploy_state(own_, declared_.source);
    held.elastic_jobs = held_elastic_jobs(admin_, declared_);
    auto plan = core::plan_deploy(held, declared_, prune_, out.first, own_.schedule_zone);
    if (!plan)
      return tl::unexpected{plan.error()};
    auto alarms = core::plan_alarms(read_alarm_rules(db_), held, declared_, prune_);
    if (!alarms)
      return tl::unexpected{alarms.error()};
    auto elastic = core::plan_elastic(held, *plan, declared_, prune_, now, own_.schedule_zone);
    if (!elastic)
      return tl::unexpected{elastic.error()};
    out.elastic = std::move(*elastic);
    out.basis.groups = core::edited_part(std::move(held.groups));
    out.plan = std::move(*plan);
    out.alarms = std::move(*alarms);
    auto& changes = out.plan.report.changes;
    changes.insert(changes.end(), out.alarms.changes.begin(), out.alarms.changes.end());
    changes.insert(changes.end(), out.elastic.changes.begin(), out.elastic.changes.end());
    if (auto whole = core::check_prune(held.files, declared_, out.plan.report); !whole)
      return tl::unexpected{whole.error()};
    if (out.writes())
      add_audit(out);
    return out;
  }

  /// Runs before the transaction, because the server ends a transaction that is silent for a second. Ids of new objects are
  /// filled in there.
  void add_audit(prepared_deploy& made) const {
    std::vector<core::group_id> groups;
    for (const auto& group : made.plan.groups)
      groups.push_back(group.id);
    std::vector<core::job_id> jobs;
    for (const auto& job : made.plan.jobs)
      jobs.push_back(job.id);
    made.audit = core::audit_of(made.plan, groups, jobs, declared_.source, by_, now_);
    for (auto& row : core::audit_of(made.alarms, declared_.source, by_, now_))
      made.audit.push_back(std::move(row));
  }

  core::result<void> write_small(prepared_deploy& made) {
    return db_.transact([&]() -> core::result<void> {
      deploy_stage stage{own_, made.plan};
      stage.put_jobs();
      stage.put_schedules();
      return switch_to(made, stage);
    });
  }

  /// Each statement outside of the switch commits on its own, so that no lock is held for long. After a crash the leftover rows
  /// have no effect.
  core::result<void> write_large(prepared_deploy& made) {
    const auto begin = steady::now();
    std::optional<deploy_stage> stage;
    auto staged = db_.read([&]() -> core::result<void> {
      stage.emplace(own_, made.plan);
      stage->remove_leftovers();
      stage->put_jobs();
      return {};
    });
    if (!staged)
      return staged;
    // New schedules count from now, not from before the definitions were staged.
    const auto passed = std::chrono::floor<std::chrono::seconds>(steady::now() - begin);
    made.first += passed;
    if (auto planned = core::plan_later(made.plan, made.first); !planned)
      return planned;
    staged = db_.read([&]() -> core::result<void> {
      stage->put_schedules();
      return {};
    });
    if (!staged)
      return staged;
    auto switched = db_.transact([&] { return switch_to(made, *stage); });
    (void) db_.read([&]() -> core::result<void> {
      stage->clear();
      return {};
    });
    return switched;
  }

  /// Switches to the plan. The staged rows of a small plan are removed in the switch, those of a large one in steps after it.
  core::result<void> switch_to(prepared_deploy& made, deploy_stage& stage) {
    const deploy_switch::scene scene{made.plan, made.alarms, made.basis, declared_.source, made.audit, now_, made.first};
    deploy_switch work{own_, stage, scene};
    auto done = work.run();
    is_stale_ = work.is_stale();
    // Coordinators write items without the lock of edits: one may have been granted since the plan was made.
    if (done) {
      done = write_elastic_plan(admin_, {made.elastic, work.group_ids(), declared_.source, by_, now_});
      is_stale_ = !done && done.error().code == core::errc::conflict;
    }
    if (done && made.plan.jobs.size() <= staged_at_once)
      stage.clear();
    return done;
  }

  /// Plans and writes under the lock of all edits, so that no edit comes between.
  core::result<core::deploy_report> run_locked() {
    return db_.transact([&]() -> core::result<core::deploy_report> {
      if (const auto mode = begin_edit(db_); !mode)
        return tl::unexpected{mode.error()};
      auto made = prepare(now_);
      if (!made)
        return tl::unexpected{made.error()};
      if (!made->writes())
        return std::move(made->plan.report);
      deploy_stage stage{own_, made->plan};
      stage.put_jobs();
      stage.put_schedules();
      if (auto done = switch_to(*made, stage); !done)
        return tl::unexpected{done.error()};
      stage.clear();
      return std::move(made->plan.report);
    });
  }

  session& own_;
  admin_session& admin_;
  connection& db_;
  const core::declared_set& declared_;
  const bool prune_;
  const core::time_point now_;
  const core::principal& by_;
  bool is_stale_ = false;
};

} // namespace

core::result<core::deploy_report> deploy_role::apply(const core::declared_set& declared, bool dry_run, bool prune,
                                                     core::time_point now, const core::principal& by) {
  if (auto allowed = core::check_admin(by); !allowed)
    return tl::unexpected{allowed.error()};
  applying work{own_, admin_, declared, prune, now, by};
  return dry_run ? work.look() : work.run();
}

} // namespace ringmaster::storage::mysql
