#include "actors/firing/intent_sweep.hpp"

#include <algorithm>

namespace ringmaster::actors {

namespace {

// A new incarnation takes over the instants that an earlier one reserved, up to the longest lead; there may be a burst of them.
constexpr std::chrono::seconds reserved_ahead{10};

} // namespace

void intent_sweep::restart() {
  ahead_.emplace();
  swept_ = {};
  next_ = {};
  gate_.reset();
}

void intent_sweep::clear() {
  restart();
  busy_ = false;
  claimed_meanwhile_.clear();
}

bool intent_sweep::begin(steady t) {
  if (busy_)
    return false;
  busy_ = true;
  next_ = t + intent_age;
  return true;
}

bool intent_sweep::skip(steady t) noexcept {
  if (busy_ || ahead_ || !is_at_start() || !gate_.skips(t))
    return false;
  next_ = t + intent_age;
  return true;
}

// A young intent that is not an instant belongs to the node that wrote it; an older one is swept.
core::intent_search intent_sweep::next_page(core::time_point now) {
  claimed_meanwhile_.clear();
  if (!ahead_)
    return {.created_before = now - intent_age, .limit = page_size, .after = swept_};
  asked_ahead_ = *ahead_;
  core::intent_search search{.created_before = now + reserved_ahead, .limit = page_size, .after = *ahead_, .reserved_only = true};
  search.after.created_at = std::max(search.after.created_at, now - intent_age);
  return search;
}

// If the position changed meanwhile, the read has begun again.
bool intent_sweep::move(const core::intent_search& search, const std::vector<core::intent>& page) {
  const bool more = !page.empty();
  if (search.reserved_only) {
    if (ahead_ == asked_ahead_)
      ahead_ = more ? std::optional{core::place_of(page.back())} : std::nullopt;
  } else if (swept_ == search.after) {
    swept_ = more ? core::place_of(page.back()) : core::intent_place{};
  }
  return more;
}

void intent_sweep::claimed(const core::intent& intent) {
  if (busy_)
    claimed_meanwhile_.insert(core::number(intent.id));
}

void intent_sweep::drop_claimed(std::vector<core::intent>& page) const {
  std::erase_if(page, [this](const core::intent& intent) { return claimed_meanwhile_.contains(core::number(intent.id)); });
}

} // namespace ringmaster::actors
