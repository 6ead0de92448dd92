#include "protocol/meta_objects.hpp"

#include <mutex>

#include <caf/all.hpp>

#include "protocol/admin_messages.hpp"
#include "protocol/alarm_messages.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "protocol/elastic_inspect.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/elastic_type_ids.hpp"
#include "protocol/error.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/executor_type_ids.hpp"
#include "protocol/figure_messages.hpp"
#include "protocol/forecast_messages.hpp"
#include "protocol/inspect.hpp"
#include "protocol/messages.hpp"
#include "protocol/overview_messages.hpp"
#include "protocol/task_messages.hpp"

namespace ringmaster::protocol {

void init_meta_objects() {
  // CAF's own table belongs to the process.
  static std::once_flag done;
  std::call_once(done, [] {
    caf::init_global_meta_objects<caf::id_block::ringmaster_net>();
    caf::init_global_meta_objects<caf::id_block::ringmaster_local>();
    caf::init_global_meta_objects<caf::id_block::ringmaster_executor>();
    caf::init_global_meta_objects<caf::id_block::ringmaster_elastic>();
    caf::core::init_global_meta_objects();
  });
}

} // namespace ringmaster::protocol
