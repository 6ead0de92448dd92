// job_coordination: orders of operators. They are columns of operators, so that they reach the node that coordinates the job.

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

} // namespace

// A run that ends anyway is not told twice: a second cancel would kill it at once.
void job_coordination::obey_cancel(item_number which, job_moment at) {
  const auto* found = items_.find(which);
  if (found == nullptr || core::number(found->cancel_run) == 0)
    return;
  const auto& one = found->state;
  const bool is_open = elastic::is_open(one.state) && one.state != elastic::item_state::granting;
  const bool is_told = one.cancel == elastic::cancel_reason::asked || one.cancel == elastic::cancel_reason::timed_out;
  if (is_open && !is_told && one.run == found->cancel_run)
    apply(which, elastic::event::cancelled{elastic::cancel_reason::asked, one.run}, at);
}

bool job_coordination::may_drain(item_number which, const elastic::item& one) {
  return core::number(which) >= 0 && elastic::is_open(one.state) && one.state != elastic::item_state::cancelling && !one.drain;
}

void job_coordination::obey_drains(job_moment at) {
  const bool is_whole_job = job_->status == elastic::job_status::draining;
  for (const auto which : busy_items())
    if (const auto* found = items_.find(which); found != nullptr)
      if (const auto& one = found->state; may_drain(which, one) && (is_whole_job || hosts_.is_drained(one.host.host)))
        apply(which, elastic::event::stream_moved{}, at);
}

} // namespace ringmaster::actors
