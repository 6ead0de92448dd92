#include "core/schedule/schedule_rules.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::core {

namespace {

std::string text_of(schedule_type type, std::string_view conf, const schedule_options& options) {
  std::string text{stored_name(type)};
  text.append(1, ' ').append(conf);
  if (options.empty())
    return text;
  auto number = [&text](const auto& value) { text += '\n' + (value ? std::to_string(*value) : ""); };
  auto instant = [&](const auto& value) { number(value ? std::optional{to_ms(*value)} : std::nullopt); };
  text += '\n' + options.time_zone;
  number(options.interval_ms);
  instant(options.start_at);
  instant(options.end_at);
  number(options.jitter_ms);
  return text;
}

} // namespace

result<schedule_rules::rule> schedule_rules::of(schedule_type type, std::string_view conf, const schedule_options& options) {
  auto text = text_of(type, conf, options);
  if (auto found = rules_.find(text); found != rules_.end())
    if (auto known = found->second.lock())
      return known;
  const auto* where = &where_;
  if (!options.time_zone.empty()) {
    const auto& named = zone_of(options.time_zone);
    if (!named)
      return fail(errc::invalid_argument, "time_zone: " + named.error().context);
    where = &*named;
  }
  auto compiled = schedule::compile(type, conf, *where, options);
  if (!compiled)
    return tl::unexpected<error>{compiled.error()};
  auto made = std::make_shared<const schedule>(std::move(*compiled));
  keep(std::move(text), made);
  return made;
}

const result<zone>& schedule_rules::zone_of(const std::string& name) {
  auto found = zones_.find(name);
  if (found == zones_.end())
    found = zones_.emplace(name, zone::find(name)).first;
  return found->second;
}

void schedule_rules::keep(std::string text, const rule& compiled) {
  if (rules_.size() >= rules_swept_at_) {
    std::erase_if(rules_, [](const auto& item) { return item.second.expired(); });
    rules_swept_at_ = std::max<std::size_t>(1024, rules_.size() * 2);
  }
  rules_[std::move(text)] = compiled;
}

} // namespace ringmaster::core
