#pragma once

// Edits of jobs that are forwarded to another store: the base of stores that change a few of them.

#include <span>
#include <vector>

#include "storage/job_store.hpp"

namespace ringmaster::test {

/// Does not own the store behind it, and shares its thread rule.
class forwarding_jobs : public storage::job_store {
public:
  explicit forwarding_jobs(storage::job_store& inner) : inner_jobs_{inner} {}

  core::result<core::job_edit> start(core::job_id job, core::time_point now, const core::principal& by) override {
    return inner_jobs_.start(job, now, by);
  }
  core::result<core::job_edit> stop(core::job_id job, core::time_point now, const core::principal& by) override {
    return inner_jobs_.stop(job, now, by);
  }
  core::result<core::job_edit> count_again(core::job_id job, core::time_point now, const core::principal& by) override {
    return inner_jobs_.count_again(job, now, by);
  }
  core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                     const core::principal& by) override {
    return inner_jobs_.trigger(wanted, now, by);
  }
  core::result<core::asked_runs> runs_of(core::intent_id intent, const core::principal& by) override {
    return inner_jobs_.runs_of(intent, by);
  }
  core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                      const core::principal& by, std::string_view seen) override {
    return inner_jobs_.remove(job, declared_too, now, by, seen);
  }
  core::result<core::log_removal> remove_logs(core::job_id job, core::log_id behind, std::size_t limit) override {
    return inner_jobs_.remove_logs(job, behind, limit);
  }
  core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) override {
    return inner_jobs_.runs_on_their_way(jobs);
  }
  core::result<core::scheduled_job> find(const core::job_name& name) override { return inner_jobs_.find(name); }

private:
  storage::job_store& inner_jobs_;
};

} // namespace ringmaster::test
