#include "gateway/transport/io/deadlines.hpp"

#include <algorithm>

namespace ringmaster::gateway::http {

namespace {

constexpr auto sweep_gap = std::chrono::milliseconds{5};

} // namespace

deadline::deadline(deadlines& list) noexcept : list_(list) { list_.link(*this); }

deadline::~deadline() { list_.unlink(*this); }

void deadline::expire_at(clock::time_point when) {
  when_ = when;
  if (when < list_.armed_)
    list_.arm(when);
}

void deadlines::link(deadline& item) noexcept {
  item.next_ = first_;
  if (first_ != nullptr)
    first_->previous_ = &item;
  first_ = &item;
}

void deadlines::unlink(deadline& item) noexcept {
  (item.previous_ != nullptr ? item.previous_->next_ : first_) = item.next_;
  if (item.next_ != nullptr)
    item.next_->previous_ = item.previous_;
  std::replace(due_.begin(), due_.end(), &item, static_cast<deadline*>(nullptr));
}

void deadlines::arm(clock::time_point when) {
  // A minimum gap after a sweep, however close together the limits are.
  if (swept_ != clock::time_point::min())
    when = std::max(when, swept_ + sweep_gap);
  if (when >= armed_)
    return;
  armed_ = when;
  wake_at_(when);
}

void deadlines::sweep(clock::time_point now) {
  armed_ = deadline::never;
  swept_ = now;
  auto next = deadline::never;
  for (auto* item = first_; item != nullptr; item = item->next_) {
    if (item->when_ <= now)
      due_.push_back(item);
    else
      next = std::min(next, item->when_);
  }
  for (std::size_t i = 0; i < due_.size(); ++i) {
    // An expiring limit may destroy the limits after it, or move them.
    if (auto* item = due_[i]; item != nullptr && item->when_ <= now) {
      item->when_ = deadline::never;
      item->expired();
    }
  }
  due_.clear();
  if (next != deadline::never)
    arm(next);
}

} // namespace ringmaster::gateway::http
