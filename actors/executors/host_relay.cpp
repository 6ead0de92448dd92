#include "actors/executors/host_relay.hpp"

#include <algorithm>

namespace ringmaster::actors {

std::string host_relay::breach_of_order(const protocol::elastic_events& batch) const {
  if (batch.batch <= last_batch_)
    return "a batch of events out of order";
  const bool is_full = unreceipted_.size() >= protocol::elastic_link_limits::batches_max;
  return is_full ? "more events than allowed without a receipt" : std::string{};
}

// Its parts are collected until the last one.
std::string host_relay::breach_of_order(const protocol::elastic_inventory& part) const {
  const auto question = questions_.find(part.question);
  const bool is_long = question != questions_.end() && question->second + part.runs.size() > capacity_;
  return is_long ? "an inventory of more item runs than its capacity" : std::string{};
}

host_relay::verdict host_relay::judge_later() const noexcept {
  if (!hosts_)
    return verdict::refuse;
  return introduced_ ? verdict::pass : verdict::drop;
}

// Each hello may cost a transaction.
host_relay::verdict host_relay::judge(const protocol::elastic_hello& hello, steady now) {
  if (now < next_hello_)
    return verdict::drop;
  next_hello_ = now + protocol::elastic_link_limits::hello_every;
  if (!hosts_)
    return verdict::refuse;
  introduced_ = true;
  capacity_ = static_cast<std::size_t>(std::max(hello.capacity, 0));
  return verdict::pass;
}

host_relay::verdict host_relay::judge(const protocol::elastic_heartbeat&, steady now) {
  const auto decided = judge_later();
  if (decided != verdict::pass)
    return decided;
  const auto until = std::max(beats_until_, now) + beat_every;
  if (until - now > beats_at_once)
    return verdict::drop;
  beats_until_ = until;
  return verdict::pass;
}

host_relay::verdict host_relay::judge(const protocol::elastic_events& batch, steady) {
  const auto decided = judge_later();
  last_batch_ = batch.batch;
  if (decided == verdict::pass)
    unreceipted_.insert(batch.batch);
  return decided;
}

host_relay::verdict host_relay::judge(const protocol::elastic_inventory& part, steady) {
  const auto decided = judge_later();
  const auto question = questions_.find(part.question);
  if (decided != verdict::pass || question == questions_.end())
    return decided == verdict::pass ? verdict::drop : decided;
  if (part.end)
    questions_.erase(question);
  else
    question->second += part.runs.size();
  return verdict::pass;
}

void host_relay::leaves(const protocol::elastic_orders& orders) {
  if (orders.inventory == 0)
    return;
  questions_.emplace(orders.inventory, 0);
  if (questions_.size() > questions_max)
    questions_.erase(questions_.begin());
}

void host_relay::leaves(const protocol::elastic_receipt& receipt) { unreceipted_.erase(receipt.batch); }

} // namespace ringmaster::actors
