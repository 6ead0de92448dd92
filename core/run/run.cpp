#include "core/run/run.hpp"

namespace ringmaster::core {

std::string_view to_string(trigger_kind kind) noexcept {
  switch (kind) {
  case trigger_kind::cron: return "cron";
  case trigger_kind::misfire: return "misfire";
  case trigger_kind::manual: return "manual";
  case trigger_kind::parent: return "parent";
  case trigger_kind::retry: return "retry";
  case trigger_kind::api: return "api";
  case trigger_kind::missed: return "missed";
  }
  return "cron";
}

} // namespace ringmaster::core
