#include "actors/store/store_back_off.hpp"

#include <algorithm>

#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto wait_min = 50ms;
constexpr auto wait_max = 2000ms;

} // namespace

bool store_back_off::must_repeat(const core::error* failure, const char* what, steady t, const logger& log) {
  if (!failure || !in_doubt(failure->code)) {
    if (wait_ > 0ms)
      log->info("the database answers again");
    wait_ = 0ms;
    trouble_.clear();
    return false;
  }
  if (wait_ == 0ms)
    log->warn("the database cannot {} now, retrying until it can: {}", what, failure->context);
  trouble_ = std::string{"the database cannot "} + what + ": " + failure->context;
  wait_ = std::clamp<std::chrono::milliseconds>(wait_ * 2, wait_min, wait_max);
  not_before_ = t + wait_;
  return true;
}

} // namespace ringmaster::actors
