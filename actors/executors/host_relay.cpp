#include "actors/executors/host_relay.hpp"

#include <algorithm>

namespace ringmaster::actors {

host_relay::run_count host_relay::count_of(const protocol::elastic_inventory& part) {
  run_count out;
  for (const auto& run : part.runs)
    ++(core::number(run.item) < 0 ? out.hooks : out.items);
  return out;
}

std::string host_relay::breach_of_order(const protocol::elastic_events& batch) const {
  if (batch.batch <= last_batch_)
    return "a batch of events out of order";
  const bool is_full = unreceipted_.size() >= protocol::elastic_link_limits::batches_max;
  return is_full ? "more events than allowed without a receipt" : std::string{};
}

// Its parts are collected until the last one.
std::string host_relay::breach_of_order(const protocol::elastic_inventory& part) const {
  const auto question = questions_.find(part.question);
  if (question == questions_.end())
    return {};
  const auto sum = question->second + count_of(part);
  // Runs that its lease has ended are in it until their receipt, and take no slot.
  if (sum.items > 2 * capacity_)
    return "an inventory of more item runs than a host of its capacity has";
  return sum.hooks > hooks_max ? "an inventory of too many calls of listeners" : std::string{};
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
    question->second = question->second + count_of(part);
  return verdict::pass;
}

void host_relay::leaves(const protocol::elastic_orders& orders) {
  if (orders.inventory == 0)
    return;
  questions_.emplace(orders.inventory, run_count{});
  if (questions_.size() > questions_max)
    questions_.erase(questions_.begin());
}

void host_relay::leaves(const protocol::elastic_receipt& receipt) { unreceipted_.erase(receipt.batch); }

} // namespace ringmaster::actors
