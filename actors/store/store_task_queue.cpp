#include "actors/store/store_task_queue.hpp"

#include <chrono>
#include <utility>

namespace ringmaster::actors {

namespace {

// Longest wait of a patient task for a moment without claims and results.
constexpr std::chrono::seconds patience{1};

std::optional<waiting_store_task> take_first(std::deque<waiting_store_task>& from) {
  if (from.empty())
    return std::nullopt;
  std::optional<waiting_store_task> taken{std::move(from.front())};
  from.pop_front();
  return taken;
}

} // namespace

void store_task_queue::add(waiting_store_task&& task) {
  switch (task.task.turn) {
  case protocol::store_turn::first: urgent_.push_front(std::move(task)); break;
  case protocol::store_turn::usual: urgent_.push_back(std::move(task)); break;
  case protocol::store_turn::patient: patient_.push_back(std::move(task)); break;
  }
}

std::optional<waiting_store_task> store_task_queue::next(steady t) {
  const bool patience_ended = !patient_.empty() && t >= patient_.front().since + patience;
  return take_first(urgent_.empty() && patience_ended ? patient_ : urgent_);
}

std::optional<waiting_store_task> store_task_queue::next_patient() { return take_first(patient_); }

} // namespace ringmaster::actors
