#include "executor/elastic/keeper_book.hpp"

#include <algorithm>

namespace ringmaster::executor::elastic {

void keeper_book::add_link(link_number link, const protocol::elastic_limits& limits, std::int64_t keeper_no,
                           boot_time asked_at, boot_time now) {
  if (links_.empty())
    heard_ = now;
  auto& state = links_[link];
  state.limits = limits;
  state.next_beat = now;
  state.answered_from = asked_at;
  if (keeper_no > 0)
    (void)accept(link, keeper_no, now);
}

std::optional<boot_time> keeper_book::lease_from(link_number link) const {
  const auto found = links_.find(link);
  if (found == links_.end() || !lease_from_)
    return std::nullopt;
  return std::min(*lease_from_, found->second.answered_from);
}

void keeper_book::end_link(link_number link, boot_time now) {
  last_beats_.erase(link);
  if (links_.erase(link) == 0)
    return;
  if (asked_above_ && asked_ == link)
    ask_next(now);
  if (keeper_ != link)
    return;
  keeper_ = 0;
  if (!asked_above_ && !links_.empty())
    ask_next(now);
}

void keeper_book::begin_process() {
  links_.clear();
  keeper_ = 0;
  keeper_no_ = 0;
  asked_above_.reset();
  asked_ = 0;
  lease_from_.reset();
}

bool keeper_book::accept(link_number link, std::int64_t number, boot_time now) {
  if (number <= 0 || number < keeper_no_ || (asked_above_ && number <= *asked_above_))
    return false;
  // A number belongs to one node, whose link may be a new one.
  if (number == keeper_no_ && keeper_ != 0 && keeper_ != link)
    return false;
  keeper_no_ = number;
  keeper_ = link;
  heard_ = now;
  asked_above_.reset();
  asked_ = 0;
  return true;
}

std::optional<protocol::elastic_heartbeat> keeper_book::next_beat(link_number link, boot_time now) {
  const auto found = links_.find(link);
  if (found == links_.end() || found->second.next_beat > now)
    return std::nullopt;
  auto& state = found->second;
  const bool asks = asked_above_ && asked_ == link;
  const boot_time every = asks ? std::min<boot_time>(asking_beat, state.limits.heartbeat) : state.limits.heartbeat;
  state.next_beat = state.next_beat + every > now ? state.next_beat + every : now + every;
  protocol::elastic_heartbeat out;
  out.number = ++last_beats_[link];
  out.keeper_no = keeper_no_;
  out.asks_keeper = asks;
  state.sent.emplace_back(out.number, now);
  if (state.sent.size() > sent_max)
    state.sent.pop_front();
  return out;
}

bool keeper_book::take_ack(link_number link, const protocol::elastic_ack& ack, boot_time now) {
  const auto found = links_.find(link);
  if (found == links_.end())
    return false;
  auto& [limits, next, answered, sent, leaves] = found->second;
  if (sent.empty() || ack.number > sent.back().first)
    return false;
  while (sent.front().first < ack.number)
    sent.pop_front();
  if (sent.front().first != ack.number)
    return false;
  // It stays: a node that becomes the keeper may acknowledge its last heartbeat again.
  const auto sent_at = sent.front().second;
  answered = std::max(answered, sent_at);
  leaves = ack.leave;
  if (ack.keeper_no == 0 && keeper_ == link) {
    // Its node is not the keeper any more, or its store does not answer: the lease goes on only with another node.
    keeper_ = 0;
    if (!asked_above_) {
      asked_ = link;
      ask_next(now);
    }
  }
  const bool extends = accept(link, ack.keeper_no, now);
  if (extends)
    lease_from_ = std::max(lease_from_.value_or(sent_at), sent_at);
  if (leaves && keeper_ == link && !asked_above_ && candidate() != 0)
    ask_next(now);
  return extends;
}

boot_time keeper_book::patience() const {
  const auto found = links_.find(keeper_);
  const auto& from = found == links_.end() ? links_.begin() : found;
  return from->second.limits.keeper_lost_after;
}

// Takes the links in turn, after that which was asked last. A node that is about to stop comes last.
link_number keeper_book::candidate() const {
  const auto after = asked_ != 0 ? asked_ : keeper_;
  link_number leaving = 0;
  auto each = links_.upper_bound(after);
  for (std::size_t i = 0; i < links_.size(); ++i, ++each) {
    if (each == links_.end())
      each = links_.begin();
    const auto& [number, link] = *each;
    if (number == keeper_ && !asked_above_)
      continue; // asked again only when another node was asked before
    if (!link.leaves)
      return number;
    leaving = leaving == 0 ? number : leaving;
  }
  return asked_above_ || keeper_ == 0 ? leaving : 0;
}

void keeper_book::ask_next(boot_time now) {
  const auto next = candidate();
  if (next == 0 && !asked_above_)
    return;
  asked_above_ = asked_above_ ? std::max(*asked_above_, keeper_no_) : keeper_no_;
  asked_ = next;
  asked_at_ = now;
  if (const auto found = links_.find(next); found != links_.end())
    found->second.next_beat = now;
}

void keeper_book::pass_time(boot_time now) {
  if (looked_ && now - *looked_ > own_pause && !asked_above_)
    heard_ = std::max(heard_, now);
  looked_ = now;
  if (links_.empty())
    return;
  if (asked_above_) {
    if (asked_ == 0 || now - asked_at_ >= patience())
      ask_next(now);
  } else if (now - heard_ >= patience()) {
    ask_next(now);
  }
}

} // namespace ringmaster::executor::elastic
