// A text that parses has ascending next times, and the search for one ends.

#include <chrono>

#include "core/cron/cron.hpp"
#include "core/zone/zone.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace ringmaster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto zone = core::zone::find("Europe/Berlin").value();
  const auto parsed = core::cron_expression::parse(fuzz::text_of(data, size));
  if (!parsed)
    return 0;
  core::time_point at{std::chrono::sys_days{std::chrono::year{2026} / 3 / 28}};
  for (int i = 0; i < 5; ++i) {
    const auto next = parsed->next(at, zone);
    if (!next)
      break;
    fuzz::require(*next > at, "the next time is later");
    at = *next;
  }
  return 0;
}
