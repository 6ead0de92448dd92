#pragma once

// Parts of alarm messages that those of ordinary and of elastic jobs share. For this folder.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/alarm/alarm_text.hpp"
#include "core/text/language.hpp"
#include "core/time.hpp"

namespace ringmaster::core::alarm_parts {

inline constexpr localized subject{"任务调度中心监控报警", "任務調度中心監控報警", "Task Scheduling Center monitor alarm"};
inline constexpr localized recovered_subject{"任务调度中心恢复通知", "任務調度中心恢復通知",
                                             "Task Scheduling Center recovery notice"};
inline constexpr localized recovered_type{"已恢复", "已恢復", "Recovered"};

/// Cells of the single row, in XXL's order.
using cells = std::array<std::string, 5>;

/// Returns the text as valid UTF-8, cut so that an e-mail stays readable.
[[nodiscard]] std::string shortened(std::string_view text);
/// Returns the line that says how many failures a message stands for.
[[nodiscard]] std::string times_text(std::uint64_t count, language in);
[[nodiscard]] std::string lines_to_html(std::string_view text);
/// Formats a time as 2026-03-02T12:00:00.000Z.
[[nodiscard]] std::string iso_time(time_point t);
/// Replaces control characters by blanks.
[[nodiscard]] std::string one_line(std::string_view text);
/// Replaces `{run}` and `{job}` of a link.
[[nodiscard]] std::string filled(std::string_view link, std::int64_t run, std::int64_t job);
/// Returns a message with XXL's table. Every field exists, the unknown ones are empty.
[[nodiscard]] alarm_message message_from(std::string title, const cells& row, std::string_view kind, std::uint64_t count,
                                         language in);

} // namespace ringmaster::core::alarm_parts
