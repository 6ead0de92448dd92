#pragma once

// Tells the checker of every commit that the protocol is about, also of those whose answer is lost.

#include "tests/simulation/checker.hpp"
#include "tests/simulation/shared_schedule.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

class witness_store final : public test::forwarding_store {
public:
  /// `shared`: of a database whose schedule others may plan, too; null: nobody else does.
  witness_store(storage::store& inner, protocol_checker& checker, shared_schedule* shared, shared_checker* shared_books)
    : forwarding_store{inner}, checker_{checker}, shared_{shared}, shared_books_{shared_books} {}

private:
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto sound = batch;
    auto dropped = shared_ ? shared_->drop_changed(sound) : std::vector<core::intent_id>{};
    auto outcome = forwarding_store::claim(sound, now);
    if (!outcome)
      return outcome;
    outcome->dropped_intents.insert(outcome->dropped_intents.end(), dropped.begin(), dropped.end());
    checker_.claimed(batch, *outcome, now);
    if (shared_books_ && !outcome->repeated)
      shared_books_->claimed(sound, *outcome);
    return outcome;
  }
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto outcome = forwarding_store::record(batch, now);
    if (outcome)
      checker_.recorded(batch, *outcome);
    return outcome;
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_life& owner, std::int64_t sequence,
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
    // A job begins behind what Java admins may have in memory, also for a minute behind a takeover.
    auto report = forwarding_store::apply(declared, dry_run, prune, shared_ ? now + 5s : now, by);
    if (report && shared_ && !dry_run)
      shared_->after_edit();
    if (report && !dry_run)
      checker_.edited(declared.revision, report->edited);
    return report;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_life& owner, std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (granted)
      checker_.permitted(owner, runs, *granted);
    return granted;
  }
  core::result<core::node_life> enter(const std::string& node, const std::string& address) override {
    auto life = forwarding_store::enter(node, address);
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
  core::result<void> leave(const core::node_life& life) override {
    auto done = forwarding_store::leave(life);
    if (done)
      checker_.left(life);
    return done;
  }

  /// In native mode the times that people see are those of the year 9999 for a while: they stay so in a run.
  storage::mirror_store& mirror() override { return shared_ ? nothing_to_show_ : forwarding_store::mirror(); }

  class no_mirror final : public storage::mirror_store {
  public:
    core::result<storage::mirror_step> tend(core::job_id after, std::size_t, bool, core::time_point) override {
      return storage::mirror_step{after};
    }
  };

  protocol_checker& checker_;
  shared_schedule* shared_;
  shared_checker* shared_books_;
  no_mirror nothing_to_show_;
};

} // namespace ringmaster::simulation
