#include "core/elastic/item_alarm.hpp"

namespace ringmaster::core::elastic {

std::string_view stored_name(item_alarm kind) noexcept {
  switch (kind) {
  case item_alarm::failure: return "ej_fail";
  case item_alarm::late: return "ej_late";
  case item_alarm::unowned: return "ej_unowned";
  case item_alarm::takeovers: return "ej_takeovers";
  }
  return {};
}

std::optional<item_alarm> find_item_alarm(std::string_view name) noexcept {
  for (const auto kind : item_alarms)
    if (stored_name(kind) == name)
      return kind;
  return std::nullopt;
}

} // namespace ringmaster::core::elastic
