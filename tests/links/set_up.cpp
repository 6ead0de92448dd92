#include "tests/support/set_up.hpp"

#include "actors/link/tls_ports.hpp"
#include "protocol/meta_objects.hpp"

/// Suppresses a leak report: CAF's broker keeps itself alive when its system ends with unsent data that the peer does not read.
extern "C" const char* __lsan_default_suppressions() { return "leak:basp_broker\n"; }

namespace ringmaster::test {

void set_up() {
  protocol::init_meta_objects();
  actors::init_link_meta_objects();
}
void tear_down() {}

} // namespace ringmaster::test
