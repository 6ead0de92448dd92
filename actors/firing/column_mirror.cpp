#include "actors/firing/column_mirror.hpp"

#include <utility>

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

column_mirror::column_mirror(protocol::schedule_actor::pointer self, protocol::storage_actor storage, protocol::wall_clock clock,
                             logger log, callbacks then)
  : self_{self}, storage_{std::move(storage)}, clock_{std::move(clock)}, log_{std::move(log)}, then_{std::move(then)} {}

void column_mirror::step() {
  if (busy_ || steady_now() < next_)
    return;
  busy_ = true;
  if (after_ == core::job_id{0})
    round_ = steady_now();
  ask_store<storage::mirror_step>(
    self_, storage_,
    [after = after_, t = clock_.at(steady_now())](storage::store& store) {
      return store.mirror().sync(after, jobs_a_step, true, t);
    },
    [this](core::result<storage::mirror_step>&& step) {
      busy_ = false;
      if (step)
        take(*step);
      else
        next_ = steady_now() + after_failure;
      then_.stepped();
    },
    store_patience, protocol::store_turn::patient);
}

void column_mirror::take(const storage::mirror_step& step) {
  for (const auto& edit : step.adopted)
    log_->warn("job={} was changed directly in the database: {}", core::number(edit.job), edit.what);
  after_ = step.more ? step.last : core::job_id{0};
  next_ = step.more ? steady_now() + between_steps : round_ + round_every;
  if (step.raised || !step.adopted.empty()) // a claim with an older definition is lost
    then_.edits_found();
}

void column_mirror::finish(std::function<void()> then) { finish_after(core::job_id{0}, std::move(then)); }

void column_mirror::finish_after(core::job_id after, std::function<void()> then) {
  ask_store<storage::mirror_step>(
    self_, storage_,
    [after, t = clock_.at(steady_now())](storage::store& store) { return store.mirror().sync(after, jobs_a_step, false, t); },
    [this, then = std::move(then)](core::result<storage::mirror_step>&& step) mutable {
      if (!step)
        log_->warn("the displayed times of jobs may be up to a minute old: {}", step.error().context);
      else if (step->more)
        return finish_after(step->last, std::move(then));
      then();
    });
}

} // namespace ringmaster::actors
