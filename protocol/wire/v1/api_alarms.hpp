#pragma once

// Channels, rules and open alarms in /api/v1.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/alarm/alarm_channel.hpp"
#include "core/alarm/open_alarm.hpp"
#include "core/result.hpp"
#include "core/rules/alarm_plan.hpp"
#include "core/time.hpp"

namespace ringmaster::protocol::wire {

/// Returns `{"items":[…]}`.
[[nodiscard]] std::string api_channels(const std::vector<core::alarm_channel>& channels);

/// Returns a JSON array.
[[nodiscard]] std::string api_alarm_rules(std::span<const core::held_alarm> rules);

/// Returns `{"items":[…],"truncated":…,"messages":[…],"node":…}`. `node`: the node that sent the messages; empty: null.
[[nodiscard]] std::string api_open_alarms(const core::open_alarm_list& open, std::span<const core::sent_message> messages,
                                          std::string_view node);

/// Reads `to`, an address for the channel mail; an empty body is `{}`. Errors: `invalid_argument`.
[[nodiscard]] core::result<std::string> parse_api_channel_test(std::string_view body);

[[nodiscard]] std::string api_channel_tested(bool delivered, std::string_view detail, core::milliseconds took);

} // namespace ringmaster::protocol::wire
