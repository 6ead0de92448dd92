#include "actors/elastic/elastic_writer.hpp"

#include <algorithm>
#include <utility>

#include "actors/store/store_access.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::actors {

elastic_writer_state::elastic_writer_state(protocol::elastic_writer::pointer self, protocol::store_worker worker,
                                           protocol::wall_clock clock, logger log, std::shared_ptr<marks_keeper> marks)
  : self_{self},
    worker_{std::move(worker)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    marks_{std::move(marks)},
    metrics_{self->system()} {}

protocol::elastic_writer::behavior_type elastic_writer_state::make_behavior() {
  return {
    [this](protocol::elastic_ops& message) { take(std::move(message)); },
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](protocol::status_query) { return status(); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void elastic_writer_state::take(protocol::elastic_ops&& message) {
  if (message.ops.empty()) {
    protocol::send(self_, message.from, protocol::elastic_stored{message.number, {}});
    return;
  }
  queue_.add(std::move(message));
  if (life_)
    pump();
  else
    answer(queue_.fence_waiting());
}

void elastic_writer_state::change_incarnation(const protocol::incarnation_change& change) {
  if (life_ == change.life)
    return;
  life_ = change.life;
  answer(queue_.fence_waiting());
  // A batch that the worker has is answered with the worker.
  if (queue_.under_way() && !busy_)
    answer(queue_.fence());
}

void elastic_writer_state::pump() {
  if (!life_ || queue_.empty() || queue_.under_way())
    return;
  static_cast<void>(queue_.begin(*life_));
  written_at_ = clock_.at(self_->clock().now());
  write();
}

void elastic_writer_state::write() {
  busy_ = true;
  ask_store<std::vector<core::elastic::elastic_answer>>(
    self_, worker_,
    [batch = queue_.under_way(), at = written_at_, marks = marks_](storage::store& store) {
      auto answers = store.elastic().write(*batch, at);
      if (marks && answers)
        marks->note(*answers);
      return answers;
    },
    [this](stored&& outcome) { written(std::move(outcome)); });
}

void elastic_writer_state::written(stored&& outcome) {
  busy_ = false;
  const auto* failure = outcome ? nullptr : &outcome.error();
  const bool repeats = back_off_.must_repeat(failure, "write elastic jobs", self_->clock().now(), log_);
  const auto batch = queue_.under_way();
  if (batch->owner != life_ || (failure != nullptr && failure->code == core::errc::fenced))
    answer(queue_.fence());
  else if (repeats)
    return repeat_later();
  else if (failure != nullptr)
    refuse(*failure);
  else if (outcome->size() != batch->ops.size())
    refuse({core::errc::internal, "the store answered another number of writes"});
  else
    finish(std::move(*outcome));
  pump();
}

void elastic_writer_state::finish(std::vector<core::elastic::elastic_answer>&& answers) {
  std::size_t rows = 0;
  for (const auto& each : answers)
    rows += std::max<std::size_t>(each.items.size(), 1);
  metrics_.wrote(rows);
  answer(queue_.finish(std::move(answers)));
}

void elastic_writer_state::refuse(const core::error& why) {
  const auto job = core::number(core::elastic::job_of(queue_.under_way()->ops.front()));
  bool lost = false;
  answer(queue_.refuse(lost));
  if (!lost)
    return;
  if (const auto left_out = refusals_.admit(self_->clock().now()))
    log_->error("the store refuses writes of elastic job {}: {}{}", job, why.context, *left_out);
}

void elastic_writer_state::answer(write_queue::answers&& all) {
  for (auto& each : all)
    protocol::send(self_, each.to, std::move(each.what));
}

void elastic_writer_state::repeat_later() {
  protocol::send_at(self_, protocol::elastic_writer{self_}, self_->clock().now() + look_every, protocol::tick_atom{});
}

void elastic_writer_state::tick() {
  if (!queue_.under_way() || busy_)
    return pump();
  if (back_off_.is_over(self_->clock().now()))
    write();
  else
    repeat_later();
}

protocol::node_status elastic_writer_state::status() const {
  protocol::node_status status;
  status.ready = back_off_.trouble().empty();
  if (!status.ready)
    status.reasons.push_back(back_off_.trouble());
  status.life = life_;
  return status;
}

} // namespace ringmaster::actors
