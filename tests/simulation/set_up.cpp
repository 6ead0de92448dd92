#include "tests/support/set_up.hpp"

#include <sqlite3.h>

#include "protocol/meta_objects.hpp"

namespace ringmaster::test {

void set_up() {
  // Runs are parallel: each allocation would take the lock of a counter that is never read.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  protocol::init_meta_objects();
}
void tear_down() {}

} // namespace ringmaster::test
