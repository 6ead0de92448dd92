#include "protocol/meta_objects.hpp"

#include <caf/all.hpp>

#include "protocol/admin_messages.hpp"
#include "protocol/error.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::protocol {

void init_meta_objects() {
  caf::init_global_meta_objects<caf::id_block::ringmaster_local>();
  caf::core::init_global_meta_objects();
}

} // namespace ringmaster::protocol
