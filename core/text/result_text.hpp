#pragma once

// Results that the server itself records for a run, in the users' languages.

#include <string_view>

#include "core/text/language.hpp"

namespace ringmaster::core {

/// Returns the stored result of a lost run (XXL admin §7.4).
[[nodiscard]] inline std::string_view lost_result(language reader) noexcept {
  return localized{"任务结果丢失，标记失败", "任務結果丟失，標記失敗", "Job result lost, marked as failure"}.in(reader);
}

/// Returns the prefix of the result of a killed run; the executor's message follows it (XXL admin §8.7).
[[nodiscard]] inline std::string_view killed_result(language reader) noexcept {
  return localized{"人为操作，主动终止:", "人為操作，主動終止:", "Manual operation, kill job:"}.in(reader);
}

/// Translates a stored result that the server recorded, in whatever language, into the reader's language; any other text is
/// unchanged. Returns a view of the argument or of a constant.
[[nodiscard]] inline std::string_view result_text(std::string_view stored, language reader) noexcept {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (stored == lost_result(written))
      return lost_result(reader);
  return stored;
}

} // namespace ringmaster::core
