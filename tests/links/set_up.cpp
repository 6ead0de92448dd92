#include "tests/support/set_up.hpp"

#include "actors/link/tls_ports.hpp"
#include "protocol/meta_objects.hpp"

namespace ringmaster::test {

void set_up() {
  protocol::init_meta_objects();
  actors::init_link_meta_objects();
}
void tear_down() {}

} // namespace ringmaster::test
