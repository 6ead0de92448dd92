#include "core/cluster/clock_trust.hpp"

#include <algorithm>
#include <cstdlib>

namespace ringmaster::core {

namespace {

/// Age at which a reading of another clock is ignored: its machine may be off or suspended.
constexpr std::chrono::nanoseconds heard_max = std::chrono::seconds{10};

milliseconds distance(time_point clock, std::int64_t boot_ns) {
  return clock.time_since_epoch() - std::chrono::floor<milliseconds>(std::chrono::nanoseconds{boot_ns});
}

/// Formats a difference as `3600.0 s ahead of` or `12.5 s behind`.
std::string off_by(milliseconds difference) {
  const auto tenths = std::abs(difference.count()) / 100;
  const auto seconds = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
  return seconds + (difference.count() > 0 ? " s ahead of " : " s behind ");
}

} // namespace

bool clock_trust::read(time_point wall, std::int64_t boot_ns) {
  now_ns_ = boot_ns;
  const auto offset = distance(wall, boot_ns);
  if (tolerance_.count() == 0)
    return trusted_;
  watch_step(offset);
  offset_ = offset;
  forget_old();
  trusted_ = majority_agrees();
  if (trusted_)
    known_offset_ = offset_;
  return trusted_;
}

// The time is counted from the last of several steps, because each may be the wrong one.
void clock_trust::watch_step(milliseconds offset) {
  if (!known_offset_)
    return;
  const auto off = [this](milliseconds a, milliseconds b) { return std::chrono::abs(a - b) > tolerance_; };
  if (!off(offset, *known_offset_)) {
    stepped_ns_.reset();
    return;
  }
  if (!stepped_ns_ || off(offset, offset_)) {
    stepped_ns_ = now_ns_;
    ++steps_;
  }
}

void clock_trust::forget_old() {
  const auto old = [this](const witness& one) { return now_ns_ - one.heard_ns > heard_max.count(); };
  if (database_ && old(*database_))
    database_.reset();
  std::erase_if(nodes_, [&](const auto& each) { return old(each.second); });
  if (stepped_ns_ && now_ns_ - *stepped_ns_ >= std::chrono::nanoseconds{settle_}.count()) {
    stepped_ns_.reset();
    known_offset_ = offset_; // the next step is measured from here
  }
}

clock_trust::witness clock_trust::seen(time_point clock, std::int64_t earliest_ns, std::int64_t latest_ns) {
  return {distance(clock, latest_ns), distance(clock, earliest_ns), latest_ns};
}

void clock_trust::hear_database(time_point clock, std::int64_t asked_ns, std::int64_t answered_ns) {
  database_ = seen(clock, asked_ns, answered_ns);
}

void clock_trust::hear_node(const std::string& node, time_point clock, std::int64_t earliest_ns, std::int64_t latest_ns) {
  nodes_.insert_or_assign(node, seen(clock, earliest_ns, latest_ns));
}

/// Returns how far the node's clock is ahead of the nearest time that the other clock may show; negative if it is behind.
milliseconds clock_trust::difference(const witness& other) const {
  return offset_ > other.high ? offset_ - other.high : std::min(offset_ - other.low, milliseconds{0});
}

bool clock_trust::denied_by(const witness& other) const { return std::chrono::abs(difference(other)) > tolerance_; }

bool clock_trust::majority_agrees() const {
  // The clock itself has a vote, so a tie is enough.
  auto against = static_cast<std::ptrdiff_t>(stepped_ns_.has_value());
  std::ptrdiff_t with = 0;
  const auto count = [&](const witness& other) { ++(denied_by(other) ? against : with); };
  if (database_)
    count(*database_);
  for (const auto& [node, other] : nodes_)
    count(other);
  return against == 0 || with >= against;
}

std::string clock_trust::reason() const {
  if (trusted_)
    return "";
  std::string text;
  const auto add = [&](milliseconds difference, const std::string& whom) {
    text += (text.empty() ? "" : ", ") + off_by(difference) + whom;
  };
  if (database_ && denied_by(*database_))
    add(difference(*database_), "the database's clock");
  for (const auto& [node, other] : nodes_)
    if (denied_by(other))
      add(difference(other), "node " + node);
  if (stepped_ns_ && known_offset_)
    add(offset_ - *known_offset_, "its own steady clock");
  return "the wall clock is " + text + "; this node plans nothing until the clocks agree";
}

} // namespace ringmaster::core
