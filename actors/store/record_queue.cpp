#include "actors/store/record_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

// Resolved claims are deleted with the next record; without one, after this time.
constexpr auto resolved_wait = 1s;

template <class T>
std::vector<T> take_front(std::deque<T>& from, std::size_t limit) {
  auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), limit));
  std::vector<T> taken{std::make_move_iterator(from.begin()), std::make_move_iterator(end)};
  from.erase(from.begin(), end);
  return taken;
}

} // namespace

void record_queue::add(std::vector<core::callback>&& callbacks, callback_answer::promise to_sender) {
  callbacks_waiting_ += callbacks.size();
  callbacks_.push_back({std::move(callbacks), std::move(to_sender)});
}

void record_queue::add_resolved(std::int64_t claim, steady t) {
  if (resolved_.empty())
    resolved_since_ = t;
  resolved_.push_back(claim);
}

void record_queue::end_incarnation() {
  std::move(triggers_.begin(), triggers_.end(), std::back_inserter(former_triggers_));
  triggers_.clear();
  resolved_.clear();
}

bool record_queue::is_due(steady t) const noexcept {
  return !repeated_.empty() || !triggers_.empty() || !former_triggers_.empty() || !callbacks_.empty()
         || (!resolved_.empty() && t >= resolved_since_ + resolved_wait);
}

record_task_ptr record_queue::next(const core::node_incarnation& incarnation, bool shared) {
  if (!repeated_.empty()) {
    auto again = std::move(repeated_.front());
    repeated_.pop_front();
    return again;
  }
  if (!former_triggers_.empty()) {
    // An incarnation that the store never assigned: the store keeps successful deliveries and leaves failures to the incarnation
    // that adopted the run.
    auto former = std::make_shared<record_task>(core::node_incarnation{incarnation.node, -1}, shared);
    former->add(take_front(former_triggers_, rows_max_));
    return former;
  }
  auto task = std::make_shared<record_task>(incarnation, shared);
  task->add_resolved(std::exchange(resolved_, {}));
  task->add(take_front(triggers_, rows_max_));
  add_callbacks_to(*task);
  return task;
}

// A batch of one request stays whole, so a single large one may exceed rows_max.
void record_queue::add_callbacks_to(record_task& task) {
  const auto& added = task.batch().callbacks;
  while (!callbacks_.empty() && (added.empty() || added.size() + callbacks_.front().items.size() <= rows_max_)) {
    auto& front = callbacks_.front();
    callbacks_waiting_ -= front.items.size();
    task.add(std::move(front.items), std::move(front.to_sender));
    callbacks_.pop_front();
  }
}

void record_queue::hold(record_task_ptr task, steady t) {
  callbacks_waiting_ += task->batch().callbacks.size();
  const auto again = t + task->next_hold();
  held_.push_back({std::move(task), again});
}

void record_queue::release_held(steady t) {
  std::erase_if(held_, [&](held_task& each) {
    if (t < each.again)
      return false;
    callbacks_waiting_ -= each.task->batch().callbacks.size();
    repeated_.push_back(std::move(each.task));
    return true;
  });
}

} // namespace ringmaster::actors
