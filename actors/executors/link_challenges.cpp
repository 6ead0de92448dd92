#include "actors/executors/link_challenges.hpp"

#include "protocol/link_border.hpp"

namespace ringmaster::actors {

protocol::link_key link_challenges::enter(link_guest&& guest, time now) {
  forget_old(now);
  const auto nonce = protocol::draw_link_key();
  pending_.insert_or_assign(nonce, std::move(guest));
  order_.emplace_back(now, nonce);
  return nonce;
}

std::optional<link_guest> link_challenges::take(const protocol::link_key& nonce, time now) {
  forget_old(now);
  auto found = pending_.extract(nonce);
  if (found.empty())
    return std::nullopt;
  return std::move(found.mapped());
}

void link_challenges::forget_old(time now) {
  while (!order_.empty() && (now - order_.front().first >= kept_for || order_.size() >= pending_max)) {
    pending_.erase(order_.front().second);
    order_.pop_front();
  }
}

} // namespace ringmaster::actors
