#include "actors/elastic/write_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Returns the number of answers about items that the store gives to a write.
std::size_t items_of(const elastic::elastic_op& op) {
  if (const auto* fire = std::get_if<elastic::fire_write>(&op))
    return fire->items.size();
  if (const auto* step = std::get_if<elastic::fire_step_write>(&op))
    return step->hook ? 1 : 0;
  return std::holds_alternative<elastic::item_write>(op) ? 1 : 0;
}

/// Returns the part of a batch that a write fills. Writes without items count, too: they are rows.
std::size_t room_of(const elastic::elastic_op& op) { return std::max<std::size_t>(items_of(op), 1); }

elastic::elastic_answer answer_to(const elastic::elastic_op& op, elastic::write_outcome outcome) {
  elastic::elastic_answer made{outcome};
  made.items.resize(items_of(op));
  for (auto& item : made.items)
    item.outcome = outcome;
  return made;
}

} // namespace

void write_queue::add(protocol::elastic_ops&& message) { messages_.push_back({std::move(message), {}}); }

write_queue::batch_ptr write_queue::begin(const core::node_incarnation& owner) {
  batch_ = std::make_shared<elastic::elastic_batch>();
  batch_->owner = owner;
  auto room = elastic::batch_items_max;
  for (auto& each : messages_) {
    const auto& ops = each.message.ops;
    std::size_t needed = 0;
    for (auto i = each.answers.size(); i < ops.size(); ++i)
      needed += room_of(ops[i]);
    if (!taken_.empty() && (alone_ > 0 || needed > room || !agrees(each.message.lease)))
      break;
    room = take(each, room);
  }
  return batch_;
}

std::size_t write_queue::take(waiting& from, std::size_t room) {
  auto& ops = from.message.ops;
  const auto first = from.answers.size();
  auto next = first;
  // A write that is larger than a batch goes alone, and the store refuses it.
  for (; next < ops.size() && (batch_->ops.empty() || room_of(ops[next]) <= room); ++next) {
    room -= std::min(room, room_of(ops[next]));
    batch_->ops.push_back(std::move(ops[next]));
  }
  taken_.push_back(next - first);
  const auto& lease = from.message.lease;
  if (std::find(batch_->leases.begin(), batch_->leases.end(), lease) == batch_->leases.end())
    batch_->leases.push_back(lease);
  return room;
}

// The store must not take the lease of one message as that of another one.
bool write_queue::agrees(const elastic::slot_lease& lease) const {
  return std::none_of(batch_->leases.begin(), batch_->leases.end(),
                      [&](const auto& other) { return other.slot == lease.slot && other.epoch != lease.epoch; });
}

write_queue::answers write_queue::finish(std::vector<elastic::elastic_answer>&& stored) {
  auto next = std::make_move_iterator(stored.begin());
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(taken_[i]);
    messages_[i].answers.insert(messages_[i].answers.end(), next, end);
    next = end;
  }
  return pop_answered(std::exchange(taken_, {}).size());
}

write_queue::answers write_queue::finish_all(elastic::write_outcome outcome) {
  std::vector<elastic::elastic_answer> all;
  for (const auto& op : batch_->ops)
    all.push_back(answer_to(op, outcome));
  return finish(std::move(all));
}

void write_queue::fence_rest(waiting& of) {
  for (auto i = of.answers.size(); i < of.message.ops.size(); ++i)
    of.answers.push_back(answer_to(of.message.ops[i], elastic::write_outcome::fenced));
}

write_queue::answers write_queue::refuse(bool& lost) {
  lost = taken_.size() <= 1;
  if (lost)
    return finish_all(elastic::write_outcome::guard_lost);
  auto next = std::make_move_iterator(batch_->ops.begin());
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(taken_[i]);
    std::copy(next, end, messages_[i].message.ops.begin() + static_cast<std::ptrdiff_t>(messages_[i].answers.size()));
    next = end;
  }
  alone_ = taken_.size();
  taken_.clear();
  batch_ = nullptr;
  return {};
}

write_queue::answers write_queue::fence() {
  const auto count = taken_.size();
  auto out = finish_all(elastic::write_outcome::fenced);
  // The rest of a message that was divided.
  if (out.size() < count) {
    fence_rest(messages_.front());
    std::ranges::move(pop_answered(1), std::back_inserter(out));
  }
  return out;
}

write_queue::answers write_queue::fence_waiting() {
  answers out;
  while (messages_.size() > taken_.size()) {
    auto& last = messages_[taken_.size()];
    fence_rest(last);
    out.push_back({std::move(last.message.from), {last.message.number, std::move(last.answers)}});
    messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(taken_.size()));
  }
  alone_ = std::min(alone_, messages_.size());
  return out;
}

write_queue::answers write_queue::pop_answered(std::size_t messages) {
  batch_ = nullptr;
  answers out;
  for (; messages > 0 && messages_.front().answers.size() == messages_.front().message.ops.size(); --messages) {
    auto& done = messages_.front();
    out.push_back({std::move(done.message.from), {done.message.number, std::move(done.answers)}});
    messages_.pop_front();
    alone_ -= std::min<std::size_t>(alone_, 1);
  }
  return out;
}

} // namespace ringmaster::actors
