#include "core/text/result_text.hpp"

namespace ringmaster::core {

namespace {

constexpr localized lost{"任务结果丢失，标记失败", "任務結果丟失，標記失敗", "Job result lost, marked as failure"};
constexpr localized killed{"人为操作，主动终止:", "人為操作，主動終止:", "Manual operation, kill job:"};

} // namespace

std::string_view lost_result(language reader) noexcept { return lost.in(reader); }

std::string_view killed_result(language reader) noexcept { return killed.in(reader); }

std::string_view result_text(std::string_view stored, language reader) noexcept {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en})
    if (stored == lost.in(written))
      return lost.in(reader);
  return stored;
}

} // namespace ringmaster::core
