// schedule_actor: keeps XXL's trigger columns in step with Ringmaster's schedule, a task of the leader (firing protocol §2,
// §7.3). Not in shared mode, where these columns are the schedule.

#include "actors/firing/schedule_actor.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t jobs_a_step = 500;
/// From the beginning of one round through all jobs to the beginning of the next.
constexpr auto round_every = 60s;
/// Pause between steps, because the writes of rows are not urgent.
constexpr auto between_steps = 50ms;
constexpr auto after_failure = 5s;

} // namespace

bool schedule_actor_state::syncs_mirror() const {
  return life_ && !shared_ && missing_slots().none() && !draining_ && slots_.test(0);
}

void schedule_actor_state::sync_mirror() {
  if (mirror_busy_ || !syncs_mirror() || steady_now() < next_mirror_)
    return;
  mirror_busy_ = true;
  if (mirror_after_ == core::job_id{0})
    mirror_round_ = steady_now();
  ask_store<storage::mirror_step>(
    self_, partners_.storage,
    [after = mirror_after_, t = now()](storage::store& store) { return store.mirror().sync(after, jobs_a_step, true, t); },
    [this](core::result<storage::mirror_step>&& step) {
      mirror_busy_ = false;
      if (step)
        take_mirror(*step);
      else
        next_mirror_ = steady_now() + after_failure;
      arm();
    },
    store_patience, protocol::store_turn::patient);
}

void schedule_actor_state::take_mirror(const storage::mirror_step& step) {
  for (const auto& edit : step.adopted)
    log_->warn("job={} was changed directly in the database: {}", core::number(edit.job), edit.what);
  mirror_after_ = step.more ? step.last : core::job_id{0};
  next_mirror_ = step.more ? steady_now() + between_steps : mirror_round_ + round_every;
  if (step.raised || !step.adopted.empty()) // a claim with an older definition is lost
    poll_edits();
}

// The mirror is exact when no claim is under way any more. A failure of the store does not delay the stop.
void schedule_actor_state::mirror_before_leaving(core::job_id after) {
  ask_store<storage::mirror_step>(
    self_, partners_.storage,
    [after, t = now()](storage::store& store) { return store.mirror().sync(after, jobs_a_step, false, t); },
    [this](core::result<storage::mirror_step>&& step) {
      if (!step)
        log_->warn("the displayed times of jobs may be up to a minute old: {}", step.error().context);
      else if (step->more)
        return mirror_before_leaving(step->last);
      leave();
    });
}

} // namespace ringmaster::actors
