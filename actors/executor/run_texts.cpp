#include "actors/executor/run_texts.hpp"

#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::actors {

core::trigger_reply repeat_reply(core::log_id run) {
  return {run_failed, "repeat trigger job, logId:" + std::to_string(core::number(run))};
}

core::run_outcome settled(core::run_outcome&& outcome) {
  if (outcome.code <= 0)
    return {run_failed, std::string{result_lost_text}};
  if (outcome.message) {
    auto text = core::valid_utf8(*outcome.message);
    const auto kept = core::cut_utf16(text, result_units_max).size();
    if (kept < text.size()) {
      text.resize(kept);
      text += "...";
    }
    outcome.message = std::move(text);
  }
  return std::move(outcome);
}

} // namespace ringmaster::actors
