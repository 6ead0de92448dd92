#include "gateway/transport/io/body_budget.hpp"

namespace ringmaster::gateway::http {

bool body_share::hold(std::size_t bytes) {
  if (bytes <= held_)
    return true;
  const bool waits_for_nobody = budget_.line_.empty() || budget_.ahead_ == this;
  if (waits_for_nobody && budget_.grant(*this, bytes))
    return true;
  budget_.line_.push_back(this);
  wanted_ = bytes;
  return false;
}

void body_share::give_back() {
  // The usual case: the request never held anything.
  if (held_ == 0 && wanted_ == 0)
    return;
  budget_.take_back(*this);
  budget_.serve_line();
}

bool body_budget::grant(body_share& share, std::size_t bytes) noexcept {
  const auto all = held_ - share.held_ + bytes;
  if (all > bytes_max_) {
    if (ahead_ && ahead_ != &share)
      return false;
    ahead_ = &share;
  }
  held_ = all;
  share.held_ = bytes;
  share.wanted_ = 0;
  return true;
}

void body_budget::take_back(body_share& share) noexcept {
  held_ -= share.held_;
  share.held_ = 0;
  if (share.wanted_ != 0)
    line_.remove(&share);
  share.wanted_ = 0;
  if (ahead_ == &share)
    ahead_ = nullptr;
}

void body_budget::serve_line() {
  while (!line_.empty()) {
    auto& first = *line_.front();
    if (!grant(first, first.wanted_))
      return;
    line_.pop_front();
    first.room_came();
  }
}

} // namespace ringmaster::gateway::http
