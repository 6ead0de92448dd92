#include "protocol/wire/texts.hpp"

namespace ringmaster::protocol::wire {

std::string mapping_not_found(std::string_view operation) {
  return std::string{"invalid request, uri-mapping("}.append(operation).append(") not found.");
}

} // namespace ringmaster::protocol::wire
