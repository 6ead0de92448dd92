#include "actors/recovery/lost_walk.hpp"

#include <algorithm>
#include <chrono>

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds walk_period{60'000};
/// After a walk follows a pause of this multiple of its length, if that is longer than the period. A log with a run that has been
/// open for long then takes 5 % of one connection's time at most.
constexpr int walk_share = 20;

} // namespace

bool lost_walk::begin(steady t) {
  if (reading_ || rest_ || t < next_)
    return false;
  reading_ = true;
  return true;
}

void lost_walk::begun(const core::log_range& old, steady t) {
  reading_ = false;
  began_ = t;
  oldest_open_.reset();
  rest_ = core::log_range{std::max(old.after, low_water_), old.through};
}

// A row at (0, 0) may still begin to run. It is below the mark only if it is ten minutes old, and then the sweep for abandoned
// runs takes care of it.
std::optional<core::log_range> lost_walk::next(steady t) {
  if (reading_ || !rest_)
    return std::nullopt;
  if (rest_->after < rest_->through) {
    reading_ = true;
    return rest_;
  }
  low_water_ = oldest_open_ ? core::log_id{core::number(*oldest_open_) - 1} : std::max(low_water_, rest_->through);
  rest_.reset();
  const auto took = std::chrono::duration_cast<milliseconds>(t - began_);
  next_ = t + std::max(walk_period, took * walk_share);
  return std::nullopt;
}

void lost_walk::walked(const core::open_page& found) {
  reading_ = false;
  if (!oldest_open_ && !found.runs.empty())
    oldest_open_ = found.runs.front().id;
  rest_->after = found.through;
}

void lost_walk::failed(steady retry_at) {
  reading_ = false;
  rest_.reset();
  next_ = retry_at;
}

void lost_walk::hurry(steady t) { next_ = std::min(next_, t); }

void lost_walk::restart(steady t) {
  reading_ = false;
  rest_.reset();
  low_water_ = {};
  next_ = t;
}

} // namespace ringmaster::actors
