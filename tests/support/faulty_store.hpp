#pragma once

// A store that fails on demand: it forwards each call to a real one.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/store.hpp"
#include "tests/support/faulty_access.hpp"

namespace ringmaster::test {

/// Fault of one call.
enum class store_fault {
  none,
  /// The call is not made: `unavailable`.
  away,
  /// The call is made, and its answer is lost: `unavailable`.
  answer_lost,
  /// The call is made, and its answer is a refusal nevertheless: `internal`.
  answer_wrong,
};

/// Forwards every call to `inner`, unless `fault_of` says otherwise. Shares its thread rule: one call at a time.
class faulty_store final : public storage::store,
                           private storage::firing_store,
                           private storage::cluster_store,
                           private storage::registry_store,
                           private storage::deploy_store,
                           private storage::alarm_store,
                           private storage::job_store,
                           private storage::job_editor,
                           private storage::log_store,
                           private storage::mirror_store,
                           private storage::maintenance_store {
public:
  explicit faulty_store(std::unique_ptr<storage::store> inner) : inner_{std::move(inner)} {}

  /// Called before each call with the method's name, e.g. `permit_resend`. Null: no faults.
  std::function<store_fault(std::string_view method)> fault_of;
  /// Called after each call that was made, faulty or not.
  std::function<void(std::string_view method)> after;

  /// Decides before each record batch whether the store refuses it as a whole. Null: none.
  std::function<bool(const core::record_batch&)> refuses_record;

  /// Clock of a database server; empty: none, as on SQLite.
  std::function<std::optional<core::time_point>()> database_clock;
  /// Edits that the database has, or had.
  std::int64_t revision_off = 0;

  /// Runs whose rows another transaction holds. Null: none.
  std::function<bool(core::log_id)> holds_run;

  /// Rows written into the daily report.
  std::map<core::time_point, core::run_counts> reports;

  /// Form of stored passwords, if not the store's.
  std::optional<core::password_form> password_form;

  /// Makes each range of the sweep report that there is more.
  bool sweep_has_more = false;

  /// Result of `reservations`. Null: Ringmaster alone plans.
  storage::reservation_store* shared = nullptr;

  /// Number of intents to forget. Null: the store's.
  std::size_t* taken_intents = nullptr;
  /// Changes jobs in the result of `load_jobs`, to values that no deploy would store. Null: no change.
  std::function<void(std::vector<core::scheduled_job>&)> alter_jobs;

  /// Changes runs in the result of `adopt`. Null: no change.
  std::function<void(std::vector<core::adopted_run>&)> alter_adopted;

  /// Makes the database unavailable until `back`.
  void go_away() {
    fault_of = [](std::string_view) { return store_fault::away; };
  }
  void come_back() { fault_of = nullptr; }
  /// Gives the next call of `method` the fault `fault`.
  void once(std::string_view method, store_fault fault) {
    fault_of = [method, fault, done = false](std::string_view called) mutable {
      return called == method && !std::exchange(done, true) ? fault : store_fault::none;
    };
  }
  /// Returns the store without faults, for a test to inspect.
  [[nodiscard]] storage::store& inner() noexcept { return *inner_; }

  storage::firing_store& firings() override { return *this; }
  storage::cluster_store& cluster() override { return *this; }
  storage::registry_store& registry() override { return *this; }
  storage::deploy_store& deploys() override { return *this; }
  storage::job_store& jobs() override { return *this; }
  storage::job_editor& job_editing() override { return *this; }
  storage::group_editor& group_editing() override { return groups_; }
  storage::log_store& logs() override { return *this; }
  storage::maintenance_store& maintenance() override { return *this; }
  storage::mirror_store& mirror() override { return *this; }
  storage::run_reader& run_reading() override { return inner_->run_reading(); }
  storage::alarm_store& alarms() override { return *this; }
  storage::user_store& users() override { return users_; }
  storage::session_store& sessions() override { return sessions_; }
  storage::api_key_store& api_keys() override { return keys_; }
  storage::audit_store& audits() override { return inner_->audits(); }
  storage::export_store& exports() override { return inner_->exports(); }
  storage::kept_log_store& kept_logs() override { return inner_->kept_logs(); }
  storage::search_store& searches() override { return inner_->searches(); }
  storage::elastic_store& elastic() override { return inner_->elastic(); }
  storage::reservation_store* reservations() override { return shared; }
  core::result<void> ping() override {
    return call("ping", [&] { return inner_->ping(); });
  }

private:
  template <class Call>
  auto call(std::string_view method, Call make) -> decltype(make()) {
    auto fault = fault_of ? fault_of(method) : store_fault::none;
    if (fault == store_fault::away)
      return core::fail(core::errc::unavailable, "the database is away");
    auto outcome = make();
    if (after)
      after(method);
    if (fault == store_fault::answer_lost)
      return core::fail(core::errc::unavailable, "the answer was lost");
    if (fault == store_fault::answer_wrong)
      return core::fail(core::errc::internal, "the driver is confused");
    return outcome;
  }

  // -- firing_store
  core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after_job,
                                                           std::size_t limit) override {
    auto jobs = call("load_jobs", [&] { return inner_->firings().load_jobs(slots, after_job, limit); });
    if (jobs && alter_jobs)
      alter_jobs(*jobs);
    return jobs;
  }
  core::result<std::int64_t> last_revision() override {
    return call("last_revision", [&] { return inner_->firings().last_revision(); });
  }
  core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                             core::job_id after_job) override {
    return call("edits_since", [&] { return inner_->firings().edits_since(revision, limit, after_job); });
  }
  core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) override {
    return call("read_jobs", [&] { return inner_->firings().read_jobs(jobs); });
  }
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    return call("claim", [&] { return inner_->firings().claim(batch, now); });
  }
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    if (refuses_record && refuses_record(batch))
      return core::fail(core::errc::internal, "a statement was refused");
    return call("record", [&]() -> core::result<core::record_outcome> {
      auto free = batch;
      std::vector<core::log_id> held;
      const auto is_held = [&](const auto& item) {
        if (!holds_run || !holds_run(item.id))
          return false;
        held.push_back(item.id);
        return true;
      };
      std::erase_if(free.triggers, is_held);
      std::erase_if(free.callbacks, is_held);
      auto outcome = inner_->firings().record(free, now);
      if (outcome)
        outcome->locked_runs = std::move(held);
      return outcome;
    });
  }
  core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) override {
    return call("open_claims", [&] { return inner_->firings().open_claims(owner); });
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    auto runs = call("adopt", [&] { return inner_->firings().adopt(owner, sequence, limit); });
    if (runs && alter_adopted)
      alter_adopted(*runs);
    return runs;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    return call("permit_resend", [&] { return inner_->firings().permit_resend(owner, runs); });
  }
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override {
    return call("waiting_intents", [&] { return inner_->firings().waiting_intents(search); });
  }
  core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) override {
    auto swept = call("fail_abandoned", [&] { return inner_->firings().fail_abandoned(before, limit); });
    if (swept)
      swept->more |= sweep_has_more;
    return swept;
  }

  // -- cluster_store
  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                      const core::entry_terms& entry) override {
    return call("enter", [&] { return inner_->cluster().enter(node, address, entry); });
  }
  core::result<void> beat(const core::node_incarnation& life, std::int64_t number, core::time_point wall) override {
    return call("beat", [&] { return inner_->cluster().beat(life, number, wall); });
  }
  core::result<std::vector<core::node_row>> nodes() override {
    return call("nodes", [&] { return inner_->cluster().nodes(); });
  }
  core::result<core::cluster_view> view() override {
    auto seen = call("nodes", [&] { return inner_->cluster().view(); });
    if (seen && database_clock)
      seen->clock = database_clock();
    if (seen)
      seen->revision += revision_off;
    return seen;
  }
  core::result<core::pending_work> find_work(const core::node_incarnation& own) override {
    auto found = call("find_work", [&] { return inner_->cluster().find_work(own); });
    if (found)
      found->revision += revision_off;
    return found;
  }
  core::result<core::log_id> next_run_id() override {
    return call("next_run_id", [&] { return inner_->cluster().next_run_id(); });
  }
  core::result<core::log_id> raise_run_ids(core::log_id highest) override {
    return call("raise_run_ids", [&] { return inner_->cluster().raise_run_ids(highest); });
  }
  core::result<bool> fence(const core::node_row& seen) override {
    return call("fence", [&] { return inner_->cluster().fence(seen); });
  }
  core::result<void> serve(const core::node_incarnation& life, bool serves) override {
    return call("serve", [&] { return inner_->cluster().serve(life, serves); });
  }
  core::result<void> leave(const core::node_incarnation& life) override {
    return call("leave", [&] { return inner_->cluster().leave(life); });
  }

  // -- registry_store
  core::result<core::registry_state> read() override {
    return call("read", [&] { return inner_->registry().read(); });
  }
  core::result<void> write(const core::registry_batch& batch, core::time_point now) override {
    return call("write", [&] { return inner_->registry().write(batch, now); });
  }

  // -- deploy_store
  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override {
    return call("apply", [&] { return inner_->deploys().apply(declared, dry_run, prune, now, by); });
  }

  // -- job_store
  core::result<core::job_edit> start(core::job_id job, core::time_point now, const core::principal& by) override {
    return call("start", [&] { return inner_->jobs().start(job, now, by); });
  }
  core::result<core::job_edit> stop(core::job_id job, core::time_point now, const core::principal& by) override {
    return call("stop", [&] { return inner_->jobs().stop(job, now, by); });
  }
  core::result<core::job_edit> count_again(core::job_id job, core::time_point now, const core::principal& by) override {
    return call("count_again", [&] { return inner_->jobs().count_again(job, now, by); });
  }
  core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                     const core::principal& by) override {
    return call("trigger", [&] { return inner_->jobs().trigger(wanted, now, by); });
  }
  core::result<core::asked_runs> runs_of(core::intent_id intent, const core::principal& by) override {
    return call("runs_of", [&] { return inner_->jobs().runs_of(intent, by); });
  }
  core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                      const core::principal& by, std::string_view seen) override {
    return call("remove", [&] { return inner_->jobs().remove(job, declared_too, now, by, seen); });
  }
  core::result<core::log_removal> remove_logs(core::job_id job, core::log_id behind, std::size_t limit) override {
    return call("remove_logs", [&] { return inner_->jobs().remove_logs(job, behind, limit); });
  }
  core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) override {
    return call("runs_on_their_way", [&] { return inner_->jobs().runs_on_their_way(jobs); });
  }
  core::result<core::scheduled_job> find(const core::job_name& name) override {
    return call("find", [&] { return inner_->jobs().find(name); });
  }

  // -- job_editor
  core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override {
    return call("add_job", [&] { return inner_->job_editing().add(draft, by, now); });
  }
  core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                      const core::principal& by, core::time_point now) override {
    return call("update_job", [&] { return inner_->job_editing().update(job, draft, seen, by, now); });
  }
  core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                           std::optional<std::string_view> seen, const core::principal& by,
                                           core::time_point now) override {
    return call("save_source", [&] { return inner_->job_editing().save_source(job, source, remark, seen, by, now); });
  }
  core::result<core::job_record> read(core::job_id job, const core::principal& by) override {
    return call("read_job", [&] { return inner_->job_editing().read(job, by); });
  }
  core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) override {
    return call("job_page", [&] { return inner_->job_editing().page(search, by); });
  }
  core::result<core::job_list> list(const core::job_search& search, const core::principal& by) override {
    return call("job_list", [&] { return inner_->job_editing().list(search, by); });
  }
  core::result<core::job_list> soonest(const std::optional<core::group_id>& group, std::size_t limit,
                                       const core::principal& by) override {
    return call("soonest_jobs", [&] { return inner_->job_editing().soonest(group, limit, by); });
  }
  core::result<core::source_history> source_history(const core::source_search& search, const core::principal& by) override {
    return call("source_history", [&] { return inner_->job_editing().source_history(search, by); });
  }

  // -- log_store
  core::result<std::vector<core::log_row>> rows_after(core::log_id after_row, std::size_t limit) override {
    return call("rows_after", [&] { return inner_->logs().rows_after(after_row, limit); });
  }
  core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) override {
    return call("rows", [&] { return inner_->logs().rows(ids); });
  }
  core::result<std::vector<std::pair<core::log_id, core::group_id>>> without_result(
    std::span<const core::log_id> ids) override {
    return call("without_result", [&] { return inner_->logs().without_result(ids); });
  }

  // -- maintenance_store
  core::result<core::log_span> span() override {
    return call("span", [&] { return inner_->maintenance().span(); });
  }
  core::result<core::log_id> last_before(core::time_point t) override {
    return call("last_before", [&] { return inner_->maintenance().last_before(t); });
  }
  core::result<core::open_page> open_runs(const core::open_search& search) override {
    return call("open_runs", [&] { return inner_->maintenance().open_runs(search); });
  }
  core::result<core::day_counts> count_runs(const core::log_range& range, const core::day_bounds& days) override {
    return call("count_runs", [&] { return inner_->maintenance().count_runs(range, days); });
  }
  core::result<void> write_report(std::span<const core::day_report> days, core::time_point now) override {
    auto done = call("write_report", [&] { return inner_->maintenance().write_report(days, now); });
    if (done)
      for (const auto& one : days)
        reports[one.day] = one.counts;
    return done;
  }
  core::result<core::purge_outcome> purge(const core::purge_step& step) override {
    return call("purge", [&] { return inner_->maintenance().purge(step); });
  }
  core::result<void> make_room() override {
    return call("make_room", [&] { return inner_->maintenance().make_room(); });
  }
  core::result<std::size_t> purge_audits(core::time_point before, std::size_t limit) override {
    return call("purge_audits", [&] { return inner_->maintenance().purge_audits(before, limit); });
  }
  core::result<std::size_t> forget_taken_intents(core::time_point before, std::size_t limit) override {
    return call("forget_taken_intents", [&]() -> core::result<std::size_t> {
      if (!taken_intents)
        return inner_->maintenance().forget_taken_intents(before, limit);
      const auto gone = std::min(limit, *taken_intents);
      *taken_intents -= gone;
      return gone;
    });
  }
  core::result<std::size_t> forget_orphans(std::size_t limit) override {
    return call("forget_orphans", [&] { return inner_->maintenance().forget_orphans(limit); });
  }
  core::result<std::vector<core::stray_run>> stray_runs(const core::node_incarnation& owner,
                                                        std::span<const std::int64_t> claims) override {
    return call("stray_runs", [&] { return inner_->maintenance().stray_runs(owner, claims); });
  }

  // -- mirror_store
  core::result<storage::mirror_step> sync(core::job_id after_job, std::size_t limit, bool adopts, core::time_point now) override {
    return call("tend", [&] { return inner_->mirror().sync(after_job, limit, adopts, now); });
  }

  // -- alarm_store
  core::result<std::vector<core::pending_alarm>> take(const core::node_incarnation& owner, bool again, core::time_point now,
                                                      std::size_t limit) override {
    return call("take", [&] { return inner_->alarms().take(owner, again, now, limit); });
  }
  core::result<void> finish(const core::node_incarnation& owner, std::span<const core::alarm_end> ends) override {
    return call("finish", [&] { return inner_->alarms().finish(owner, ends); });
  }
  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override {
    return call("sweep", [&] { return inner_->alarms().sweep(now, follow_open, limit); });
  }
  core::result<std::size_t> find_recoveries(core::time_point now, std::size_t limit) override {
    return call("find_recoveries", [&] { return inner_->alarms().find_recoveries(now, limit); });
  }

  /// Alarms; a separate object, because they share method names with the others.
  class faulty_groups final : public storage::group_editor {
  public:
    explicit faulty_groups(faulty_store& all) : all_{all} {}
    core::result<core::group_id> add(const core::group_draft& draft, const core::principal& by, core::time_point now) override {
      return all_.call("add_group", [&] { return inner().add(draft, by, now); });
    }
    core::result<void> update(core::group_id group, const core::group_draft& draft, std::string_view seen,
                              const core::principal& by, core::time_point now) override {
      return all_.call("update_group", [&] { return inner().update(group, draft, seen, by, now); });
    }
    core::result<void> remove(core::group_id group, std::string_view seen, const core::principal& by,
                              core::time_point now) override {
      return all_.call("remove_group", [&] { return inner().remove(group, seen, by, now); });
    }
    core::result<core::group_record> read(core::group_id group, const core::principal& by) override {
      return all_.call("read_group", [&] { return inner().read(group, by); });
    }
    core::result<core::page<core::group_record>> page(const core::group_search& search, const core::principal& by) override {
      return all_.call("group_page", [&] { return inner().page(search, by); });
    }
    core::result<std::vector<core::group_record>> visible(const core::principal& by) override {
      return all_.call("visible_groups", [&] { return inner().visible(by); });
    }
    core::result<std::vector<core::group_figures>> figures(const std::vector<core::group_id>& groups) override {
      return all_.call("group_figures", [&] { return inner().figures(groups); });
    }

  private:
    storage::group_editor& inner() { return all_.inner_->group_editing(); }
    faulty_store& all_;
  };

  std::unique_ptr<storage::store> inner_;
  access_faults access_{[this](std::string_view method) { return fault_of && fault_of(method) != store_fault::none; },
                        [this](std::string_view method) {
                          if (after)
                            after(method);
                        },
                        &password_form};
  faulty_users users_{inner_->users(), access_};
  faulty_sessions sessions_{inner_->sessions(), access_};
  faulty_api_keys keys_{inner_->api_keys(), access_};
  faulty_groups groups_{*this};
};

} // namespace ringmaster::test
