#include "core/elastic/eligibility.hpp"

#include <algorithm>

#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

template <class Range>
bool has_text(const Range& texts, std::string_view wanted) noexcept {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

/// `demanded`: separated by commas; empty parts demand nothing.
bool has_all(const std::vector<std::string>& known, std::string_view demanded) noexcept {
  while (!demanded.empty())
    if (const auto text = trimmed(take_item(demanded)); !text.empty() && !has_text(known, text))
      return false;
  return true;
}

bool is_clock_near(const host& which, std::optional<milliseconds> limit) noexcept {
  return !limit || (which.clock_difference && *which.clock_difference <= *limit && *which.clock_difference >= -*limit);
}

} // namespace

gap_reason reason_against(const host& which, const job_needs& needs) noexcept {
  if (which.state != host_state::up || !which.linked)
    return gap_reason::no_host;
  if (which.draining || which.mode == host_mode::draining)
    return gap_reason::draining;
  if (!is_clock_near(which, needs.clock_difference_max))
    return gap_reason::clock;
  if (!needs.handler.empty() && !has_text(which.handlers, needs.handler))
    return gap_reason::no_handler;
  if (!has_all(which.listeners, needs.listeners) || !has_all(which.once_listeners, needs.once_listeners))
    return gap_reason::no_listener;
  if (!has_all(which.labels, needs.label))
    return gap_reason::no_label;
  if (which.mode != host_mode::enabled || has_text(needs.disabled_servers, which.id)
      || has_text(needs.disabled_servers, which.ip))
    return gap_reason::disabled;
  return gap_reason::none;
}

candidates find_candidates(const host_list& hosts, host_order order, const job_needs& needs) {
  candidates found;
  for (std::size_t position = 0; position < hosts.size(); ++position) {
    const auto& each = hosts.at(order, position);
    const auto reason = reason_against(each, needs);
    found.reason = std::max(found.reason, reason);
    if (reason == gap_reason::none) {
      found.hosts.push_back(&each);
      found.positions.push_back(position);
    }
  }
  if (!found.hosts.empty())
    found.reason = gap_reason::none;
  return found;
}

} // namespace ringmaster::core::elastic
