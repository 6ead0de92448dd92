#include "gateway/auth/refused_executors.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::gateway {

bool refused_executors::note(refused_executor what, core::time_point now) {
  for (auto* text : {&what.app_name, &what.address, &what.remote})
    *text = core::valid_utf8(std::string_view{*text}.substr(0, text_bytes_max));
  key named{what.why, what.app_name, what.address, what.remote};
  auto at = known_.find(named);
  if (at == known_.end()) {
    make_room();
    what.first = now;
    at = known_.emplace(std::move(named), entry{std::move(what), {}}).first;
  }
  auto& known = at->second;
  known.what.last = now;
  ++known.what.times;
  if ((known.told != core::time_point{} && now < known.told + line_period) || !may_tell(now))
    return false;
  known.told = now;
  return true;
}

bool refused_executors::may_tell(core::time_point now) {
  if (now < period_begun_ || now >= period_begun_ + line_period) {
    period_begun_ = now;
    lines_ = 0;
  }
  return lines_++ < lines_max;
}

void refused_executors::make_room() {
  if (known_.size() < kept_max)
    return;
  known_.erase(std::min_element(known_.begin(), known_.end(),
                                [](const auto& a, const auto& b) { return a.second.what.last < b.second.what.last; }));
}

std::vector<refused_executor> refused_executors::lately(core::time_point now) const {
  std::vector<refused_executor> out;
  for (const auto& [named, known] : known_)
    if (now <= known.what.last + shown_for)
      out.push_back(known.what);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.last > b.last; });
  return out;
}

} // namespace ringmaster::gateway
