#include "executor/files/log_marks.hpp"

#include <algorithm>

namespace ringmaster::executor {

log_mark log_marks::before(const log_identity& of, std::int32_t from, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  slot* best = nullptr;
  for (slot& each : slots_) {
    const bool leads_there = each.mark.inside ? each.mark.line < from : each.mark.line <= from;
    if (each.used != 0 && each.of == of && leads_there && each.mark.offset <= bytes
        && (!best || each.mark.offset > best->mark.offset))
      best = &each;
  }
  if (!best)
    return {};
  best->used = ++uses_;
  return best->mark;
}

void log_marks::keep(const log_identity& of, const log_mark& mark, mark_use use) {
  if (mark.offset == 0)
    return;
  const std::lock_guard lock{mutex_};
  const auto place = std::find_if(slots_.begin(), slots_.end(), [&](const slot& each) {
    return each.used != 0 && each.of == of && (use == mark_use::reading ? each.mark == mark : each.use == use);
  });
  if (place != slots_.end()) {
    place->mark = mark;
    place->used = ++uses_;
    return;
  }
  *std::min_element(slots_.begin(), slots_.end(), [](const slot& a, const slot& b) { return a.used < b.used; }) =
    {of, mark, use, ++uses_};
}

} // namespace ringmaster::executor
