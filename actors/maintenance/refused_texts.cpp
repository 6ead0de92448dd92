#include "actors/maintenance/refused_texts.hpp"

#include <algorithm>
#include <chrono>

#include "actors/maintenance/log_keeper_times.hpp"

namespace ringmaster::actors {

namespace {

constexpr std::chrono::milliseconds retry_max{300'000};

} // namespace

bool refused_texts::refuse(core::log_id run, steady t) {
  const bool alone = failures_ == 0; // the store took another text since it refused one
  until_ = t + std::min(retry_max, keeper_retry * (1 << std::min(failures_++, 6)));
  const bool again = runs_.add(run);
  return again && alone;
}

void refused_texts::delay(steady t) { until_ = t + keeper_retry; }

void refused_texts::clear() {
  runs_.clear();
  failures_ = 0;
}

} // namespace ringmaster::actors
