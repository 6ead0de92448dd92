#include "core/result.hpp"

namespace ringmaster::core {

std::string_view to_string(errc code) noexcept {
  switch (code) {
  case errc::invalid_argument: return "invalid_argument";
  case errc::not_found: return "not_found";
  case errc::conflict: return "conflict";
  case errc::unavailable: return "unavailable";
  case errc::fenced: return "fenced";
  case errc::timeout: return "timeout";
  case errc::unsupported: return "unsupported";
  case errc::too_large: return "too_large";
  case errc::internal: return "internal";
  case errc::forbidden: return "forbidden";
  }
  return "internal";
}

} // namespace ringmaster::core
