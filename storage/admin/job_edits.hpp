#pragma once

#include "storage/job_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Operations on single jobs (`job_edits.cpp`, `job_finds.cpp`).
class job_role final : public job_store {
public:
  explicit job_role(admin_session& own) : own_{own} {}

  core::result<core::job_edit> start(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::job_edit> stop(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::job_edit> count_again(core::job_id job, core::time_point now, const core::principal& by) override;
  core::result<core::intent> trigger(const core::manual_trigger& wanted, core::time_point now,
                                     const core::principal& by) override;
  core::result<core::asked_runs> runs_of(core::intent_id intent, const core::principal& by) override;
  core::result<core::job_edit> remove(core::job_id job, bool declared_too, core::time_point now,
                                      const core::principal& by, std::string_view seen) override;
  core::result<core::log_removal> remove_logs(core::job_id job, core::log_id after, std::size_t limit) override;
  core::result<std::size_t> runs_on_their_way(std::span<const core::job_id> jobs) override;
  core::result<core::scheduled_job> find(const core::job_name& name) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
