#include "actors/maintenance/silent_executors.hpp"

#include <algorithm>
#include <cstddef>

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

/// Time for which an executor that does not answer is not asked.
constexpr milliseconds silence_min{1'000};
constexpr milliseconds silence_max{60'000};
/// Maximum of executors remembered as silent.
constexpr std::size_t silent_max = 10'000;

} // namespace

bool silent_executors::failed(const std::string& address, core::log_id run, steady t) {
  if (silent_.size() >= silent_max)
    silent_.erase(silent_.begin());
  const auto [at, is_new] = silent_.try_emplace(address, silence{0, t});
  auto& silent = at->second;
  silent.until = t + std::min(silence_max, silence_min * (1 << std::min(silent.failures, 6)));
  silent.tried = run;
  ++silent.failures;
  return !is_new;
}

bool silent_executors::may_ask(const std::string& address, core::log_id run, steady t) const {
  const auto found = silent_.find(address);
  return found == silent_.end() || (t >= found->second.until && run > found->second.tried);
}

bool silent_executors::is_silent_for(const std::string& address, milliseconds time, steady t) const {
  const auto found = silent_.find(address);
  return found != silent_.end() && t - found->second.since >= time;
}

void silent_executors::ask(const std::string& address, steady until) {
  if (const auto found = silent_.find(address); found != silent_.end())
    found->second.until = until;
}

void silent_executors::begin_round(steady t) {
  for (auto& [address, silent] : silent_)
    if (t >= silent.until)
      silent.tried = {};
}

} // namespace ringmaster::actors
