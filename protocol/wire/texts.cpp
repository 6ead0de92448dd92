#include "protocol/wire/texts.hpp"

namespace ringmaster::protocol::wire {

std::string mapping_not_found(std::string_view operation) {
  return std::string{"invalid request, uri-mapping("}.append(operation).append(") not found.");
}

core::error unreadable(std::string_view reason) {
  return {core::errc::invalid_argument, std::string{reply_text::invoke_error}.append(reason)};
}

} // namespace ringmaster::protocol::wire
