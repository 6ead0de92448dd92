#pragma once

// Reports every commit that concerns the protocol to the checker, including commits whose answer is lost.

#include <algorithm>
#include <functional>
#include <utility>

#include "tests/simulation/checker.hpp"
#include "tests/simulation/shared_schedule.hpp"
#include "tests/support/forwarding_alarms.hpp"
#include "tests/support/forwarding_editor.hpp"
#include "tests/support/forwarding_jobs.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

/// Further limits of the database.
struct witness_limits {
  std::function<bool(core::job_id)> is_locked;
  /// Null: the database has no clock.
  std::function<core::time_point()> clock;
  /// Maximum of intents in one read; 0: as many as requested.
  std::size_t page_max = 0;
};

class witness_store final : public test::forwarding_store, private test::forwarding_jobs, private test::forwarding_alarms {
public:
  /// `shared`: schedule of a database on which Java admins may plan, too; null: Ringmaster alone plans.
  witness_store(storage::store& inner, protocol_checker& checker, shared_schedule* shared, shared_checker* shared_books,
                witness_limits limits)
    : forwarding_store{inner},
      forwarding_jobs{inner.jobs()},
      forwarding_alarms{inner.alarms()},
      checker_{checker},
      shared_{shared},
      shared_books_{shared_books},
      limits_{std::move(limits)},
      editor_{inner.job_editing(), checker} {}

  storage::job_store& jobs() override { return *this; }
  storage::job_editor& job_editing() override { return editor_; }
  storage::alarm_store& alarms() override { return *this; }

private:
  // -- edits of one job
  core::result<core::job_edit> start(core::job_id job, core::time_point now, const core::principal& by) override {
    return edited(job, forwarding_jobs::start(job, now, by));
  }
  core::result<core::job_edit> stop(core::job_id job, core::time_point now, const core::principal& by) override {
    return edited(job, forwarding_jobs::stop(job, now, by));
  }
  core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now, const core::principal& by,
                                      std::string_view seen) override {
    auto done = edited(job, forwarding_jobs::remove(job, declared_too, now, by, seen));
    if (done)
      checker_.removed(job);
    return done;
  }
  core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                     const core::principal& by) override {
    auto made = forwarding_jobs::trigger(wanted, now, by);
    if (made)
      checker_.asked(wanted, *made);
    return made;
  }
  core::result<core::job_edit> edited(core::job_id job, core::result<core::job_edit> done) {
    if (done)
      checker_.edited_one(job);
    return done;
  }

  class witness_editor final : public test::forwarding_editor {
  public:
    witness_editor(storage::job_editor& inner, protocol_checker& checker) : forwarding_editor{inner}, checker_{checker} {}
    core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override {
      auto job = forwarding_editor::add(draft, by, now);
      if (job)
        checker_.edited_one(*job);
      return job;
    }
    core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                        const core::principal& by, core::time_point now) override {
      auto done = forwarding_editor::update(job, draft, seen, by, now);
      if (done)
        checker_.edited_one(job);
      return done;
    }

  private:
    protocol_checker& checker_;
  };

  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override {
    auto decided = forwarding_alarms::sweep(now, follow_open, limit);
    if (decided)
      checker_.decided(decided->intents);
    return decided;
  }

  // -- firing
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto free = batch;
    const auto locked = leave_out_locked(free);
    auto sound = free;
    auto dropped = shared_ ? shared_->drop_changed(sound) : std::vector<core::intent_id>{};
    auto outcome = forwarding_store::claim(sound, now);
    if (!outcome)
      return outcome;
    outcome->dropped_intents.insert(outcome->dropped_intents.end(), dropped.begin(), dropped.end());
    outcome->locked_jobs.insert(outcome->locked_jobs.end(), locked.jobs.begin(), locked.jobs.end());
    outcome->locked_intents.insert(outcome->locked_intents.end(), locked.intents.begin(), locked.intents.end());
    if (shared_)
      shared_->claimed(*outcome);
    checker_.claimed(free, *outcome);
    if (shared_books_ && !outcome->repeated)
      shared_books_->claimed(sound, *outcome);
    return outcome;
  }
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override {
    auto page = search;
    if (limits_.page_max > 0)
      page.limit = std::min(page.limit, limits_.page_max);
    return forwarding_store::waiting_intents(page);
  }
  core::result<core::cluster_view> view() override {
    auto seen = forwarding_store::view();
    if (seen)
      seen->clock = limits_.clock ? std::optional{limits_.clock()} : std::nullopt;
    return seen;
  }
  struct left_out {
    std::vector<core::job_id> jobs;
    std::vector<core::intent_id> intents;
  };
  /// Claims the rows that it can lock, and names the rest.
  left_out leave_out_locked(core::claim_batch& batch) {
    left_out gone;
    std::erase_if(batch.moves, [&](const core::schedule_move& move) {
      const bool locked = limits_.is_locked(move.job);
      if (locked)
        gone.jobs.push_back(move.job);
      return locked;
    });
    std::erase_if(batch.runs, [&](const core::planned_run& run) {
      const bool locked = limits_.is_locked(run.spec->id);
      if (locked && run.intent && std::find(gone.intents.begin(), gone.intents.end(), *run.intent) == gone.intents.end())
        gone.intents.push_back(*run.intent);
      return locked;
    });
    return gone;
  }
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto outcome = forwarding_store::record(batch, now);
    if (outcome)
      checker_.recorded(batch, *outcome);
    return outcome;
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    auto runs = forwarding_store::adopt(owner, sequence, limit);
    if (runs)
      checker_.adopted(owner, *runs);
    return runs;
  }
  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override {
    if (shared_ && !dry_run)
      shared_->before_edit();
    // A job begins after the instants that Java admins may have in memory, also for a minute after a takeover.
    auto report = forwarding_store::apply(declared, dry_run, prune, is_played() ? now + 5s : now, by);
    if (report && shared_ && !dry_run)
      shared_->after_edit();
    if (report && !dry_run)
      checker_.edited(declared.revision, report->edited);
    return report;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (granted)
      checker_.permitted(owner, runs, *granted);
    return granted;
  }
  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                      const core::entry_terms& entry) override {
    auto life = forwarding_store::enter(node, address, entry);
    if (life)
      checker_.entered(*life);
    return life;
  }
  core::result<bool> fence(const core::node_row& seen) override {
    auto done = forwarding_store::fence(seen);
    if (done && *done)
      checker_.fenced(seen);
    return done;
  }
  core::result<void> leave(const core::node_incarnation& life) override {
    auto done = forwarding_store::leave(life);
    if (done)
      checker_.left(life);
    return done;
  }

  /// Does nothing: in native mode users see times of the year 9999 for a while; in a run they stay.
  storage::mirror_store& mirror() override { return is_played() ? nothing_to_show_ : forwarding_store::mirror(); }
  [[nodiscard]] bool is_played() const { return shared_ && !shared_->is_real(); }

  class no_mirror final : public storage::mirror_store {
  public:
    core::result<storage::mirror_step> sync(core::job_id after, std::size_t, bool, core::time_point) override {
      return storage::mirror_step{after};
    }
  };

  protocol_checker& checker_;
  shared_schedule* shared_;
  shared_checker* shared_books_;
  witness_limits limits_;
  no_mirror nothing_to_show_;
  witness_editor editor_;
};

} // namespace ringmaster::simulation
